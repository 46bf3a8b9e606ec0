"""The vote: how often each answer was given, times a judge's score (RealHiTBench, section 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Alternative:
    """A distinct answer.

    Attributes:
        answer: as the first of its models wrote it.
        models: the labels of those that gave it.
        asked: the number of models that were asked.
        score: the judge's, from 0 to 100; None where it gave none.
        values: of a program, what its chart shows: a list of numbers.
    """

    answer: str
    models: tuple[str, ...]
    asked: int
    score: float | None = None
    values: str = ""

    @property
    def final(self) -> float | None:
        """Share of the models that gave the answer, times the judge's score: from 0 to 100."""
        return None if self.score is None else len(self.models) / self.asked * self.score


def distinct(answers: Mapping[str, str | None], key: Callable[[str], str]) -> list[Alternative]:
    """The distinct answers, in the order in which they come first.

    Args:
        answers: model -> its answer; None where it gave none.
        key: what equal answers share.
    """
    models: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for model, answer in answers.items():
        if answer is not None:
            models.setdefault(key(answer), []).append(model)
            first.setdefault(key(answer), answer)
    return [Alternative(first[each], tuple(by), len(answers)) for each, by in models.items()]


def with_scores(alternatives: Iterable[Alternative], scores: Mapping[str, float]) -> list[Alternative]:
    """Alternatives with the judge's scores, given by answer; those of answers without one stay None."""
    return [replace(each, score=scores.get(each.answer)) for each in alternatives]


def ranked(alternatives: Iterable[Alternative]) -> list[Alternative]:
    """Alternatives, the candidate first.

    The highest final score comes first. Ties go to the answer that more models gave, and then to the one that
    came first. An answer that the judge did not score comes after all that it did.
    """
    return sorted(
        alternatives,
        key=lambda each: (each.final is None, -(each.final or 0.0), -len(each.models)),
    )
