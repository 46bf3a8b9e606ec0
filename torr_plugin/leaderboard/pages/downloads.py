"""Everything in a study as files: figures, scores and the recipe, tables as CSV and Parquet, charts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from ...analysis import tables_as
from ...analysis.output import analysis_json
from ...analysis.results import LABEL_KEEPING, PLUGINS
from ...analysis.table_files import Format, written_as
from ..chart_files import CHARTS_FOLDER, DrawnCharts
from ..facts import recipe_to_run_again
from ..files import DataFile, PageFile, SiteFile
from ..study import Study
from ..text import slug

FORMATS: tuple[Format, ...] = ("csv", "parquet")
"""Of tables."""
ENDINGS = {"csv": "CSV", "parquet": "Parquet", "svg": "SVG", "png": "PNG", "pdf": "PDF"}
"""As readers know them."""
MOST_AS_TEXT = 100_000
"""Battles that are also offered as CSV; of more there is Parquet alone."""
_TITLES = {"": "", LABEL_KEEPING: "Only changes that keep the answer", PLUGINS: "Of plugins"}


@dataclass(frozen=True)
class Offer:
    """Something to be downloaded.

    Attributes:
        name: what it is called.
        about: what it holds.
        files: how its files are called, their paths from the study's downloads, and their sizes as text.
    """

    name: str
    about: str
    files: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class OfferGroup:
    """Tables or charts of the whole study, without a title, or of a part of it."""

    title: str
    offers: tuple[Offer, ...]


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what it offers."""
    contents = {name: (about, content) for name, about, content in _of_study(study)}
    for name, (_, content) in contents.items():
        yield DataFile(f"{study.paths.data}/{name}", content)
    tables: dict[str, list[Offer]] = {folder: [] for folder in _TITLES}
    for folder, offer, written in _tables(study):
        tables[folder].append(offer)
        yield from written
    # waits for the charts, so it comes last
    charts = study.drawn() if study.drawn else None
    yield PageFile(
        path=study.paths.downloads,
        template="downloads.html",
        title="Downloads",
        current="downloads",
        values={
            "offers": [
                Offer(name, about, ((name, name, size(len(content))),))
                for name, (about, content) in contents.items()
            ],
            "recipe": "recipe.yaml" in contents,
            "tables": _groups(tables),
            "charts": charts,
            "chart_groups": _groups(_charts(charts)) if charts else (),
        },
    )


def _of_study(study: Study) -> Iterator[tuple[str, str, bytes]]:
    """Name, what it is, and content of the files of the study as a whole."""
    about = "every figure with its interval, as torr analyse writes it"
    yield "analysis.json", about, analysis_json(study.source.figures, compact=True)
    about = "a row for each model, data set, configuration, example and metric; torr analyse takes it"
    yield "scores.parquet", f"{len(study.source.scores):,} scores: {about}", _parquet(study.source.scores)
    recipe = recipe_to_run_again(study.source)
    if recipe is not None:
        about = "data sets, configurations and models; torr run runs the study again"
        yield "recipe.yaml", about, recipe.encode()
    frame, rated = study.source.battles, study.rated
    if frame is None or rated is None:
        return
    if rated.found is not None:
        about = "ratings with their intervals, ranks, tiers and win rates, of all questions and of each level"
        content = rated.found.to_json()
        yield "ratings.json", about, content.encode() if isinstance(content, str) else content
    about = "a row for each judge, question, pair of models and order; torr rate takes it"
    forms: Sequence[Format] = ("parquet",) if len(frame) > MOST_AS_TEXT else FORMATS
    plain = frame.astype(object).where(frame.notna(), None)
    rows = list(plain.itertuples(index=False, name=None))
    for form, content in zip(forms, written_as(list(frame.columns), rows, forms), strict=True):
        yield f"battles.{form}", f"{len(frame):,} verdicts with their reasons: {about}", content


def _tables(study: Study) -> Iterator[tuple[str, Offer, tuple[DataFile, ...]]]:
    """Folder, offer and files of each table."""
    written = tables_as(study.source.figures, FORMATS)
    taken: list[str] = []
    for each in zip(*[written] * len(FORMATS), strict=True):
        stem = _safe(each[0].path.rpartition(".")[0], taken)
        taken.append(stem)
        folder, _, name = stem.rpartition("/")
        paths = [f"{stem}.{form}" for form in FORMATS]
        links = tuple(
            (ENDINGS[form], path, size(len(file.content)))
            for form, path, file in zip(FORMATS, paths, each, strict=True)
        )
        about = f"{each[0].about}; {each[0].rows:,} rows" if each[0].about else f"{each[0].rows:,} rows"
        yield (
            folder,
            Offer(name, about, links),
            tuple(
                DataFile(f"{study.paths.data}/{path}", file.content)
                for path, file in zip(paths, each, strict=True)
            ),
        )


def _charts(charts: DrawnCharts) -> dict[str, list[Offer]]:
    """Folder -> the charts of it."""
    found: dict[str, list[Offer]] = {folder: [] for folder in _TITLES}
    for chart in charts.files:
        folder, _, name = chart.name.rpartition("/")
        links = tuple(
            (ENDINGS[ending], f"{CHARTS_FOLDER}/{chart.name}.{ending}", size(count))
            for ending, count in chart.sizes.items()
        )
        found.setdefault(folder, []).append(Offer(name, chart.title, links))
    return found


def _groups(found: dict[str, list[Offer]]) -> tuple[OfferGroup, ...]:
    return tuple(
        OfferGroup(_TITLES.get(folder, folder), tuple(offers)) for folder, offers in found.items() if offers
    )


def size(count: int) -> str:
    """Bytes as people say them: ``812 bytes``, ``17 kB``, ``2.4 MB``."""
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.0f} kB" if count < 999_500 else f"{count / 1_000_000:.1f} MB"


def _safe(stem: str, taken: Iterable[str]) -> str:
    """A path that any address can hold: a plugin names its own table."""
    folder, _, name = stem.rpartition("/")
    if folder != PLUGINS:
        return stem
    return f"{folder}/{slug(name, [path.rpartition('/')[2] for path in taken])}"


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
