"""The leaderboard in rows, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .format import format_interval, format_ranks, format_value


def ranked_models(analysis: Mapping[str, Any]) -> list[str]:
    """The models, best overall performance first, then in the study's order; those without one last."""
    performance: Mapping[str, Any] = analysis["performance"]
    values = {model: figure["overall"]["value"] for model, figure in performance.items()}
    return sorted(values, key=lambda model: -1.0 if values[model] is None else -values[model] - 2.0)


def summary_rows(analysis: Mapping[str, Any]) -> list[dict[str, str]]:
    """A row a model, best first: performance and robustness with their intervals, worst, best and places.

    An asterisk marks figures over a cube with holes; ``holes`` of the analysis names them.
    """
    return [_row(analysis, model) for model in ranked_models(analysis)]


def _row(analysis: Mapping[str, Any], model: str) -> dict[str, str]:
    figure = {
        name: analysis[name][model]["overall"] for name in ("performance", "robustness", "worst", "best")
    }
    mark = "" if figure["performance"].get("complete", True) else " *"
    return {
        "model": model,
        "performance": format_interval(*_three(figure["performance"])) + mark,
        "robustness": format_interval(*_three(figure["robustness"])) + mark,
        "worst": format_value(*_three(figure["worst"])),
        "best": format_value(*_three(figure["best"])),
        "rank": format_ranks(analysis["rank_intervals"][model]),
    }


def _three(figure: Mapping[str, Any]) -> tuple[float | None, float | None, float | None]:
    return figure["value"], figure["low"], figure["high"]
