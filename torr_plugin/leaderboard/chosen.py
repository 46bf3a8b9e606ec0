"""What a page shows of what a reader may choose: views in lists, a list a choice, put in by ``chosen.js``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..analysis.result import OVERALL
from .files import DataFile, packed_script
from .formats import ALL_DATASETS
from .study import Study
from .views import View, ViewCell, as_data

Choices: TypeAlias = "View | Sequence[Choices]"


@dataclass(frozen=True)
class DatasetChoice:
    """A data set, or all of them: ``name`` as the analysis has it, ``title`` as readers do."""

    name: str
    title: str

    @property
    def within(self) -> str:
        """The title as it stands within a sentence."""
        return self.title.lower() if self.name == OVERALL else self.title


def places_of_study(study: Study) -> tuple[DatasetChoice, ...]:
    """All data sets first; a single data set alone."""
    found = tuple(DatasetChoice(name, study.short[name]) for name in study.datasets)
    return found if len(found) == 1 else (DatasetChoice(OVERALL, ALL_DATASETS), *found)


def of_place(study: Study, place: DatasetChoice) -> str:
    """Which data set, for the end of a title: of an only one nothing, as its name may read as a format's."""
    return f", {place.within}" if len(study.datasets) > 1 else ""


def below(study: Study, place: DatasetChoice) -> str:
    """Where on a page the figures of a place are whose data set is chosen apart from that of the words."""
    return f"below ({place.within})" if len(study.datasets) > 1 else "below"


def with_rows(
    places: Iterable[DatasetChoice], view: Callable[[DatasetChoice], View]
) -> tuple[list[str], list[View]]:
    """Titles of the places that have something to show, and what."""
    found = [(place.title, view(place)) for place in places]
    kept = [each for each in found if each[1].rows]
    return [title for title, _ in kept], [view for _, view in kept]


def first(found: Choices) -> View | None:
    """What a page shows until something is chosen; None where there is nothing."""
    while not isinstance(found, View):
        if not found:
            return None
        found = found[0]
    return found


def choices_script(path: str, named: Mapping[str, Choices]) -> DataFile:
    """All of it, as ``chosen.js`` reads it."""

    def plain(found: Choices) -> Any:
        return as_data(found) if isinstance(found, View) else [plain(each) for each in found]

    return packed_script(path, {name: plain(found) for name, found in named.items()})


def model_cells(study: Study) -> dict[str, ViewCell]:
    """Models, best first, as the first cells of rows."""
    return {
        model: ViewCell(study.short[model], whole=model, href=study.paths.models[model])
        for model in study.models
    }
