"""Designs within formats, as a person reads them: "Table Meets LLM", Tables 3 and 9."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ...analysis.figures.designs import DESIGNS
from ...analysis.number_format import ABSENT, format_signed, format_value
from ...analysis.result import OVERALL
from ..results import columns, results
from .tables import cell_text, show_sections

if TYPE_CHECKING:
    from ...analysis import AnalysisResults
    from ...analysis.figures.design_differences import DesignContrast
    from ...analysis.figures.design_table import DesignRow

MOST_MODELS = 3
"""Of more, the table is in the files alone."""

_LEFT = ("format", "design", "")


def show_designs(found: AnalysisResults) -> None:
    """Show a table a model: a row a design of a format, its average, and what it changes against its base.

    Beside these stand the data sets, where all of them fit.
    """
    designs = found.get(DESIGNS)
    by_model = groupby(designs.rows() if designs else (), lambda row: row.model)
    sections = [(f"Designs within formats, {model}:", _table(list(rows))) for model, rows in by_model]
    if sections and len(sections) <= MOST_MODELS:
        results().write("\n")
        show_sections(sections, left=_LEFT)


def _table(rows: Sequence[DesignRow]) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = []
    for serializer, group in groupby(rows, lambda row: row.serializer):
        shown += [_row(row, "" if number else serializer) for number, row in enumerate(group)]
    places = list(dict.fromkeys(place for row in rows for place in row.scores if place != OVERALL))
    whole = [{**one, **_by_place(row, places)} for one, row in zip(shown, rows, strict=True)]
    return whole if len(places) > 1 and _width(whole) <= columns() else shown


def _row(row: DesignRow, serializer: str) -> dict[str, Any]:
    score, change = row.scores.get(OVERALL), row.differences.get(OVERALL)
    return {
        "format": serializer,
        "design": row.design,
        "average": ABSENT if score is None else format_value(score.value),
        "difference": "" if change is None else format_signed(change.value, change.low, change.high),
        "": "" if change is None else _verdict(change),
    }


def _verdict(change: DesignContrast) -> str:
    """What the test bears after Holm's correction."""
    return ("lower" if (change.value or 0.0) < 0 else "higher") if change.claimed else ""


def _by_place(row: DesignRow, places: Sequence[str]) -> dict[str, str]:
    """Score and difference on each data set: ``0.967 +0.013``."""
    cells = {}
    for place in places:
        score, change = row.scores.get(place), row.differences.get(place)
        text = ABSENT if score is None else format_value(score.value)
        cells[place] = f"{text} {format_signed(change.value, None, None)}" if change else text
    return cells


def _width(rows: Sequence[Mapping[str, Any]]) -> int:
    """Columns of a terminal, with gaps of one."""
    return sum(max(len(name), *(len(cell_text(row[name])) for row in rows)) + 1 for name in rows[0])
