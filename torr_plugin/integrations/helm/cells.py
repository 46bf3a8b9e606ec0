"""A figure as a cell of HELM's tables: the value, its interval, and whether there are holes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_NAMED = 10
"""Configurations with holes that a description names."""

_HOLES = "torr_holes"
_PREFIX = "torr_"


def shown(
    name: str, figures: Mapping[str, Any], model: str, dataset: str | None
) -> tuple[float | None, str, str]:
    """Value, text and description of a cell.

    Args:
        name: as in :data:`.names.FIGURES`.
        figures: of :func:`.measured.study_figures`.
        model: a row's.
        dataset: a column's; None for all data sets together.

    Returns:
        The value (None: no figure), the text to show for it, and a description; a star stands at a figure
        with holes, and one over fewer configurations than the study has says over how many: a range over
        fewer looks more robust.
    """
    told = _told(figures, model, dataset)
    if name == _HOLES:
        count = _missing(figures, model, dataset)
        return float(count), str(count), told
    found = figures[name.removeprefix(_PREFIX)][model]
    figure = found["overall"] if dataset is None else found["datasets"][dataset]
    mark = ("" if figure.get("complete", True) else "*") + _partly(figures, dataset)
    if figure["value"] is None:
        return None, f"none{mark}", told
    return figure["value"], f"{figure['value']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]{mark}", told


def _partly(figures: Mapping[str, Any], dataset: str | None) -> str:
    of_study: Mapping[str, int] = figures.get("of_study", {})
    asked = {name: len(configs) for name, configs in figures["configurations"].items()}
    datasets = list(of_study) if dataset is None else [dataset]
    run = sum(asked.get(name, 0) for name in datasets)
    whole = sum(of_study.get(name, run) for name in datasets)
    return f" ({run} of {whole} configurations)" if run < whole else ""


def _missing(figures: Mapping[str, Any], model: str, dataset: str | None) -> int:
    return sum(int(gap["missing"]) for gap in _gaps(figures, model, dataset))


def _gaps(figures: Mapping[str, Any], model: str, dataset: str | None) -> list[Mapping[str, Any]]:
    return [
        gap
        for gap in figures["holes"]["cells"]
        if gap["model"] == model and dataset in (None, gap["dataset"])
    ]


def _told(figures: Mapping[str, Any], model: str, dataset: str | None) -> str:
    datasets = list(figures["examples"]) if dataset is None else [dataset]
    lines = [_counted(figures, model, each) for each in datasets]
    gaps = _gaps(figures, model, dataset)
    named = [
        f"{gap['dataset']} {gap['config']}: {gap['missing']} of {gap['of']}" for gap in gaps[:MOST_NAMED]
    ]
    more = [f"and {len(gaps) - MOST_NAMED} more"] if len(gaps) > MOST_NAMED else []
    lines += ["*missing: " + "; ".join([*named, *more])] if gaps else []
    return "\n".join(lines)


def _counted(figures: Mapping[str, Any], model: str, dataset: str) -> str:
    counts, configs = figures["examples"][dataset][model], len(figures["configurations"][dataset])
    whole = figures.get("of_study", {}).get(dataset, configs)
    over = f"{counts['of']} examples"
    if counts["whole"] < counts["of"]:
        over = f"the {counts['whole']} of {counts['of']} examples without a hole"
    return f"{dataset}: {configs} of the study's {whole} configurations, over {over}"
