"""What changed since the study was published before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...analysis import format_interval
from ..changes import Changes, changes
from ..files import DataFile, PageFile, SiteFile
from ..history import NAME, Snapshot, history_file
from ..study import Study

if TYPE_CHECKING:
    from ..charts import Chart


@dataclass(frozen=True)
class Publication:
    """A row of the list of publications; ``best`` is a model with its performance, as text."""

    day: str
    time: str
    version: str
    models: int
    datasets: int
    best: str
    figure: str
    fingerprint: str
    same_scores: bool


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and ``history.json``, which the next publication reads."""
    if study.history:
        yield DataFile(f"{study.paths.data}/{NAME}", history_file(study.history))
    yield PageFile(
        path=study.paths.history,
        template="history.html",
        title="History",
        current="history",
        values={
            "changes": _changes(study),
            "publications": list(_publications(study.history)),
            "charts": _charts(study),
        },
    )


def _changes(study: Study) -> Changes | None:
    if len(study.history) < 2:
        return None
    return changes(study.history[-2], study.history[-1], study.models)


def _publications(history: Sequence[Snapshot]) -> Iterator[Publication]:
    """The latest first."""
    for place in range(len(history) - 1, -1, -1):
        found = history[place]
        best, figure = "", ""
        known = [(each.performance.value, name) for name, each in found.models.items()]
        scored = [(value, name) for value, name in known if value is not None]
        if scored:
            best = max(scored, key=lambda each: each[0])[1]
            kept = found.models[best].performance
            figure = format_interval(kept.value, kept.low, kept.high)
        yield Publication(
            day=found.day,
            time=found.published[11:16],
            version=found.version,
            models=len(found.models),
            datasets=len(found.datasets),
            best=best,
            figure=figure,
            fingerprint=found.fingerprint,
            same_scores=place > 0 and history[place - 1].fingerprint == found.fingerprint,
        )


def _charts(study: Study) -> tuple[Chart, ...]:
    if len(study.history) < 2:
        return ()
    from ..charts.history_lines import history_lines

    return tuple(history_lines(study, figure) for figure in ("performance", "robustness"))
