"""What an engine was given and has not answered yet, and the answers that are not given on yet."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .answer import MOST_ERROR_CHARACTERS, Answer, storable
from .asked import Asked
from .contexts import Contexts, Failure
from .engines import Generated, Task
from .generation import lm_eval_arguments

SECONDS_A_BATCH = 5.0
# while the engine could use what may follow from the answers
SECONDS_A_BATCH_AWAITED = 0.25
MOST_A_BATCH = 4096
# how servers call an answer that they held back
_REFUSALS = frozenset({"content_filter", "refusal"})


class Batch:
    """Answers that are not given yet: kept some seconds, so that they are not stored one by one."""

    def __init__(self) -> None:
        self._answers, self._since = list[Answer](), time.monotonic()

    def add(self, answers: list[Answer]) -> None:
        """Keep answers."""
        self._answers += answers

    def is_due(self, *, idle: bool, awaited: bool) -> bool:
        """Whether to give them now.

        Args:
            idle: the engine has nothing to do.
            awaited: it could use more, which may follow from these answers.
        """
        if not self._answers:
            return False
        most = SECONDS_A_BATCH_AWAITED if awaited else SECONDS_A_BATCH
        return idle or len(self._answers) >= MOST_A_BATCH or time.monotonic() - self._since >= most

    def given(self) -> list[Answer]:
        """All of them; none is kept."""
        answers, self._answers, self._since = self._answers, [], time.monotonic()
        return answers


class UnderWay:
    """The requests that an engine has, by number."""

    def __init__(self, contexts: Contexts, generation: Mapping[str, Any]) -> None:
        self._contexts, self._study = contexts, generation
        self._arguments = lm_eval_arguments(generation)
        self._asked: dict[int, tuple[str, float]] = {}
        self._next = 0

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._asked)

    def begin(self, asked: Sequence[Asked]) -> tuple[list[Task], list[Answer]]:
        """Tasks for the engine, and the answers of those requests that cannot be asked."""
        tasks, refused = list[Task](), list[Answer]()
        now = time.monotonic()
        for each in asked:
            context = self._contexts.of(each.prompt)
            if isinstance(context, Failure):
                refused.append(Answer(each.key, None, error=storable(context.reason)))
                continue
            tasks.append(Task(self._next, context, self._generation_of(each)))
            self._asked[self._next] = each.key, now
            self._next += 1
        return tasks, refused

    def _generation_of(self, asked: Asked) -> Mapping[str, Any]:
        if asked.generation is None:
            return self._arguments
        return lm_eval_arguments({**self._study, **asked.generation})

    def forget(self, numbers: Iterable[int]) -> None:
        """These are not asked any more, and have no answer."""
        for number in numbers:
            self._asked.pop(number, None)

    def end(self, finished: Sequence[tuple[int, Generated | Failure]]) -> list[Answer]:
        """The answers of what the engine has finished; what it tells a second time is left out."""
        now = time.monotonic()
        answers = []
        for number, found in finished:
            if number in self._asked:
                key, since = self._asked.pop(number)
                answers.append(_answer(key, found, now - since))
        return answers


def _answer(key: str, found: Generated | Failure, seconds: float) -> Answer:
    if isinstance(found, Failure):
        return Answer(
            key, None, error=storable(found.reason), seconds=seconds, prompt_tokens=found.prompt_tokens
        )
    refused = found.finish_reason in _REFUSALS
    return Answer(
        key,
        None if refused else storable(found.text),
        error=_refusal(found) if refused else None,
        seconds=seconds,
        prompt_tokens=found.prompt_tokens,
        completion_tokens=found.completion_tokens,
        finish_reason=found.finish_reason,
        cached_tokens=found.cached_tokens,
    )


def _refusal(found: Generated) -> str:
    said = " ".join(found.text.split())
    return storable(f"refused: {said or found.finish_reason}", MOST_ERROR_CHARACTERS)
