"""Designs against their bases: what a part of the prompt changes ("Table Meets LLM", Tables 3 and 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..charts.labels import ChartContext, NoChart
from ..charts.vega import Spec
from ..cube import by_factor
from ..figure import Figure, FigureChart, FigureTable
from ..number_format import format_names, format_signed
from ..result import INTERVAL, OVERALL, FigureResult
from ..study import StudyScores
from .design_choice import DesignChoice, design_choice, design_choice_rows
from .design_differences import (
    DESIGN_CONTRAST,
    DesignContrast,
    DesignDifferences,
    design_contrast_rows,
    design_differences,
    formats_of_pairs,
)
from .design_interaction import Interactions, design_interaction, interaction_rows
from .design_table import DesignRow, design_cells, design_header, design_rows
from .factor_cubes import factor_cubes
from .factor_scores import LevelScores, level_scores, panel_chart


class Designs(FigureResult):
    """Designs on equal terms: within formats, and over the formats that a design and its base share.

    ``base``: the study's base design; ``bases``: design -> what it is compared with; ``alone``: designs that
    are compared with none; ``formats``: design -> the serializers that it and its base were asked in.
    ``differences``: data set or "overall" -> model -> design -> its score less its base's, over these
    serializers; ``by_serializer``: the same in each; ``scores``: serializer -> data set or "overall" ->
    design -> model -> mean score, over the examples scored with all designs of the serializer; ``choice``:
    model -> its designs, best first, over what all designs were asked; ``interaction``: model -> data set or
    "overall" -> how much of what configurations differ by is design, serializer, and the two together.
    """

    base: str
    bases: dict[str, str] = {}
    alone: list[str] = []
    formats: dict[str, list[str]] = {}
    differences: DesignDifferences
    by_serializer: dict[str, DesignDifferences] = {}
    scores: dict[str, LevelScores] = {}
    choice: dict[str, DesignChoice] = {}
    interaction: Interactions = {}

    def rows(self) -> list[DesignRow]:
        """The rows of the table of designs within formats."""
        return list(design_rows(self.scores, self.by_serializer))


def designs(study: StudyScores) -> Designs | None:
    """Compare designs with their bases; None where no design was asked beside its base in one format."""
    cubes, options = study.cubes, study.options
    formats = formats_of_pairs(cubes, study.bases) if study.bases else {}
    if not formats or study.base_design is None:
        return None
    differences, by_serializer = design_differences(cubes, study.bases, options)
    compared = factor_cubes(cubes, "design")
    return Designs(
        base=study.base_design,
        bases={name: base for name, base in study.bases.items() if name in formats},
        alone=[name for name in _names(study) if name not in formats and not _is_base(name, study, formats)],
        formats=formats,
        differences=differences,
        by_serializer=by_serializer,
        scores=_scores(study),
        choice=design_choice(compared, options) if compared else {},
        interaction=design_interaction(cubes, options),
    )


def _names(study: StudyScores) -> list[str]:
    return sorted({name for cube in study.cubes for name in by_factor(cube, "design")})


def _is_base(name: str, study: StudyScores, formats: Mapping[str, object]) -> bool:
    return name in {study.base_design, *(study.bases[other] for other in formats)}


def _scores(study: StudyScores) -> dict[str, LevelScores]:
    """Mean scores of the designs of each serializer, compared within it."""
    groups = [by_factor(cube, "serializer") for cube in study.cubes]
    found: dict[str, LevelScores] = {}
    for name in dict.fromkeys(name for group in groups for name in group):
        having = [group[name] for group in groups if name in group]
        compared = factor_cubes(having, "design")
        if compared is None:
            continue
        scores = level_scores(compared, study.options)
        if len(having) < len(study.cubes):
            scores.pop(OVERALL)
        found[name] = scores
    return found


def _chart(result: Mapping[str, Mapping[str, DesignContrast]], context: ChartContext) -> Spec:
    if not any(result.values()):
        raise NoChart("no design was asked of all data sets")
    return panel_chart(
        result,
        context.model_labels(),
        "Mean change of the score by each design",
        [
            f"{context.basis}. Score with the design less that with its base, same format and example; "
            "dashed: 0",
            context.intervals,
        ],
        reference=0.0,
        x="change of the score",
        width=150,
        columns=4,
    )


class DesignsFigure(Figure[Designs]):
    """What designs change against their bases, within formats and over them."""

    key = "designs"
    title = "Designs against their bases"
    explanation = (
        "What a design of the prompt, such as one without role or demonstration, changes against the design "
        "that it is a change of, its base: the mean score with it less that without, over the examples that "
        "were asked both ways in the same format. Intervals are of single differences, and so is p; the "
        "corrected p is Holm's, over the designs of all models (within formats: in all formats)."
    )
    tables = (
        FigureTable(
            "design_table",
            lambda result: design_header(result.rows()),
            lambda result: design_cells(result.rows()),
            "mean scores of designs within formats, and what each changes against its base",
            lambda result: result if result.scores else None,
            markdown=True,
        ),
        FigureTable(
            "designs",
            ("dataset", "model", "design", *DESIGN_CONTRAST),
            design_contrast_rows,
            "mean change of the score by each design against its base, over the formats asked both ways",
            lambda result: result.differences,
        ),
        FigureTable(
            "designs_by_serializer",
            ("serializer", "dataset", "model", "design", *DESIGN_CONTRAST),
            design_contrast_rows,
            "the same in each format alone",
            lambda result: result.by_serializer,
        ),
        FigureTable(
            "design_choice",
            (
                *("model", "dataset", "design", *INTERVAL, "chance"),
                *("behind", "behind_low", "behind_high", "p", "worse"),
            ),
            design_choice_rows,
            "which design to use for a model, and the chance that it is the best",
            lambda result: result.choice,
        ),
        FigureTable(
            "design_interaction",
            ("model", "dataset", "source", "value", "low", "high"),
            interaction_rows,
            "shares of the variance of mean scores: design, format, and the two together",
            lambda result: result.interaction,
        ),
    )
    charts = (
        FigureChart(
            "designs",
            _chart,
            absent="no design was asked beside its base in the same format",
            part=lambda result: result.differences.get(OVERALL),
        ),
    )

    def compute(self, study: StudyScores) -> Designs | None:
        """Compare them."""
        return designs(study)

    def notes(self, study: StudyScores, result: Designs | None) -> list[str]:
        """What is compared with nothing, or in some formats alone."""
        return list(_notes(study, result)) if result else _no_pairs(study)

    def lines(self, result: Designs) -> list[str]:
        """What each design changes over all data sets, the best design, and the interaction with formats.

        That a design lowers or raises the score is said where the corrected test says so.
        """
        found = result.differences.get(OVERALL, {})
        names = dict.fromkeys(name for own in found.values() for name in own)
        changes = {name: [own[name] for own in found.values() if name in own] for name in names}
        lines = [
            f"{name} less {result.bases.get(name, result.base)}: {_change(own)}"
            for name, own in changes.items()
        ]
        return [*lines, *_best_lines(result.choice), *_interaction_lines(result.interaction)]


def _no_pairs(study: StudyScores) -> list[str]:
    names = _names(study)
    if len(names) < 2:
        return []
    return [
        "no design is compared with another, as none was asked beside its base in one format: "
        f"{format_names(names)}"
    ]


def _notes(study: StudyScores, result: Designs) -> Iterator[str]:
    if result.alone:
        yield f"designs compared with none, as their base was not asked: {format_names(result.alone)}"
    every = {name for cube in study.cubes for name in by_factor(cube, "serializer")}
    partly: dict[tuple[str, ...], list[str]] = {}
    for design, formats in result.formats.items():
        if len(formats) < len(every):
            partly.setdefault(tuple(formats), []).append(design)
    for some, names in partly.items():
        yield (
            f"designs compared with their base in {format_names(some)} alone, of {len(every)} formats: "
            f"{format_names(names)}"
        )
    if len(every) > 1 and not result.interaction:
        yield (
            "no interaction of design and format: no two designs were asked in the same two formats "
            "of a data set"
        )


def _change(found: Sequence[DesignContrast]) -> str:
    values = [own.value for own in found if own.value is not None]
    if not values:
        return "unknown"
    if len(found) == 1:
        verdict = _verdict(found) if found[0].p is not None else ""
        return f"{format_signed(found[0].value, found[0].low, found[0].high)}{verdict}"
    return f"{min(values):+.3f} to {max(values):+.3f} over the models{_verdict(found)}"


def _verdict(found: Sequence[DesignContrast]) -> str:
    """What the corrected tests bear."""
    lower = sum(own.claimed and (own.value or 0.0) < 0 for own in found)
    higher = sum(own.claimed and (own.value or 0.0) > 0 for own in found)
    if not lower + higher:
        return ", no effect shown"
    if len(found) == 1:
        return ", lower" if lower else ", higher"
    counts = ((lower, "lower"), (higher, "higher"))
    return ", " + " and ".join(f"{word} for {count}" for count, word in counts if count)


def _best_lines(choice: Mapping[str, DesignChoice]) -> list[str]:
    """The design with the highest mean, and how sure that is."""
    rows = [found.overall for found in choice.values() if found.overall]
    best = [[own for own in found if own.value == found[0].value] for found in rows]
    chances = [own.chance for equal in best for own in equal if own.chance is not None]
    if not chances:
        return []
    least, most = _percent(min(chances)), _percent(max(chances))
    chance = least if least == most else f"{least} to {most}"
    labels = [format_names([own.design for own in equal]) for equal in best]
    if len(best) == 1:
        if len(best[0]) > 1:
            return [f"best designs, equal: {labels[0]}; chance {chance}{' each' if least == most else ''}"]
        return [f"best design: {labels[0]}, chance {chance}"]
    counts = Counter("several, equal" if len(own) > 1 else own[0].design for own in best).most_common(2)
    names = ", ".join(f"{name} ({_models(count)})" for name, count in counts)
    return [f"best design: {names}; chance {chance}"]


def _percent(chance: float) -> str:
    """Resamples cannot show that something is certain."""
    return "over 99 %" if chance > 0.99 else f"{100 * chance:.0f} %"


def _models(count: int) -> str:
    return f"{count} model{'s' if count > 1 else ''}"


def _interaction_lines(found: Interactions) -> list[str]:
    """How much of what configurations differ by is their design and format together."""
    own = [places[OVERALL].interaction for places in found.values() if OVERALL in places]
    shares = [one.value for one in own if one.value is not None]
    if not shares:
        return []
    if len(own) == 1 and own[0].low is not None and own[0].high is not None:
        bounds = f"{shares[0]:.2f} [{own[0].low:.2f}, {own[0].high:.2f}]"
    else:
        bounds = f"{min(shares):.2f} to {max(shares):.2f}"
    return [f"design and format together: {bounds} of the variance of mean scores"]


DESIGNS = DesignsFigure()
