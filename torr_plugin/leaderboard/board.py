"""The table of models: a row each, in groups that none differs from, over all questions or a part of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..analysis.figures.level_verdicts import Level
from ..analysis.result import NOTHING, OVERALL, Everywhere, MarkedBounds
from .coverage import Bases
from .percents import PercentText, flipped, percent_text
from .results import StudyResults, at_limit
from .study import Study
from .verdicts import Groups, tied_groups

ALL = "all"
"""The part of a study that is all of it, by its name in the address."""
_ORDINALS = (
    *("First", "Second", "Third", "Fourth", "Fifth"),
    *("Sixth", "Seventh", "Eighth", "Ninth", "Tenth"),
)


@dataclass(frozen=True)
class FormatRange:
    """A model's worst and best format by mean score, and these means."""

    worst: str
    best: str
    low: PercentText
    high: PercentText


@dataclass(frozen=True)
class BoardRow:
    """A model's figures; ``flips`` and ``formats`` are None where the study, or this part, has none."""

    model: str
    right: PercentText
    flips: PercentText | None
    formats: FormatRange | None
    datasets: tuple[PercentText, ...]

    @property
    def says_little(self) -> bool:
        """Whether one of its figures is at its floor or ceiling."""
        return self.right.limit or (self.flips is not None and self.flips.limit)


@dataclass(frozen=True)
class BoardGroup:
    """Models that none differs from from the best of them; "" is the title where nothing was tested."""

    title: str
    rows: tuple[BoardRow, ...]


@dataclass(frozen=True)
class Board:
    """The table on one part of a study.

    Attributes:
        name: of the part in the address; ``label`` in the choice.
        kind: the heading of the parts of its kind in the choice: ``One data set``; "" of all questions.
        groups: best first.
        notes: what to know of this part, in sentences.
    """

    name: str
    label: str
    kind: str
    groups: tuple[BoardGroup, ...]
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[BoardRow, ...]:
        """Those of all groups."""
        return tuple(row for group in self.groups for row in group.rows)


def boards(study: Study) -> Iterator[Board]:
    """The table on all questions, then on each data set, in each format, over label-keeping changes."""
    analysis, places = study.analysis, study.tied_groups
    whole = _rows(study, analysis, places[OVERALL], OVERALL)
    yield Board(ALL, "All questions", "", whole, _over(study.bases, OVERALL, analysis))
    for name in study.datasets if len(study.datasets) > 1 else ():
        groups = _rows(study, analysis, places[name], name)
        label = study.short.get(name, name)
        yield Board(f"on {name}", label, "One data set", groups, _over(study.bases, name, analysis))
    yield from _of_formats(study)
    if kept := analysis.label_keeping:
        label = "Only changes that keep the answer"
        groups = _rows(study, kept, tied_groups(kept)[OVERALL], OVERALL)
        yield Board("kept", label, "Layout changes", groups, _over(study.kept_bases, OVERALL, kept))


def _over(bases: Bases, place: str, core: StudyResults) -> tuple[str, ...]:
    """Over how many examples the figures of a place are, where that is not all of them."""
    if place not in bases:
        return ()
    own = bases[place]
    flips = f", flips over {own['headline_robustness']}" if core.varied else ""
    return (f"Right is over {own['performance']}{flips}.",)


def _rows(study: Study, core: StudyResults, claimed: Groups, place: str) -> tuple[BoardGroup, ...]:
    right = {model: core.performance[model].places()[place] for model in study.models}
    rows = {
        model: BoardRow(
            model=model,
            right=percent_text(right[model], limit=at_limit(core, model, "performance", place) is not None),
            flips=_flips(core, model, place),
            formats=_format_range(core, study.short, model, place),
            datasets=_on_datasets(core, core.performance[model]),
        )
        for model in study.models
    }
    return _groups(rows, right, claimed)


def _on_datasets(core: StudyResults, own: Everywhere) -> tuple[PercentText, ...]:
    names = tuple(core.settings.examples)
    return tuple(percent_text(own.datasets[name]) for name in names) if len(names) > 1 else ()


def _flips(core: StudyResults, model: str, place: str) -> PercentText | None:
    """The share of answers that change between the best and the worst way of writing the table."""
    if not core.varied:
        return None
    flips = flipped(core.headline_robustness[model].places()[place])
    return percent_text(flips, limit=at_limit(core, model, "headline_robustness", place) is not None)


def _format_range(core: StudyResults, short: Mapping[str, str], model: str, place: str) -> FormatRange | None:
    """The worst and the best format, over what all were asked, but for those asked of few examples."""
    known = [level for level in _formats(core, model, place) if level.value is not None]
    if len(known) < 2:
        return None
    best, *_, worst = known
    return FormatRange(
        worst=short.get(worst.name, worst.name),
        best=short.get(best.name, best.name),
        low=percent_text(worst),
        high=percent_text(best),
    )


def _formats(core: StudyResults, model: str, place: str) -> list[Level]:
    """A model's formats, best first."""
    return core.serializers.choice.of(model, place) if core.serializers else []


def _of_formats(study: Study) -> Iterator[Board]:
    """The table in each format that all data sets have; without groups, as models are not tested there."""
    places = (OVERALL, *(study.datasets if len(study.datasets) > 1 else ()))
    found: dict[str, dict[str, dict[str, MarkedBounds]]] = {
        place: {
            model: {level.name: level for level in _formats(study.analysis, model, place)}
            for model in study.models
        }
        for place in places
    }
    names = sorted({name for own in found[OVERALL].values() for name in own})
    for name in names if len(names) > 1 else ():
        right = {model: found[OVERALL][model].get(name, NOTHING) for model in study.models}
        rows = {
            model: BoardRow(
                model=model,
                right=percent_text(right[model]),
                flips=None,
                formats=None,
                datasets=tuple(percent_text(found[place][model].get(name, NOTHING)) for place in places[1:]),
            )
            for model in study.models
        }
        label = study.short.get(name, name)
        note = f"Scores with {label} alone. Models are tested over all formats, so no groups are shown here."
        yield Board(f"in {name}", label, "One format", _groups(rows, right, {}), (note,))


def _groups(
    rows: Mapping[str, BoardRow], right: Mapping[str, MarkedBounds], tiers: Mapping[str, int]
) -> tuple[BoardGroup, ...]:
    """Rows in groups, best first; models without a figure last."""
    order = sorted(rows, key=lambda model: (right[model].value is None, -(right[model].value or 0.0)))
    members: dict[int | None, list[BoardRow]] = {}
    for model in order:
        members.setdefault(tiers.get(model), []).append(rows[model])
    return tuple(
        BoardGroup(_title(tier, len(own)) if len(order) > 1 else "", tuple(own))
        for tier, own in members.items()
    )


def _title(tier: int | None, count: int) -> str:
    if tier is None:
        return ""
    place = _ORDINALS[tier - 1] if tier <= len(_ORDINALS) else f"Group {tier}"
    if count == 1:
        return place
    if tier == 1:
        return f"Tied for first: none of these {count:,} differs from the best"
    return f"{place}: {count:,} tied"


def names_of(parts: Sequence[Board]) -> dict[str, list[Board]]:
    """The heading of each kind of part -> the parts, in order."""
    found: dict[str, list[Board]] = {}
    for part in parts:
        found.setdefault(part.kind, []).append(part)
    return found
