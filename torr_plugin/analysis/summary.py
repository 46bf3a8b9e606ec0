"""The leaderboard and the most telling figures in lines, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.errors import PluginError, counted
from ..core.names import faithful_name
from .figure import Figure, figures, plugin_figures
from .figures.endings import ENDINGS, ending_lines
from .figures.findings import FINDINGS
from .figures.format_following import FORMAT_FOLLOWING, other_format_lines
from .figures.model_scores import MODEL_SCORES
from .figures.pairs import RANK_INTERVALS
from .figures.settings import SETTINGS
from .number_format import format_interval, format_range, format_ranks, format_value
from .options import Settings
from .registered import own_figures
from .result import Bounds
from .results import AnalysisResults, as_results


def ranked_models(analysis: AnalysisResults | Mapping[str, Any]) -> list[str]:
    """The models, best overall performance first, then in the study's order; those without one last."""
    return as_results(analysis)[MODEL_SCORES].ranked()


def summary_rows(analysis: AnalysisResults | Mapping[str, Any]) -> list[dict[str, str]]:
    """A row a model, best first: performance and robustness with their intervals, and ranks.

    ``robustness_5``, which studies of other configurations share, has the interval where some model has one,
    with ToRR's robustness beside it; else ToRR's has it, with worst and best. Where the lenient scores are
    others than the faithful ones, the one that is not the main one stands in place of ToRR's robustness, or
    of the best. So a row fits 80 columns.
    An asterisk marks figures over a cube with holes; ``holes`` of the analysis names them.
    """
    results = as_results(analysis)
    scores = results[MODEL_SCORES]
    rarefied = any(figure.overall.value is not None for figure in scores.robustness_5.values())
    shown = _RAREFIED if rarefied else _PLAIN
    other = _other_scoring(results)
    if other:
        shown = dict(list(shown.items())[:-1])
    return [_row(results, model, shown, other) for model in scores.ranked()]


def _other_scoring(results: AnalysisResults) -> str:
    """Which of faithful and lenient is not the main score, where a model's are written differently; or ""."""
    found = results.get(FORMAT_FOLLOWING) or {}
    written = (
        (format_value(*_three(own.overall.faithful)), format_value(*_three(own.overall.lenient)))
        for own in found.values()
    )
    if all(faithful == lenient for faithful, lenient in written):
        return ""
    metrics = results[SETTINGS].metrics.values()
    return "lenient" if all(name == faithful_name(name) for name in metrics) else "faithful"


def remarks(analysis: AnalysisResults | Mapping[str, Any]) -> list[str]:
    """What stands right below the leaderboard, a line of 80 characters each.

    The models with answers that did not end as they should, and those whose answers are all in another format
    than a metric takes.
    """
    results = as_results(analysis)
    ended, followed = results.get(ENDINGS), results.get(FORMAT_FOLLOWING)
    return (ending_lines(ended) if ended else []) + (other_format_lines(followed) if followed else [])


def main_findings(analysis: AnalysisResults | Mapping[str, Any]) -> list[str]:
    """What a study shows in words: who is best, which formats and layouts matter; lines of 80 characters.

    They are among those of :func:`findings`.
    """
    return FINDINGS.lines(as_results(analysis).get(FINDINGS) or [])


_RAREFIED = {"performance": True, "robustness_5": True, "robustness": False}
_PLAIN = {"performance": True, "robustness": True, "worst": False, "best": False}
"""Columns, and whether they hold an interval."""


def findings(analysis: AnalysisResults | Mapping[str, Any]) -> list[str]:
    """What a study shows beside its leaderboard: the most telling figures, a line of 80 characters each."""
    results = as_results(analysis)
    lines = [_basis(results[SETTINGS])]
    for figure in own_figures():
        result = results.get(figure)
        lines += figure.lines(result) if result is not None else []
    for figure in plugin_figures():
        if figure.key in results.plugins:
            lines += _plugin_lines(figure, results.plugins[figure.key])
    return lines


def _basis(settings: Settings) -> str:
    configurations, examples = (
        format_range(own.values(), "-") for own in (settings.configurations, settings.examples)
    )
    return (
        f"over {counted(len(settings.examples), 'data set')}, "
        f"{counted(configurations, 'configuration')}, {counted(examples, 'example')} each; "
        f"{100 * settings.level:g}% intervals"
    )


def _plugin_lines(figure: Figure[Any], found: Any) -> list[str]:
    try:
        with figures.blamed(figure.key):
            return [" ".join(line.split())[:200] for line in figure.lines(figure.from_json(found))]
    except PluginError as error:
        return [str(error)]


def _row(results: AnalysisResults, model: str, shown: Mapping[str, bool], other: str) -> dict[str, str]:
    figures_of = {name: models[model].overall for name, models in results[MODEL_SCORES].statistics().items()}
    mark = "" if figures_of["performance"].complete else " *"
    cells = {
        name: format_interval(*_three(figures_of[name])) + mark
        if interval
        else format_value(*_three(figures_of[name]))
        for name, interval in shown.items()
    }
    if other:
        overall = getattr(results[FORMAT_FOLLOWING][model].overall, other)
        cells = {"performance": cells.pop("performance"), other: format_value(*_three(overall)), **cells}
    return {"model": model, **cells, "rank": format_ranks(results[RANK_INTERVALS].rank_intervals[model])}


def _three(figure: Bounds) -> tuple[float | None, float | None, float | None]:
    return figure.value, figure.low, figure.high
