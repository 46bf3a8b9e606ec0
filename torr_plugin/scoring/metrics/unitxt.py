"""unitxt's own metrics, one example at a time, for cards whose metric this project does not have.

``metrics.get("unitxt:metrics.token_overlap")`` gives a metric like any other. unitxt is imported
when the first example is scored, so naming one is cheap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any

from ...catalog.folders import unitxt_file, unitxt_names
from ...catalog.unitxt_examples import preserved_global_state
from ...core.errors import InputError, UnknownNameError
from .base import Metric

PREFIX = "unitxt:"
_ASKS_A_MODEL = re.compile(r"inference_|engines\.|llm_|llmaj|llama_index|granite_guardian")
"""In the names and files of metrics that ask a model, mostly a provider's, with a key of the environment."""


class UnitxtMetric(Metric):
    """A metric of unitxt's catalog, computed by unitxt's own class.

    Formula and reading are unitxt's; the one score is unitxt's main one. A metric that needs more than an
    answer and its references (other fields, a download, a package) says so when it is first used; one
    that asks a model is refused, as a card is a stranger's. There is no lenient score beside it.
    """

    answer_form = "whole"

    def __init__(self, name: str) -> None:
        self.name = PREFIX + name  # type: ignore[misc]  # one class, many metrics
        self._catalog_name = name

    @cached_property
    def main(self) -> str:  # type: ignore[override]
        """The score's name, as unitxt has it."""
        return str(self._unitxt.main_score)

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """Unitxt's main score of one example.

        Raises:
            InputError: unitxt cannot compute it, or it lies outside [0, 1].
        """
        score = _example_score(self._unitxt, prediction, list(references), self.name)
        if not 0 <= score <= 1:
            raise InputError(f"metric {self.name!r} gave {score:g}; a score must lie between 0 and 1")
        return {self.main: score}

    @cached_property
    def _unitxt(self) -> Any:
        try:
            with preserved_global_state():
                from unitxt.artifact import fetch_artifact

                return fetch_artifact(self._catalog_name)[0]
        except (
            Exception
        ) as error:  # a package or a download that is missing; each metric has its own exceptions
            raise InputError(f"metric {self.name!r}: unitxt could not load it: {_one_line(error)}") from error


@lru_cache(maxsize=64)
def _cached_metric(name: str) -> UnitxtMetric:
    file = unitxt_file(name)
    if file is not None and _ASKS_A_MODEL.search(name + file.read_text(encoding="utf-8")):
        raise InputError(f"metric {PREFIX + name!r} asks a model; expected one among a recipe's 'judges'")
    return UnitxtMetric(name)


def unitxt_metric(name: str, known: Iterable[str]) -> UnitxtMetric:
    """Unitxt's metric ``name``, e.g. ``metrics.squad`` or ``squad``.

    Raises:
        UnknownNameError: unitxt's catalog has no such metric; the message suggests its names and ``known``.
        InputError: it asks a model.
    """
    full = name if name.startswith("metrics.") else f"metrics.{name}"
    if not in_catalog(full):
        raise UnknownNameError(
            "metric", PREFIX + full, [*known, *(PREFIX + other for other in _catalog_names())]
        )
    return _cached_metric(full)


def in_catalog(name: str) -> bool:
    """Whether unitxt's catalog has ``name`` (``metrics.squad``), without importing unitxt."""
    return name in _catalog_names()


@lru_cache(maxsize=1)
def _catalog_names() -> frozenset[str]:
    return frozenset(unitxt_names("metrics"))


def _example_score(metric: Any, prediction: str, references: list[str], name: str) -> float:
    """The main score of one example, computed by unitxt's own pipeline."""
    from unitxt.stream import MultiStream

    example = {"prediction": prediction, "references": references, "task_data": {}}
    try:
        scored = next(iter(metric(MultiStream.from_iterables({"test": [example]}, copying=True))["test"]))
        return float(scored["score"]["instance"]["score"])
    except Exception as error:  # unitxt's metrics raise anything, including Exception itself
        raise InputError(f"metric {name!r}: unitxt could not score an example: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    """The message itself; unitxt puts it under a box of context."""
    message = str(getattr(error, "original_error", None) or error) or type(error).__name__
    return " ".join(message.split())[:300]
