"""The files that a study offers: scores, analysis, models, formats, battles, and the recipe."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa

from ..analysis.compare import group_numbers
from ..analysis.figures.level_verdicts import Choice, Level
from ..analysis.output import analysis_json
from ..analysis.result import OVERALL, Interval, interval_cells, verdict_cells
from ..analysis.table_files import Row, as_csv
from .facts import recipe_to_run_again
from .percents import flipped
from .study import Study


@dataclass(frozen=True)
class Offer:
    """Something to be downloaded: the name of its file, what it holds, and its bytes."""

    name: str
    about: str
    content: bytes

    @property
    def size(self) -> str:
        """Bytes as people say them: ``812 bytes``, ``17 kB``, ``2.4 MB``."""
        count = len(self.content)
        if count < 1000:
            return f"{count} bytes"
        return f"{count / 1000:.0f} kB" if count < 999_500 else f"{count / 1_000_000:.1f} MB"


def offers(study: Study) -> Iterator[Offer]:
    """All that a study offers."""
    scores = study.source.scores
    yield Offer(
        "scores.parquet",
        f"{len(scores):,} scores: of each model, data set, way of writing the table, question and metric",
        _parquet(scores),
    )
    yield Offer(
        "analysis.json", "every figure and verdict", analysis_json(study.source.figures, compact=True)
    )
    yield Offer("models.csv", "a row for each model, as on the first page", as_csv(*_models(study)))
    yield Offer(
        "formats.csv",
        "formats, layout changes, designs and pictures, on average and for each model",
        as_csv(FORMAT_COLUMNS, list(_formats(study))),
    )
    battles = study.source.battles
    if battles is not None:
        about = f"{len(battles):,} verdicts of judges, with reasons; torr rate takes it"
        yield Offer("battles.parquet", about, _parquet(battles))
    recipe = recipe_to_run_again(study.source)
    if recipe is not None:
        yield Offer("recipe.yaml", "data sets, formats and models; torr run runs it again", recipe.encode())


_ENDS = ("", "_low", "_high")


def _three(figure: Interval) -> tuple[float | None, ...]:
    return figure.value, figure.low, figure.high


def _models(study: Study) -> tuple[Row, list[Row]]:
    """Names of the columns, and a row for each model."""
    analysis = study.analysis
    words = ("maker", "licence", "open", "size", "context", "price", "released", "link")
    datasets = study.datasets if len(study.datasets) > 1 else ()
    header = [
        *("model", "group", "first_rank", "last_rank", *(f"right{end}" for end in _ENDS)),
        *(f"flips{end}" for end in _ENDS if analysis.varied),
        *(f"right on {name}{end}" for name in datasets for end in _ENDS),
        *words,
    ]
    groups = group_numbers(analysis.tiers.overall)
    rows: list[Row] = []
    for model in study.models:
        own = analysis.performance[model]
        first, last = analysis.rank_intervals.get(model) or (None, None)
        flips = flipped(analysis.headline_robustness[model].overall) if analysis.varied else None
        rows.append(
            [
                *(model, groups.get(model), first, last, *_three(own.overall)),
                *(_three(flips) if flips else ()),
                *(end for name in datasets for end in _three(own.datasets[name])),
                *(getattr(study.words[model], name) for name in words),
            ]
        )
    return header, rows


FORMAT_COLUMNS = (
    *("question", "dataset", "model", "name", "against", *(f"right{end}" for end in _ENDS)),
    *("difference", "low", "high", "complete", "p", "differs", "few", "tokens"),
)


def _formats(study: Study) -> Iterator[Row]:
    """What the pages of formats and of models say; ``model`` is empty of the average."""
    analysis = study.analysis
    if formats := analysis.serializers:
        for place, model, levels in _ranked(formats.choice):
            means = formats.mean_tokens(place, [level.name for level in levels])
            tokens = formats.tokens.get(place, {}).get(model, {}) if model else means
            yield from (("formats", place, model, *row, tokens.get(row[0])) for row in _behind_best(levels))
    if designs := analysis.designs:
        for place, model, levels in _ranked(designs.choice):
            yield from (("best design", place, model, *row, None) for row in _behind_best(levels))
    yield from _changes(study)


def _changes(study: Study) -> Iterator[Row]:
    """Layout changes, designs against their bases, and pictures."""
    analysis = study.analysis
    for question, found in {
        "layout changes": analysis.perturbations,
        "designs": analysis.designs,
        "pictures": analysis.modalities,
    }.items():
        if found is None:
            continue
        for place in (OVERALL, *study.datasets):
            named = {"": found.average.get(place, {}), **found.differences.get(place, {})}
            for model, changes in named.items():
                for name, verdict in changes.items():
                    cells = verdict_cells(verdict)
                    against = found.bases.get(name)
                    yield question, place, model, name, against, None, None, None, *cells, None


def _ranked(choice: Choice) -> Iterator[tuple[str, str, list[Level]]]:
    """Data set or "overall", model ("" of the average), and formats or designs, best first."""
    for model, found in {"": choice.average, **choice.models}.items():
        yield from ((place, model, levels) for place, levels in found.places().items())


def _behind_best(levels: Sequence[Level]) -> Iterator[tuple[Any, ...]]:
    """Each level, what it is compared with, its mean score, and the difference."""
    for level in levels:
        right, behind = interval_cells(level)[:3], verdict_cells(level.behind)
        yield level.name, levels[0].name, *right, *_negative(behind)


def _negative(cells: tuple[object, ...]) -> tuple[object, ...]:
    """A distance behind the best as a difference from it."""
    value, low, high = (None if each is None else 0.0 - each for each in cells[:3])  # type: ignore[operator]
    return value, high, low, *cells[3:]


def _parquet(scores: pd.DataFrame) -> bytes:
    """Scores, or battles, as they were given; a column that mixes kinds as text."""
    buffer = io.BytesIO()
    try:
        scores.to_parquet(buffer, index=False, compression="zstd")
    except (pa.ArrowException, ValueError):
        buffer = io.BytesIO()
        mixed = [name for name in scores.columns if scores[name].dtype == object]
        scores.astype(dict.fromkeys(mixed, "string")).to_parquet(buffer, index=False, compression="zstd")
    return buffer.getvalue()
