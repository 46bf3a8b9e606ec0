"""What every chart says of its study: numbers of models, data sets, configurations, examples; intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..output.summary import ranked_models
from .names import labels

Analysis = Mapping[str, Any]
Row = dict[str, Any]


class Lacking(Exception):  # noqa: N818 (no error: a study need not have everything)
    """Why a study has no such chart, as the end of a sentence."""


def needed(analysis: Analysis, *path: str, why: str = "") -> Any:
    """What stands at a path of keys; ``why`` says what nothing there means.

    Raises:
        Lacking: nothing does.
    """
    here: Any = analysis
    for key in path:
        here = here.get(key) if isinstance(here, Mapping) else None
        if not here:
            raise Lacking(why or f"the analysis has no {'.'.join(path)}")
    return here


def unnamed(parts: str) -> str:
    """Why there is nothing per serializer or perturbation."""
    return f"the scores do not say the {parts} of all configurations"


def several(things: Iterable[Any], what: str) -> None:
    """Refuse a chart that compares things where there is one alone.

    Raises:
        Lacking: there are fewer than two.
    """
    if len(list(things)) < 2:
        raise Lacking(f"there is one {what} only")


def model_labels(analysis: Analysis) -> dict[str, str]:
    """Model -> label, best overall performance first."""
    return labels(ranked_models(analysis))


def dataset_labels(analysis: Analysis) -> dict[str, str]:
    """Data set -> label, in the study's order."""
    return labels(analysis["settings"]["examples"])


def known(figure: Mapping[str, Any] | None) -> Row | None:
    """A figure's value and interval, the bounds at the value where it has none; nothing without a value."""
    if not figure or figure.get("value") is None:
        return None
    value = figure["value"]
    low, high = figure.get("low"), figure.get("high")
    return {"value": value, "low": value if low is None else low, "high": value if high is None else high}


def basis(analysis: Analysis) -> str:
    """``14 models, 10 data sets, 35 configurations and 100 examples each``."""
    settings = analysis["settings"]
    datasets = len(settings["examples"])
    parts = [_count(settings["models"], "model"), _count(datasets, "data set")]
    each = f"{_range(settings['configurations'])} and {_range(settings['examples'], 'example')}"
    return ", ".join(parts) + f", {each}{' each' if datasets > 1 else ''}"


def intervals(analysis: Analysis) -> str:
    """``Lines: 95 % bootstrap intervals (1,000 resamples of the examples)``."""
    settings = analysis["settings"]
    drawn = "examples and configurations" if settings["two_way"] else "examples"
    return (
        f"Lines: {100 * settings['level']:g} % bootstrap intervals "
        f"({settings['resamples']:,} resamples of the {drawn})"
    )


def endless(analysis: Analysis, what: str) -> str:
    """What estimates of agreement are of: noise makes rankings agree less than the models deserve."""
    return f"the {what} that endless examples would show, {100 * analysis['settings']['level']:g} % intervals"


def without_noise(figure: Mapping[str, Any] | None) -> Row | None:
    """As :func:`known`, of the estimate with its interval; the value of the scores stands in ``seen``."""
    if not figure or not (row := known(figure)):
        return None
    estimate = figure.get("estimate")
    return {**row, "value": row["value"] if estimate is None else estimate, "seen": row["value"]}


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _range(counts: Mapping[str, int], what: str = "configuration") -> str:
    low, high = min(counts.values()), max(counts.values())
    return _count(low, what) if low == high else f"{low:,} to {high:,} {what}s"
