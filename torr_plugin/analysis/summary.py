"""The leaderboard in rows, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .added import added_lines
from .number_format import format_interval, format_ranks, format_value


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


def findings(analysis: Mapping[str, Any]) -> list[str]:
    """What a study shows beside its leaderboard: the most telling figures, a line of 80 characters each."""
    settings = analysis["settings"]
    counts = {name: sorted(set(settings[name].values())) for name in ("configurations", "examples")}
    shown = {
        name: "-".join(str(n) for n in dict.fromkeys((values[0], values[-1])))
        for name, values in counts.items()
    }
    return [
        f"over {_count(str(len(settings['examples'])), 'data set')}, "
        f"{_count(shown['configurations'], 'configuration')}, {_count(shown['examples'], 'example')} each; "
        f"{100 * settings['level']:g} % intervals",
        *_separability(analysis),
        *_agreement(analysis),
        *_range(analysis),
        *_coefficient(analysis),
        *added_lines(analysis),
    ]


def _count(number: str, what: str) -> str:
    return f"{number} {what}{'' if number == '1' else 's'}"


def _separability(analysis: Mapping[str, Any]) -> list[str]:
    found = analysis["separability"]["overall"]
    if not found["pairs"] or found["value"] is None or found["paired"] is None:
        return []
    return [
        f"told apart: {found['value']:.0%} of {_count(str(found['pairs']), 'pair')} by intervals, "
        f"{found['paired']:.0%} by paired tests (Holm)"
    ]


def _agreement(analysis: Mapping[str, Any]) -> list[str]:
    found = analysis["configuration_agreement_intervals"]["overall"]
    if found["value"] is None:
        return []
    said = (
        f"agreement of single configurations (Kendall's W): {format_value(found['value'])}, "
        f"by chance {format_value(found['chance'])}"
    )
    if found["estimate"] is None:
        return [said]
    # the interval is of the estimate: the value of the scores may lie beside it
    estimate = format_interval(found["estimate"], found["low"], found["high"])
    return [said, f"the same, had each data set endless examples: {estimate}"]


def _range(analysis: Mapping[str, Any]) -> list[str]:
    """Of the model whose best and worst configuration lie farthest apart."""
    overall = {model: found["overall"] for model, found in analysis["configuration_range"].items()}
    ranges = {
        model: found["range"]["value"] or 0.0 for model, found in overall.items() if found and found["range"]
    }
    widest = max(ranges.values(), default=0.0)
    if not widest:
        return []
    mean = sum(ranges.values()) / len(ranges)
    return [f"best less worst configuration of a model: {mean:.3f} on average, {widest:.3f} at most"]


def _coefficient(analysis: Mapping[str, Any]) -> list[str]:
    found = analysis["generalizability"]["overall"]["coefficient"]
    if found["value"] is None:
        return []
    return [f"reliability of the ranking (generalizability): {format_interval(*_three(found))}"]


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
