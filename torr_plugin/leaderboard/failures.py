"""Requests of a run that have no answer: failed ones with their errors, and ones not asked yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.redaction import without_homes

if TYPE_CHECKING:
    from ..running import Run

MOST_ERRORS = 5


@dataclass(frozen=True)
class ModelFailures:
    """A model's requests without an answer.

    ``errors`` are the most frequent errors and how often each came, at most ``MOST_ERRORS``; ``kinds`` is how
    many different ones there are.
    """

    model: str
    asked: int
    failed: int
    unanswered: int
    errors: tuple[tuple[str, int], ...]
    kinds: int


def failures(run: Run) -> Iterator[ModelFailures]:
    """One entry for each model of the run, also for those without a failure.

    Raises:
        RunError: requests or answers are damaged.
    """
    for model in run.models():
        keys = run.keys(model)
        answers = run.predictions(model, ["key", "error"])
        kinds = {error: without_homes(error) for error in answers["error"].unique().drop_null().to_pylist()}
        asked = keys.contained(answers["key"].to_pylist())
        errors = Counter(
            kinds[error]
            for error, inside in zip(answers["error"].to_pylist(), asked, strict=True)
            if inside and error is not None
        )
        yield ModelFailures(
            model=model,
            asked=len(keys),
            failed=errors.total(),
            unanswered=len(keys) - sum(asked),
            errors=tuple(errors.most_common(MOST_ERRORS)),
            kinds=len(errors),
        )
