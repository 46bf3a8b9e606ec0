"""The prompts of a judge of any kind: how many are left to send and what they cost, and sending them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import RunError
from ...recipes import estimate_tokens, text_of
from ...running import Run, check_models
from ...running.asking import PromptList, ask_prompts, predictions_in
from ...running.progress import Progress
from ...running.store.manifest import folder_name
from .notes import named_judge
from .rows import JUDGED

if TYPE_CHECKING:
    from ...prompts import Prompt
    from ...recipes import ModelEntry
    from ...running.executors import RayCluster


def judge_generation(max_tokens: int) -> dict[str, Any]:
    """How a judge answers: without chance, and without stop texts."""
    return {"max_tokens": max_tokens, "temperature": 0.0, "until": []}


def checked_judge(judge: ModelEntry, kind: str) -> ModelEntry:
    """The judge with a name of its own for its kind, see :func:`.named_judge`.

    Raises:
        ModelError: the judge or an argument is unknown.
    """
    named = named_judge(judge, kind)
    check_models([named], here=False)  # with all verdicts there, what it needs may be gone
    return named


@dataclass(frozen=True)
class UnsentPrompts:
    """Prompts in all and those answered; tokens of the others and their answers, in dollars if priced."""

    requests: int
    answered: int
    tokens: int
    answer_tokens: int
    cost: float | None


@dataclass(frozen=True)
class VerdictPrompts:
    """A judge's prompts by their keys; ``record`` tells in ``judge.yaml`` what kind of judgement it is."""

    run: Run
    judge: ModelEntry
    generation: Mapping[str, Any]
    wanted: Mapping[str, Prompt]
    record: Mapping[str, str]

    @property
    def folder(self) -> Path:
        """Where its answers are: ``RUN/judged/<judge>``."""
        return self.run.path / JUDGED / folder_name(self.judge.label)

    def unsent(self) -> UnsentPrompts:
        """What is left to send."""
        try:
            there = predictions_in(self.folder) if self.folder.exists() else {}
        except RunError:  # damaged replies are set aside, and asked for again
            there = {}
        left = [prompt for key, prompt in self.wanted.items() if key not in there]
        tokens = sum(estimate_tokens(text_of(prompt)) for prompt in left)
        most, price = len(left) * int(self.generation["max_tokens"]), self.judge.price
        cost = None if price is None else price.of_prompts(tokens) + price.of_answers(most)
        return UnsentPrompts(len(self.wanted), len(self.wanted) - len(left), tokens, most, cost)

    def send(
        self, *, executor: str | RayCluster, progress: Progress | None, retry_failed: bool
    ) -> Collection[str]:
        """Ask what has no answer yet, and keep the answers; gives the keys that failed.

        Raises:
            ModelError: the judge cannot be loaded; what was judged before is kept.
            Interrupted: Ctrl-C; what was judged is kept.
        """
        # answers at another price are the same answers
        judge = self.judge.model_copy(update={"price": None})
        listed = PromptList(judge, dict(self.wanted), self.folder, "judge", dict(self.record))
        failed = ask_prompts(
            [listed],
            self.generation,
            kept=self.folder,
            executor=executor,
            progress=progress,
            retry_failed=retry_failed,
        )
        return failed[self.judge.label]
