"""What a metric promises."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .running import fails

if TYPE_CHECKING:
    from ..scoring.metrics import Metric

_ANSWERS = ("", " ", "Paris", "paris.", "42", "-1,234.5", "1 | 2 || 3", "NaN", "א\n\t🏳️‍🌈", "x" * 20_000)
_REFERENCES = (["Paris"], ["42"], ["1", "1.0"], [""], ["{a | b}"])


def check_metric(metric: Metric, *, facts: Mapping[str, str] | None = None) -> None:
    """Check a metric on odd answers: scores in [0, 1], always the same names, ``main`` among them, no chance.

    A reference itself scores at least as much as the empty answer.

    Args:
        metric: the metric.
        facts: for one that ``needs`` any; their values hold for every reference that is tried.

    Raises:
        AssertionError: what it does not keep, with the answer and the references.
    """
    from ..scoring.metrics import needs_of

    fails(not getattr(metric, "name", ""), "a metric has a name of its own; found none")
    absent = [name for name in needs_of(metric) if name not in (facts or {})]
    fails(bool(absent), f"{metric.name!r} needs the facts {absent}; give check_metric values for them")
    names: list[str] | None = None
    for references in _REFERENCES:
        empty = _scores(metric, "", references, facts)
        for answer in (*_ANSWERS, *references):
            scores = _scores(metric, answer, references, facts)
            names = names or list(scores)
            where = f"on {answer[:40]!r} for {references!r}"
            fails(
                list(scores) != names,
                f"{metric.name!r} gives other scores {where}: {list(scores)}, not {names}",
            )
            fails(metric.main not in scores, f"{metric.name!r} gives no score {metric.main!r}, its main one")
            again = _scores(metric, answer, references, facts)
            fails(
                json.dumps(again) != json.dumps(scores),
                f"{metric.name!r} gives other values when asked again",
            )
            worse = answer in references and answer != "" and scores[metric.main] < empty[metric.main]
            fails(worse, f"{metric.name!r} scores the reference below the empty answer {where}")


def _scores(
    metric: Metric, answer: str, references: list[str], facts: Mapping[str, str] | None
) -> dict[str, Any]:
    from ..scoring.metrics import check_scores, rate

    try:
        scores = rate(metric, answer, references, facts or {})
        check_scores(scores)
    except Exception as error:
        raise AssertionError(
            f"{metric.name!r} on {answer[:40]!r} for {references!r}: {type(error).__name__}: {error}"
        ) from error
    return dict(scores)
