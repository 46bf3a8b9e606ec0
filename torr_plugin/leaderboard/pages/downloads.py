"""Everything in a study as files: figures, tables in three formats, charts, scores, the recipe."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa

from ...analysis import tables_as
from ...analysis.figure import figures
from ...analysis.output import analysis_json
from ...analysis.table_files import Format, written_as
from ..chart_files import CHARTS_FOLDER, DrawnCharts
from ..facts import recipe_to_run_again
from ..files import DataFile, PageFile, SiteFile
from ..study import Study
from ..text import slug

FORMATS = {"csv": "CSV", "json": "JSON", "parquet": "Parquet"}
"""Endings, as readers know them."""
MOST_AS_TEXT = 100_000
"""Battles that are also offered as CSV and JSON; of more there is Parquet alone."""
_KEPT = "Over label-keeping perturbations only"


@dataclass(frozen=True)
class Offer:
    """A file to be downloaded: its path from the study's downloads, and its size as text."""

    path: str
    size: str


@dataclass(frozen=True)
class TableOffer:
    """A table: its name, what it holds, how many rows as text, and the formats' files."""

    name: str
    words: str
    rows: str
    formats: dict[str, Offer]


@dataclass(frozen=True)
class TableGroup:
    """Tables of the whole study, of its label-keeping part, or of plugins."""

    title: str
    tables: tuple[TableOffer, ...]


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what it offers."""
    analysis = analysis_json(study.source.figures)
    yield DataFile(f"{study.paths.data}/analysis.json", analysis)
    tables: dict[str, TableOffer] = {}
    paths: dict[str, str] = {}
    for table in tables_as(study.source.figures):
        stem, _, ending = table.path.rpartition(".")
        path = f"{paths.setdefault(stem, _safe(stem, paths.values()))}.{ending}"
        offer = tables.setdefault(stem, TableOffer(stem, _about(stem), f"{table.rows:,}", {}))
        offer.formats[FORMATS[ending]] = Offer(path, size(len(table.content)))
        yield DataFile(f"{study.paths.data}/{path}", table.content)
    scores = _parquet(study.source.scores)
    yield DataFile(f"{study.paths.data}/scores.parquet", scores)
    recipe = recipe_to_run_again(study.source)
    if recipe is not None:
        yield DataFile(f"{study.paths.data}/recipe.yaml", recipe)
    battles: dict[str, Offer] = {}
    for file in _battles(study):
        name = file.path.rpartition("/")[2]
        battles[name] = Offer(name, size(len(file.content)))
        yield file
    # waits for the charts, so it comes last
    charts = study.drawn() if study.drawn else None
    yield PageFile(
        path=study.paths.downloads,
        template="downloads.html",
        title="Downloads",
        current="downloads",
        values={
            "figures": Offer("analysis.json", size(len(analysis))),
            "scores": Offer("scores.parquet", size(len(scores))),
            "score_rows": f"{len(study.source.scores):,}",
            "recipe": None if recipe is None else Offer("recipe.yaml", size(len(recipe.encode()))),
            "battles": battles,
            "battle_rows": "" if study.source.battles is None else f"{len(study.source.battles):,}",
            "tables": _groups(tables),
            "charts": charts,
            "chart_groups": _chart_groups(charts),
            "folder": CHARTS_FOLDER,
            "size": size,
        },
    )


def _battles(study: Study) -> Iterator[DataFile]:
    """Every verdict, and the ratings that follow from them, where models battle."""
    frame, rated = study.source.battles, study.rated
    if frame is None or rated is None:
        return
    if rated.found is not None:
        yield DataFile(f"{study.paths.data}/ratings.json", rated.found.to_json())
    many = len(frame) > MOST_AS_TEXT
    forms: Sequence[Format] = ("parquet",) if many else ("csv", "json", "parquet")
    plain = frame.astype(object).where(frame.notna(), None)
    rows = list(plain.itertuples(index=False, name=None))
    for form, content in zip(forms, written_as(list(frame.columns), rows, forms), strict=True):
        yield DataFile(f"{study.paths.data}/battles.{form}", content)


def size(count: int) -> str:
    """Bytes as people say them: ``812 bytes``, ``17 kB``, ``2.4 MB``."""
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.0f} kB" if count < 999_500 else f"{count / 1_000_000:.1f} MB"


def _about(stem: str) -> str:
    """What a table holds, as its figure says."""
    name = stem.rpartition("/")[2]
    tables = (table for figure in figures.values() for table in figure.tables)
    return next((table.about for table in tables if table.name == name), "")


def _safe(stem: str, taken: Iterable[str]) -> str:
    """A path that any address can hold: a plugin names its own table."""
    folder, _, name = stem.rpartition("/")
    if folder != "plugins":
        return stem
    return f"{folder}/{slug(name, [path.rpartition('/')[2] for path in taken])}"


def _groups(tables: dict[str, TableOffer]) -> tuple[TableGroup, ...]:
    titles = {"": "", "label_keeping": _KEPT, "plugins": "Of plugins"}
    found: dict[str, list[TableOffer]] = {folder: [] for folder in titles}
    for stem, table in tables.items():
        found[stem.rpartition("/")[0]].append(table)
    return tuple(TableGroup(title, tuple(found[folder])) for folder, title in titles.items() if found[folder])


def _chart_groups(charts: DrawnCharts | None) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Title and charts of the whole study, and of its label-keeping part."""
    if charts is None:
        return ()
    named = (("", False), (_KEPT, True))
    groups = (
        (title, tuple(each for each in charts.files if each.label_keeping is kept)) for title, kept in named
    )
    return tuple((title, files) for title, files in groups if files)


def _parquet(scores: pd.DataFrame) -> bytes:
    """The scores, as they were given; a column that mixes kinds as text."""
    buffer = io.BytesIO()
    try:
        scores.to_parquet(buffer, index=False, compression="zstd")
    except (pa.ArrowException, ValueError):
        buffer = io.BytesIO()
        mixed = [name for name in scores.columns if scores[name].dtype == object]
        scores.astype(dict.fromkeys(mixed, "string")).to_parquet(buffer, index=False, compression="zstd")
    return buffer.getvalue()
