"""Puts the models of a run to an executor, and keeps what they answer."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.errors import ModelError
from .answer import Answer
from .executors import Executor, Job
from .progress import Progress
from .registry import baselines
from .stages.study_source import Asks, StudySource, planned_keys
from .stopping import Stop
from .store.keyset import KeySet

if TYPE_CHECKING:
    from ..recipes import ModelEntry, Plan
    from .store.predictions import AnswerStore
    from .store.run import Run

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Work:
    """One model of a run: what it is asked, and where its answers are kept.

    Attributes:
        entry: the model.
        store: its answers.
        source: its requests.
        total: the number of requests that the progress was told.
        refused: how many of them, as it was told, could not be made.
    """

    entry: ModelEntry
    store: AnswerStore
    source: StudySource
    total: int = 0
    refused: int = 0

    def count(self, kept: KeySet) -> int:
        """How many of the requests are among ``kept``."""
        return self.source.keys.common(kept)

    def asks_engine(self) -> bool:
        """Whether an engine is to be asked, whose version can change the answers; the baselines have none."""
        return self.entry.model not in baselines() and not self.source.is_empty()

    def begin(self, progress: Progress) -> int:
        """Tell how far it is; gives how many requests are pending."""
        pending, self.total, self.refused = self.source.pending, len(self.source.keys), self.source.refused
        progress.start(self.entry.label, self.total, self.total - pending)
        return pending

    def keep(self, answers: Sequence[Answer], progress: Progress) -> None:
        """Store answers, make what follows from them, and tell how far it is."""
        self.store.append(answers)
        self.source.answered(answers)
        self.tell(answers, progress)

    def tell(self, answers: Sequence[Answer], progress: Progress) -> None:
        """Tell of stored answers, and of requests that came or could not be made since the last time."""
        if len(self.source.keys) > self.total:
            progress.grow(self.entry.label, len(self.source.keys) - self.total)
            self.total = len(self.source.keys)
        refused, self.refused = self.source.refused - self.refused, self.source.refused
        failed = sum(answer.error is not None for answer in answers)
        tokens = sum(answer.completion_tokens or 0 for answer in answers)
        if answers or refused:
            progress.advance(self.entry.label, len(answers) + refused, failed + refused, tokens)


def work_of(
    run: Run, plan: Plan, models: Sequence[ModelEntry], stop: Stop, *, retry_failed: bool = False
) -> list[Work]:
    """The work of each model of a run.

    Raises:
        RunError: requests or answers cannot be read.
    """
    planned, found = planned_keys(run), []
    for entry in models:
        store = run.answers(entry.label)
        run.notes += store.notes
        for note in store.notes:
            _log.warning("%s", note)
        asks = Asks(plan, planned, stop, retry_failed=retry_failed)
        found.append(Work(entry, store, StudySource(run, entry, store, asks)))
    return found


def ask(
    work: Sequence[Work], generation: Mapping[str, Any], executor: Executor, progress: Progress
) -> dict[str, str]:
    """Ask the models what has no answer yet, and store it batch by batch.

    Returns:
        Which models could not be loaded or broke, and why.

    Raises:
        ModelError: none of them could be loaded, and no stop was requested.
    """
    by_label = {each.entry.label: each for each in work}
    empty = {label for label, each in by_label.items() if each.source.is_empty()}
    counts = {label: each.begin(progress) for label, each in by_label.items()}
    jobs = [
        Job(each.entry, generation, each.source, counts[label])
        for label, each in by_label.items()
        if label not in empty
    ]
    broken: dict[str, ModelError] = {}
    if jobs:
        # closed in any case, so that actors do not outlive an error
        with closing(executor.run(jobs)) as batches:
            for label, given in batches:
                if isinstance(given, ModelError):
                    broken[label] = given
                    _log.warning("%s", given)
                else:
                    by_label[label].keep(given, progress)
    for label, each in by_label.items():
        each.tell((), progress)
        progress.finish(label)
    # a signal to all processes of a run ends engines as well: then it is a stop like any other
    if broken and len(broken) == len(work) and not any(each.source.stopped for each in work):
        raise next(iter(broken.values()))
    return {label: str(error) for label, error in broken.items()}
