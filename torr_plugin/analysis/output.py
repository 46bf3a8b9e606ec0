"""Writes an analysis: ``analysis.json``, its figures as tables for a spreadsheet, and as charts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.atomic_files import write_file
from ..core.errors import PluginError
from .charts.render import Drawn, draw
from .figure import Figure, figures, plugin_figures
from .options import ChartFormat
from .registered import own_figures
from .results import PLUGINS, AnalysisResults, as_results
from .table_files import Row, as_csv, markdown

LEFT_OUT = "left-out.txt"
"""Which charts a study lacks, and why."""

Analysis = AnalysisResults | Mapping[str, Any]


@dataclass(frozen=True)
class WrittenAnalysis:
    """The files that were written, and the charts that the study lacks.

    Attributes:
        paths: the files.
        left_out: what there is no chart of, and why, a line a reason; also in ``charts/left-out.txt``.
    """

    paths: tuple[Path, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class MadeTable:
    """A table.

    Attributes:
        stem: path in the folder of all tables without the ending, with slashes: ``label_keeping/figures``.
        about: a phrase that says what it holds; empty for most plugins' tables.
        header: names of the columns.
        rows: its rows.
        markdown: whether it is written as Markdown too.
    """

    stem: str
    about: str
    header: Row
    rows: Sequence[Row]
    markdown: bool = False


def analysis_json(analysis: Analysis, *, compact: bool = False) -> bytes:
    """The contents of ``analysis.json``; ``compact`` has no line breaks, and two thirds of the bytes."""
    plain = analysis.to_json() if isinstance(analysis, AnalysisResults) else analysis
    look: dict[str, Any] = {"separators": (",", ":")} if compact else {"indent": 1}
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, **look) + "\n"
    return text.encode("utf-8", "replace")


def write_analysis(
    analysis: Analysis, out: str | Path, *, charts: Sequence[ChartFormat] = ("svg",)
) -> WrittenAnalysis:
    """Write everything into a directory, which is made.

    ``analysis.json``, a CSV file a table (some as Markdown too), ``plugins/<name>.csv`` of plugins' figures,
    ``charts/<name>.svg``, and in ``charts/left-out.txt`` which charts the study lacks, and why. The figures
    over label-keeping perturbations alone, where there are such, are in ``label_keeping/`` and
    ``charts/label_keeping/``.

    Args:
        analysis: the results, or the contents of ``analysis.json``.
        out: the directory.
        charts: the formats in which they are drawn; none for no charts.

    Raises:
        OSError: the directory cannot be made or written; its ``filename`` says which path.
    """
    out, results = Path(out), as_results(analysis)
    paths = [write_file(out / "analysis.json", analysis_json(analysis))]
    for table in tables(results):
        paths.append(write_file(out / f"{table.stem}.csv", as_csv(table.header, table.rows)))
        if table.markdown:
            paths.append(write_file(out / f"{table.stem}.md", markdown(table.header, table.rows)))
    drawn = Drawn()
    if charts:
        drawn = draw({out / "charts" / folder: part for folder, part in results.parts().items()}, charts)
        lines = "".join(f"{line}\n" for line in drawn.left_out)
        paths.append(write_file(out / "charts" / LEFT_OUT, lines.encode("utf-8", "replace")))
    return WrittenAnalysis((*paths, *drawn.paths), drawn.left_out)


def tables(analysis: Analysis) -> Iterator[MadeTable]:
    """The tables of the figures, the same of the label-keeping part, and those of plugins' figures.

    Args:
        analysis: the results, or the contents of ``analysis.json``.
    """
    results = as_results(analysis)
    for folder, part in results.parts().items():
        for figure in own_figures():
            yield from _figure_tables(figure, part.get(figure), f"{folder}/" if folder else "")
    for figure in plugin_figures():
        if figure.key in results.plugins:
            yield from _plugin_tables(figure, results.plugins[figure.key])


def _figure_tables(figure: Figure[Any], result: Any, folder: str) -> Iterator[MadeTable]:
    for table in figure.tables if result is not None else ():
        part = table.part(result)
        if part:
            rows = [tuple(row) for row in table.rows(part)]
            about = "; ".join(filter(None, (table.about, table.over(result))))
            header = table.columns(part)
            if _says_something(header, rows):
                yield MadeTable(f"{folder}{table.name}", about, header, rows, table.markdown)


def _says_something(header: Row, rows: Sequence[Row]) -> bool:
    """Of one perturbation alone, say, no win rate has a value."""
    place = header.index("value") if "value" in header else None
    return place is None or any(row[place] is not None for row in rows)


def _plugin_tables(figure: Figure[Any], found: Any) -> list[MadeTable]:
    """A plugin's tables; one that says what is wrong where they cannot be made."""
    try:
        with figures.blamed(figure.key):
            return list(_figure_tables(figure, figure.from_json(found), f"{PLUGINS}/"))
    except PluginError as error:
        return [MadeTable(f"{PLUGINS}/{figure.key}", "", ("problem",), [(str(error),)])]
