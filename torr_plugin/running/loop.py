"""The loop that asks: models get their open requests, and each batch of answers is stored as it comes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..core.errors import ModelError
from .answer import CUT, IN_THOUGHTS, Answer
from .executors import Executor, ModelJob
from .pending_request import CountedSource
from .progress import Progress
from .traffic import ServerTraffic

if TYPE_CHECKING:
    from ..recipes import ModelEntry
    from .store.predictions import AnswerStore

_log = logging.getLogger(__name__)
FIRST_ANSWERS = 20
"""So many answers tell whether ``max_tokens`` suffices."""


@dataclass(slots=True)
class AskedModel:
    """A model, its requests and its answers.

    Attributes:
        entry: the model.
        store: its answers.
        source: its requests.
        more_tokens: what gives its answers more room, for a person.
        on_sent: called with the parameters that it is sent, as JSON.
        on_versions: called with the versions of packages on the machine that asks it, if that is another.
        total: the number of requests, as last reported to the progress.
        refused: those of them that could not be made, as last reported.
        first: its first answers of this attempt.
    """

    entry: ModelEntry
    store: AnswerStore
    source: CountedSource
    more_tokens: str
    on_sent: Callable[[str], None] = lambda sent: None
    on_versions: Callable[[Mapping[str, str]], None] = lambda there: None
    total: int = 0
    refused: int = 0
    first: list[Answer] = field(default_factory=list)

    def job(self, generation: Mapping[str, Any], count: int, progress: Progress) -> ModelJob:
        """The job of asking the model."""

        def listen(traffic: ServerTraffic) -> None:
            progress.traffic(self.entry.label, traffic)
            if traffic.sent:
                self.on_sent(traffic.sent)

        return ModelJob(self.entry, generation, self.source, count, listen, self.on_versions)

    def begin(self, progress: Progress) -> int:
        """Report the start, and return the number of pending requests."""
        pending, self.total, self.refused = self.source.pending, len(self.source), self.source.refused
        progress.start(self.entry.label, self.total, self.total - pending)
        return pending

    def keep(self, answers: Sequence[Answer], progress: Progress) -> None:
        """Store answers, make the requests that follow from them, and report both."""
        self.store.append(answers)
        self.source.answered(answers)
        self._warn_of_cuts(answers)
        self.report(answers, progress)

    def _warn_of_cuts(self, answers: Sequence[Answer]) -> None:
        """After the first answers, say so where most ran out of tokens, and what helps."""
        before, self.first = len(self.first), [*self.first, *answers][:FIRST_ANSWERS]
        if before == FIRST_ANSWERS or len(self.first) < FIRST_ANSWERS:
            return
        cut = [each for each in self.first if each.finish_reason in (CUT, IN_THOUGHTS)]
        empty = [each for each in cut if each.is_unfinished]
        if len(cut) <= FIRST_ANSWERS / 2:
            return
        how = f", {len(empty)} of them before any text" if empty else ""
        most = max((each.max_tokens or 0 for each in cut), default=0)
        _log.warning(
            "%s: %d of the first %d answers ran out of tokens%s%s; %s",
            self.entry.label,
            len(cut),
            FIRST_ANSWERS,
            how,
            f" (max_tokens {most})" if most else "",
            self.more_tokens,
        )

    def report(self, answers: Sequence[Answer], progress: Progress) -> None:
        """Report stored answers, and requests that are new or could not be made since the last report."""
        if len(self.source) > self.total:
            progress.grow(self.entry.label, len(self.source) - self.total)
            self.total = len(self.source)
        refused, self.refused = self.source.refused - self.refused, self.source.refused
        failed = sum(answer.error is not None for answer in answers)
        tokens = sum(answer.completion_tokens or 0 for answer in answers)
        if answers or refused:
            progress.advance(self.entry.label, len(answers) + refused, failed + refused, tokens)


def ask(
    models: Sequence[AskedModel], generation: Mapping[str, Any], executor: Executor, progress: Progress
) -> dict[str, ModelError]:
    """Ask models their open requests, and store the answers batch by batch.

    Args:
        models: their labels differ.
        generation: the parameters of all requests, those of the keys.
        executor: where the models run.
        progress: reports how far each model is.

    Returns:
        The models that could not be loaded or broke, and why.
    """
    by_label = {each.entry.label: each for each in models}
    empty = [each.source.is_empty() for each in models]
    counts = [each.begin(progress) for each in models]
    jobs = [
        each.job(generation, count, progress)
        for each, count, is_empty in zip(models, counts, empty, strict=True)
        if not is_empty
    ]
    broken: dict[str, ModelError] = {}
    if jobs:
        # closed in any case, so that actors do not outlive an error
        with closing(executor.run(jobs)) as batches:
            for label, batch in batches:
                if isinstance(batch, ModelError):
                    broken[label] = batch
                    progress.give_up(label, str(batch))
                else:
                    by_label[label].keep(batch, progress)
    for label, each in by_label.items():
        each.report((), progress)
        progress.finish(label)
    return broken
