"""What formats, layout changes and designs do to scores, as tables: on average over models, and for one.

A model is named beside an average where its own question has another answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..analysis.figures.designs import Designs
from ..analysis.figures.level_verdicts import Level
from ..analysis.figures.modalities import COMPARED, Modalities
from ..analysis.figures.perturbations import Perturbations
from ..analysis.figures.serializers import Serializers
from ..analysis.result import OVERALL, Verdict
from .coverage import compared_examples
from .percents import PercentText, PointsText, percent_text, points_text
from .study import Study
from .verdicts import swapped

Changes: TypeAlias = "Perturbations | Designs | Modalities"


@dataclass(frozen=True)
class LevelRow:
    """A format: its mean score, how far it lies behind the best (None of the best), its prompts.

    ``tokens`` are of a mean prompt and ``share`` of the longest's; both None where they are not known.
    """

    name: str
    right: PercentText
    behind: PointsText | None
    tokens: float | None
    share: float | None


@dataclass(frozen=True)
class ChangeRow:
    """A layout change, or a design: what it does to scores against ``base``, in points."""

    name: str
    base: str
    points: PointsText


@dataclass(frozen=True)
class UnlikeModel:
    """A model for which the answer is another than on average: ``best`` for it, and what costs or gains."""

    model: str
    best: str
    rows: tuple[tuple[str, PointsText], ...]


@dataclass(frozen=True)
class FactorTable:
    """The answer of one question in a place.

    Attributes:
        dataset: that it is of; "" of all of them.
        groups: heading -> rows; formats that differ from the best are in a group of their own.
        unlike: the models that differ from it.
        over: over which examples, where these are not all.
    """

    dataset: str
    groups: tuple[tuple[str, tuple[LevelRow | ChangeRow, ...]], ...]
    unlike: tuple[UnlikeModel, ...] = ()
    over: str = ""

    @property
    def title(self) -> str:
        """Of the place."""
        return self.dataset or "All data sets"

    @property
    def rows(self) -> tuple[LevelRow | ChangeRow, ...]:
        """Those of all groups."""
        return tuple(row for _, rows in self.groups for row in rows)


def format_tables(study: Study) -> tuple[FactorTable, ...]:
    """Formats, best first, over all data sets and on each; none where no two are compared."""
    found = study.analysis.serializers
    if found is None:
        return ()
    return tuple(
        FactorTable(_dataset(place), _groups(found, levels, place, ""), _unlike_levels(found, place), over)
        for place in _places(study)
        if (levels := found.choice.average.places().get(place))
        for over in [compared_examples(study.analysis, study.models, place)]
    )


def model_formats(study: Study, model: str) -> FactorTable | None:
    """A model's own formats, best first; None where no two are compared."""
    found = study.analysis.serializers
    for place in _places(study) if found else ():
        if found and (levels := found.choice.of(model, place)):
            over = compared_examples(study.analysis, [model], place)
            return FactorTable(_dataset(place), _groups(found, levels, place, model), over=over)
    return None


def change_tables(study: Study, found: Changes | None) -> tuple[FactorTable, ...]:
    """Layout changes, designs, or pictures, what costs most first: over all data sets and on each."""
    if found is None:
        return ()
    return tuple(
        FactorTable(_dataset(place), _changes(found, changes), _unlike_changes(found, changes, place))
        for place in _places(study)
        if (changes := found.average.get(place))
    )


def model_changes(study: Study, found: Changes | None, model: str) -> FactorTable | None:
    """What layout changes, or designs, do to a model's scores; None where none was asked."""
    for place in _places(study) if found else ():
        if found and (changes := found.differences.get(place, {}).get(model)):
            return FactorTable(_dataset(place), _changes(found, changes))
    return None


def _places(study: Study) -> Iterator[str]:
    """All data sets first; of one data set that alone."""
    if len(study.datasets) > 1:
        yield OVERALL
    yield from study.datasets


def _dataset(place: str) -> str:
    return "" if place == OVERALL else place


def _groups(
    found: Serializers, levels: Sequence[Level], place: str, model: str
) -> tuple[tuple[str, tuple[LevelRow, ...]], ...]:
    """The best and what does not differ from it; then what does."""
    names = [level.name for level in levels]
    of_model = found.tokens.get(place, {}).get(model, {})
    tokens = {name: own for name in names if (own := of_model.get(name))}
    tokens = tokens if model else found.mean_tokens(place, names)
    most = max(tokens.values(), default=1.0)
    rows = [
        LevelRow(
            name=level.name,
            right=percent_text(level),
            behind=points_text(swapped(level.behind)) if level is not levels[0] else None,
            tokens=tokens.get(level.name),
            share=tokens[level.name] / most if level.name in tokens else None,
        )
        for level in levels
    ]
    worse = tuple(row for row in rows if row.behind and row.behind.differs)
    rest = tuple(row for row in rows if row not in worse)
    few = any(row.behind and row.behind.few for row in rest)
    if not worse:
        said = "Too few answers differ to say which is better" if few else "None is shown to be worse"
        return ((said, rest),)
    tied = "Best, and what is not shown to be worse" if len(rest) > 1 else "Best"
    return (tied, rest), ("Worse than the best", worse)


def _unlike_levels(found: Serializers, place: str) -> tuple[UnlikeModel, ...]:
    return tuple(
        UnlikeModel(
            model,
            found.choice.of(model, place)[0].name,
            tuple((level.name, points_text(swapped(level.behind))) for level in levels),
        )
        for model, levels in found.choice.unlike(place).items()
    )


def _changes(found: Changes, changes: Mapping[str, Verdict]) -> tuple[tuple[str, tuple[ChangeRow, ...]], ...]:
    bases: Mapping[str, str] = {}
    if isinstance(found, Designs):
        bases = found.bases
    elif isinstance(found, Modalities):
        bases = {name: _MODES[base] for name, (_, base) in COMPARED.items()}
    known = {name: verdict for name, verdict in changes.items() if verdict.value is not None}
    ordered = sorted(known, key=lambda name: (bases.get(name, ""), known[name].value or 0.0))
    rows = tuple(ChangeRow(name, bases.get(name, ""), points_text(known[name])) for name in ordered)
    return (("", rows),) if rows else ()


_MODES = {"text": "text alone", "image": "the picture alone"}


def _unlike_changes(found: Changes, average: Mapping[str, Verdict], place: str) -> tuple[UnlikeModel, ...]:
    """The models for which something differs in a way that it does not on average."""
    signs = {name: points_text(verdict).sign for name, verdict in average.items()}
    models = found.differences.get(place, {})
    rows = {
        model: tuple(
            (name, points)
            for name, verdict in own.items()
            if (points := points_text(verdict)).differs and points.sign != signs.get(name)
        )
        for model, own in models.items()
        if len(models) > 1
    }
    return tuple(UnlikeModel(model, "", own) for model, own in rows.items() if own)
