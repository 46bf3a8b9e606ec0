"""Designs against their bases: what a part of the prompt changes ("Table Meets LLM", Tables 3 and 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..charts.labels import ChartContext, NoChart
from ..charts.vega import Spec
from ..cube import by_factor
from ..figure import Figure, FigureChart, FigureTable
from ..number_format import format_names
from ..result import OVERALL, VERDICT, FigureResult, Verdict
from ..study import StudyScores
from .factor_cubes import factor_cubes, formats_of_pairs, paired
from .factor_scores import panel_chart
from .level_verdicts import LEVEL_COLUMNS, Choice, change_rows, changes, choice, level_rows


class Designs(FigureResult):
    """Designs on equal terms, over the formats that a design and its base share.

    ``base``: the study's base design; ``bases``: design -> what it is compared with; ``alone``: designs that
    are compared with none; ``formats``: design -> the serializers that it and its base were asked in.
    ``average``: data set or "overall" -> design -> its score less its base's, on average over models;
    ``differences``: data set or "overall" -> model -> design -> the same of each model; ``choice``: the
    designs, best first, over what all designs were asked, on average and of each model.
    """

    base: str
    bases: dict[str, str] = {}
    alone: list[str] = []
    formats: dict[str, list[str]] = {}
    average: dict[str, dict[str, Verdict]] = {}
    differences: dict[str, dict[str, dict[str, Verdict]]]
    choice: Choice = Choice()


def designs(study: StudyScores) -> Designs | None:
    """Compare designs with their bases; None where no design was asked beside its base in one format."""
    cubes, options = study.cubes, study.options
    formats = formats_of_pairs(cubes, study.bases) if study.bases else {}
    if not formats or study.base_design is None:
        return None
    compared = factor_cubes(cubes, "design")
    return Designs(
        base=study.base_design,
        bases={name: base for name, base in study.bases.items() if name in formats},
        alone=[name for name in _names(study) if name not in formats and not _is_base(name, study, formats)],
        formats=formats,
        **changes(cubes, [paired(cube, "design", study.bases) for cube in cubes], options),
        choice=choice(compared, options) if compared else Choice(),
    )


def _names(study: StudyScores) -> list[str]:
    return sorted({name for cube in study.cubes for name in by_factor(cube, "design")})


def _is_base(name: str, study: StudyScores, formats: Mapping[str, object]) -> bool:
    return name in {study.base_design, *(study.bases[other] for other in formats)}


def _chart(result: Mapping[str, Mapping[str, Verdict]], context: ChartContext) -> Spec:
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
    tables = (
        FigureTable(
            "designs",
            ("dataset", "model", "design", *VERDICT),
            change_rows,
            "mean change of the score by each design against its base, over the formats asked both ways, on "
            "average over models and of each",
            lambda result: (result.average, result.differences),
        ),
        FigureTable(
            "design_choice",
            ("model", "dataset", "design", *LEVEL_COLUMNS),
            level_rows,
            "designs, best first, on average over models and of each, and which are worse than the best",
            lambda result: result.choice,
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


DESIGNS = DesignsFigure()
