"""The leaderboard: models ranked, with intervals, and which of their differences are real."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .. import schema
from ..apart import MOST_LANES
from ..board import board
from ..board_data import board_data
from ..figures import percent
from ..files import DataFile, PageFile, SiteFile
from ..findings import study_findings
from ..script_data import script
from ..study import Study


@dataclass(frozen=True)
class PairShares:
    """Shares of model pairs, of a data set or overall."""

    name: str
    path: str | None
    apart: str
    paired: str
    pairs: int


@dataclass(frozen=True)
class Choices:
    """What rows can be chosen by: only what the study knows of its models, and only where they differ."""

    families: tuple[str, ...]
    sizes: bool
    openness: bool

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return bool(self.families or self.sizes or self.openness)


def files(study: Study) -> Iterator[SiteFile]:
    """The overview, and the boards that its script may show instead: of all configurations, of those kept."""
    analysis = study.analysis
    kept = analysis.label_keeping
    first = board(analysis)
    models = tuple(row.model for row in first.rows)
    boards = {"all": f"{study.paths.scripts}/board.js", "kept": f"{study.paths.scripts}/board-kept.js"}
    yield PageFile(
        path=study.paths.overview,
        template="overview.html",
        title="How well models read tables",
        current="overview",
        values={
            "board": first,
            "boards": boards if kept else {"all": boards["all"]},
            "choices": _choices(study),
            "study_findings": study_findings(study, first),
            "most_lanes": MOST_LANES,
            "pairs": _pairs(study),
        },
        scripts=("board.js",),
    )
    yield script(boards["all"], board_data(analysis, models))
    if kept:
        yield script(boards["kept"], board_data(kept, models))
    for section in study.sections:
        if section.svg is not None:
            yield DataFile(f"{study.paths.data}/section-{section.name}.svg", section.svg)


def _choices(study: Study) -> Choices:
    words = study.words.values()
    families = sorted({each.family for each in words if each.family is not None}, key=str.casefold)
    return Choices(
        families=tuple(families) if len(families) > 1 else (),
        sizes=len({each.size for each in words if each.size is not None}) > 1,
        openness=len({each.open for each in words if each.open is not None}) > 1,
    )


def _pairs(study: Study) -> tuple[PairShares, ...]:
    separability: schema.Separability = study.analysis.separability
    found = {"All data sets": (None, separability.overall)} if len(study.datasets) > 1 else {}
    return tuple(
        PairShares(name, path, percent(pairs.value), percent(pairs.paired), pairs.pairs)
        for name, path, pairs in [
            *((name, path, pairs) for name, (path, pairs) in found.items()),
            *((name, study.paths.datasets.get(name), pairs) for name, pairs in separability.datasets.items()),
        ]
    )
