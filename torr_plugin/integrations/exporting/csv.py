"""``leaderboard.csv``: a row a model and data set, as boards in a repository keep and read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...analysis.table_files import as_csv
from .exporter import Attribution, Exporter
from .results import ExportedRun

COLUMNS = (
    *("model", "hf_model_id", "dataset", "metric", "score", "low", "high", "level", "n", "configurations"),
    *("missing", "rank_low", "rank_high", "date", "organization", "url"),
)
"""``score`` with its interval at ``level`` is over ``n`` examples, each the mean over its configurations;
``missing`` are answers without a score; the ranks are those that the model may have on the data set."""


def _write(results: ExportedRun, folder: Path, attribution: Attribution) -> list[str]:
    rows = list(_rows(results, attribution))
    (folder / "leaderboard.csv").write_bytes(as_csv(COLUMNS, rows))
    return []


def _rows(results: ExportedRun, attribution: Attribution) -> Iterator[tuple[object, ...]]:
    """Best first on each data set."""
    found = [(score, model) for model in results.models for score in results.scores(model)]
    places = {name: place for place, name in enumerate(results.datasets)}
    for score, model in sorted(found, key=lambda each: (places[each[0].dataset.name], -each[0].value)):
        yield (
            *(model, results.hub_id(model), score.dataset.name, score.dataset.metric),
            *(score.value, score.low, score.high, results.level),
            *(score.dataset.examples, len(score.configurations), score.missing),
            *(score.rank or (None, None)),
            *(results.created.date().isoformat(), attribution.organization, attribution.url),
        )


CSV = Exporter("csv", _write)
