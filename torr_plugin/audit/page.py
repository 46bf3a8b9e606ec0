"""The page of an audit, and of a gate: one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from .. import __version__
from ..leaderboard.text import breakable, page_templates
from .gating import Gate
from .result import POINTS, Audit, AuditedModel, AuditedPlace
from .sentences import (
    cell_name,
    gate_sentence,
    headlines,
    limits_text,
    more_text,
    place_title,
    ranks_text,
    score_text,
)

MOST_MODELS, MOST_OF_TASK, MOST_PAIRS = 500, 50, 50
"""Rows of a table on the page; all are in the CSV files."""


def audit_page(audit: Audit) -> str:
    """The page of an audit."""
    return _template().render(
        audit=audit,
        places=[_shown(place, audit, MOST_MODELS) for place in audit.judged],
        tasks=[_shown(task, audit, MOST_OF_TASK) for task in audit.tasks if task not in audit.judged],
        notes=audit.notes,
    )


def gate_page(found: Gate) -> str:
    """The page of a gate."""
    return _template().render(gate=found, gate_sentence=gate_sentence(found), notes=found.notes)


def _template() -> jinja2.Template:
    templates = page_templates(Path(__file__).parent)
    templates.filters.update(breakable=breakable, limits=limits_text, cell_name=cell_name)
    templates.filters.update(more=more_text)
    templates.globals.update(version=__version__, points=POINTS)
    return templates.get_template("page.html")


def _shown(place: AuditedPlace, audit: Audit, most: int) -> dict[str, Any]:
    models = place.models[:most]
    low, high = _axis(models)
    return {
        "title": place_title(place, audit),
        "sentences": headlines(audit, place),
        "groups": _groups(place, models, low, high),
        "axis": (place.scale.text(low, low, high), place.scale.text(high, low, high)),
        "left": len(place.models) - len(models),
        "pairs": [
            {"pair": pair, "difference": place.scale.with_interval(pair.difference, pair.low, pair.high)}
            for pair in place.neighbours
            if not pair.separated
        ][:MOST_PAIRS],
        "open": sum(not pair.separated for pair in place.neighbours),
    }


def _axis(models: Sequence[AuditedModel]) -> tuple[float, float]:
    """The ends of the bars: all intervals, and all scores without one."""
    ends = [end for model in models for end in (model.low, model.high, model.score) if end is not None]
    low, high = min(ends), max(ends)
    return low, high if high > low else low + 1


def _groups(
    place: AuditedPlace, models: Sequence[AuditedModel], low: float, high: float
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for model in models:
        if not found or found[-1]["number"] != model.group:
            found.append(
                {"number": model.group, "size": len(place.groups[(model.group or 1) - 1]), "rows": []}
            )
        ends = [model.score if end is None else end for end in (model.low, model.high)]
        start, end, at = (100 * (each - low) / (high - low) for each in (*ends, model.score))
        found[-1]["rows"].append(
            {
                "model": model,
                "score": score_text(place, model),
                "interval": place.scale.interval(model.low, model.high),
                "ranks": ranks_text(model),
                "bar": (f"{start:.2f}", f"{max(end - start, 0):.2f}", f"{at:.2f}"),
            }
        )
    return found
