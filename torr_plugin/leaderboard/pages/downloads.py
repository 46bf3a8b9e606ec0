"""Everything in a study as files: figures, scores and the recipe, tables as CSV and Parquet."""

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
from ..facts import recipe_to_run_again
from ..files import DataFile, PageFile, SiteFile
from ..study import Study
from ..text import slug

FORMATS: tuple[Format, ...] = ("csv", "parquet")
"""Of tables."""
ENDINGS = {"csv": "CSV", "parquet": "Parquet"}
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


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what it offers."""
    of_study: list[Offer] = []
    tables: dict[str, list[Offer]] = {folder: [] for folder in _TITLES}
    for name, about, content in _of_study(study):
        of_study.append(Offer(name, about, ((name, name, size(len(content))),)))
        yield DataFile(f"{study.paths.data}/{name}", content)
    for path, offer, contents in _tables(study):
        tables[path.rpartition("/")[0]].append(offer)
        for form, table in contents.items():
            yield DataFile(f"{study.paths.data}/{path}.{form}", table)
    yield PageFile(
        path=study.paths.downloads,
        template="downloads.html",
        title="Downloads",
        current="downloads",
        values={
            "offers": of_study,
            "recipe": any(offer.name == "recipe.yaml" for offer in of_study),
            "titles": _TITLES,
            "tables": tables,
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
        yield "ratings.json", about, rated.found.to_json()
    about = "a row for each judge, question, pair of models and order; torr rate takes it"
    forms: Sequence[Format] = ("parquet",) if len(frame) > MOST_AS_TEXT else FORMATS
    plain = frame.astype(object).where(frame.notna(), None)
    rows = list(plain.itertuples(index=False, name=None))
    for form, content in zip(forms, written_as(list(frame.columns), rows, forms), strict=True):
        yield f"battles.{form}", f"{len(frame):,} verdicts with their reasons: {about}", content


def _tables(study: Study) -> Iterator[tuple[str, Offer, dict[Format, str | bytes]]]:
    """Path without its ending, offer, and contents by form of each table."""
    taken: list[str] = []
    for each in zip(*[tables_as(study.analysis.results, FORMATS)] * len(FORMATS), strict=True):
        path = _safe(each[0].path.rpartition(".")[0], taken)
        taken.append(path)
        contents = {form: file.content for form, file in zip(FORMATS, each, strict=True)}
        links = tuple((ENDINGS[form], f"{path}.{form}", size(len(one))) for form, one in contents.items())
        about = "; ".join(filter(None, (each[0].about, f"{each[0].rows:,} rows")))
        yield path, Offer(path.rpartition("/")[2], about, links), contents


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
