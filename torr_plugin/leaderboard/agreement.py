"""How far rankings agree, and where the variance of scores comes from.

Agreement is shown between configurations, between numbers of examples, between data sets and between pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..analysis.figures.dataset_agreement import DatasetAgreement
from ..analysis.figures.generalizability import AS_IF_WHOLE, Generalizability
from ..analysis.figures.reliability import CurvePoint, Curves
from ..analysis.result import Interval
from ..core.errors import counted
from .beside import place_heads
from .heat_maps import SHADES
from .study import Study
from .text import in_words, sentence
from .unranked import unranked_names
from .verdicts import detectable, pairs_apart
from .views import DASH, View, ViewCell, figure_cell, interval_text, number_cell, percent, shade, whisker

_UNIT = (0.0, 1.0)
_LEAST_SPAN = 0.2


def _figure(point: CurvePoint) -> Interval:
    return Interval(value=point.w, low=point.low, high=point.high)


def drawn_curves(curves: Curves) -> Curves:
    """Without the points where all configurations and all examples leave one ranking, equal to itself."""
    if not curves.prompts:
        return curves
    everything = curves.prompts[-1]

    def drawn(points: Sequence[CurvePoint]) -> list[CurvePoint]:
        return [point for point in points if (point.k, point.n) != (everything.k, everything.n)]

    return curves.model_copy(update={"prompts": drawn(curves.prompts), "examples": drawn(curves.examples)})


def prompt_view(curves: Curves, pooled: bool) -> View:
    """W against the number of configurations, drawn from all and sharing none."""
    disjoint = {point.k: point for point in curves.disjoint}
    rows = tuple(
        (ViewCell(f"{point.k}"), _w_cell(point), _w_cell(disjoint.get(point.k))) for point in curves.prompts
    )
    head = ("Configurations per ranking", "W, drawn from all", "W, sharing none")
    return View(head, rows, _prompt_lines(curves, pooled))


def _w_cell(point: CurvePoint | None) -> ViewCell:
    if point is None:
        return DASH
    cell = figure_cell(_figure(point))
    return replace(cell, bounds=same) if (same := sameness(point)) else cell


def example_view(curves: Curves, pooled: bool) -> View:
    """W against the number of examples: a row per number, a column per number of configurations.

    Args:
        curves: of a place.
        pooled: whether that is several data sets, with as many examples of each.
    """
    ks = sorted({point.k for point in curves.examples})
    points = {(point.k, point.n): point for point in curves.examples}
    rows = tuple(
        (ViewCell("all" if n is None else f"{n:,}"), *(_w_cell(points.get((k, n))) for k in ks))
        for n in dict.fromkeys(point.n for point in curves.examples)
    )
    head = examples_head(pooled), *(counted(k, "configuration") for k in ks)
    return View(head, rows, _example_lines(curves, pooled))


def of_each(pooled: bool) -> str:
    """Behind a number of examples, where as many of several data sets are pooled."""
    return " of each data set" if pooled else ""


def examples_head(pooled: bool) -> str:
    """Heads a column of numbers of examples."""
    return "Examples per data set" if pooled else "Examples"


def _of(n: int | None, pooled: bool) -> str:
    return f"{'all examples' if n is None else counted(n, 'example')}{of_each(pooled)}"


def _prompt_lines(curves: Curves, pooled: bool) -> tuple[str, ...]:
    lines = []
    # of few configurations, as many draws say no more than their own rankings do
    if curves.prompts and (one := curves.prompts[0]).rankings <= len(curves.prompts):
        drawn = f"{_drawn(one)}, each from {counted(one.k, 'configuration')} and {_of(one.n, pooled)},"
        lines.append(f"{drawn} {_agree(one)}{_by_chance(one)}.")
    if len(curves.disjoint) > 1:
        last = curves.disjoint[-1]
        drawn = f"{_drawn(last)} from {last.k} configurations each, none of them shared,"
        lines.append(f"{drawn} {_agree(last)}{_by_chance(last)}.")
    return tuple(lines)


def _by_chance(point: CurvePoint) -> str:
    """As W depends on how many rankings it is over, so does what random ones would show."""
    if point.chance is None or sameness(point):
        return ""
    return f"; random rankings would agree at {point.chance:.3f}"


def _drawn(point: CurvePoint) -> str:
    """W depends on how many rankings it is over, unlike in the sentence of all single configurations."""
    return f"{in_words(point.rankings).capitalize()} drawn rankings"


def _example_lines(curves: Curves, pooled: bool) -> tuple[str, ...]:
    """The fewest examples against all of them, with one configuration and with the most."""
    if not curves.examples:
        return ()
    ks = sorted({point.k for point in curves.examples})
    lines = []
    for k in dict.fromkeys((ks[0], ks[-1])):
        points = [point for point in curves.examples if point.k == k]
        if len(points) > 1 and all(sameness(point) == _SAME for point in points):
            fewest = _of(points[0].n, pooled)
            lines.append(
                f"With {counted(k, 'configuration')}, drawn rankings are always the same, from {fewest} on."
            )
            continue
        ends = " and ".join(
            f"{_agree(point)} from {_of(point.n, pooled)}" for point in dict.fromkeys((points[0], points[-1]))
        )
        lines.append(f"With {counted(k, 'configuration')}, drawn rankings {ends}.")
    return tuple(lines)


def _agree(point: CurvePoint) -> str:
    return f"are {same}" if (same := sameness(point)) else f"agree at W = {interval_text(_figure(point))}"


_SAME = "always the same"


def sameness(point: CurvePoint) -> str:
    """In words, that all drawn rankings are the same, or all but so few that an interval leaves them out."""
    if point.low is None or point.low < 1 - _ALMOST:
        return ""
    return _SAME if point.w is not None and point.w >= 1 - _ALMOST else "nearly always the same"


_ALMOST = 1e-9


def configuration_view(study: Study) -> View | None:
    """Agreement of the rankings that single configurations give, a row per data set that has any.

    Where some are left out, their number is of how many, and which.
    """
    rows, found = [], study.analysis.configuration_agreement
    for name, head in place_heads(study.paths.datasets).items():
        one = found.get(name)
        if one is None or one.value is None:
            continue
        figure = Interval(value=one.value, low=None, high=None)
        rows.append(
            (
                head,
                figure_cell(figure, "num", whisker(figure, _UNIT, one.chance)),
                DASH if one.chance is None else number_cell(f"{one.chance:.3f}"),
                _raters_cell(study, name, one.raters),
            )
        )
    names = ("Data set", "W", "By chance", "Configurations")
    return View(names, tuple(rows)) if rows else None


def _raters_cell(study: Study, place: str, raters: int) -> ViewCell:
    left_out = unranked_names(study, place)
    if not left_out:
        return number_cell(raters)
    return ViewCell(f"{raters:,} of {raters + len(study.unranked[place]):,}", f"without {left_out}", "num")


def tau_view(found: DatasetAgreement, links: Mapping[str, str]) -> View:
    """Kendall's tau-b between data sets' rankings as found."""
    figures = [[Interval(value=value, low=None, high=None) for value in row] for row in found.tau]
    return _matrix(found.datasets, figures, links)


def _matrix(names: Sequence[str], figures: Sequence[Sequence[Interval]], links: Mapping[str, str]) -> View:
    """With shades from the lowest to the highest; alike where all are alike."""
    others = [one.value for i, row in enumerate(figures) for j, one in enumerate(row) if i != j]
    known = [value for value in others if value is not None]
    ends = min(known, default=0.0), max(known, default=1.0)

    def cell(figure: Interval) -> ViewCell:
        if figure.value is None:
            return DASH
        return figure_cell(figure, f"num shade-{shade(figure.value, *ends, SHADES, _LEAST_SPAN)}")

    rows = (
        (ViewCell(name, href=links[name]), *(DASH if i == j else cell(one) for j, one in enumerate(row)))
        for i, (name, row) in enumerate(zip(names, figures, strict=True))
    )
    return View(("Data set", *names), tuple(rows))


def separability_view(study: Study) -> View:
    """How many pairs of models are told apart, a row per data set; and which difference could have been."""
    heads = place_heads(study.paths.datasets)
    detected = {place: detectable(study, place) for place in heads}
    detects = any(detected.values())
    rows = []
    for place, head in heads.items():
        apart, pairs = pairs_apart(study.analysis, place)
        rows.append(
            (
                head,
                number_cell(apart),
                number_cell(pairs),
                *((number_cell(detected[place] or DASH.text),) if detects else ()),
            )
        )
    titles = (
        "Data set",
        "Pairs told apart",
        "Pairs of models",
        *(("Detectable difference",) if detects else ()),
    )
    return View(titles, tuple(rows))


WORDS: Mapping[str, str] = {
    "model": "Models",
    "configuration": "Configurations",
    "example": "Examples",
    "model:configuration": "Models \N{MULTIPLICATION SIGN} configurations",
    "model:example": "Models \N{MULTIPLICATION SIGN} examples",
    "configuration:example": "Configurations \N{MULTIPLICATION SIGN} examples",
    "residual": "All three, and chance",
}
MEANINGS: Mapping[str, str] = {
    "model": "what a ranking is to show",
    "configuration": "some are harder for every model",
    "example": "some are harder for every model",
    "model:configuration": "one that suits one model and not another; more configurations average it out",
    "model:example": "an example that suits one model and not another; more of them average it out",
    "configuration:example": "an example that is harder in some configurations",
    "residual": "what is left; more of either averages it out",
}

_OF_CONFIGURATIONS, _OF_EXAMPLES, _OF_BOTH = "model:configuration", "model:example", "residual"


def variance_view(found: Generalizability, pooled: bool, examples: float) -> View:
    """Components with their shares; ``examples``: of a data set, of several their harmonic mean."""
    rows = tuple(
        (
            ViewCell(WORDS.get(name, name), MEANINGS.get(name, "")),
            number_cell(share_text(one.share)),
            figure_cell(one),
        )
        for name, one in found.components.items()
    )
    return View(("Source", "Share", "Variance"), rows, _lines(found, pooled, examples))


def share_text(share: float | None) -> str:
    """A share in percent; one that is not 0 does not read as 0%."""
    text = percent(share)
    return "<1%" if share and text == "0%" else text


def _as_if(found: Generalizability) -> str:
    return f", {AS_IF_WHOLE}," if found.holes else ""


def _lines(found: Generalizability, pooled: bool, examples: float) -> tuple[str, ...]:
    own = found.coefficient
    notes = tuple(f"{sentence(note)}." for note in found.notes)
    if own.value is None:
        return notes
    scores = (
        "the models\N{RIGHT SINGLE QUOTATION MARK} means over data sets, with one example of each,"
        if pooled
        else "a single score"
    )
    return (
        f"Of the variance of {scores} {percent(found.components['model'].share)} lies between models."
        f"{_blurs(found, examples)}",
        f"With this study\N{RIGHT SINGLE QUOTATION MARK}s {found.configurations} configurations and "
        f"{found.examples:g} examples{of_each(pooled)}{_as_if(found)} the "
        "generalizability coefficient of the ranking is "
        f"{interval_text(own)}; 1 would mean that another such study finds the "
        "same.",
        *notes,
    )


def _blurs(found: Generalizability, n: float) -> str:
    """What the error variance at this study's size is made of, and what twice of either would take off it."""
    k = found.configurations
    sizes = {_OF_CONFIGURATIONS: k, _OF_EXAMPLES: n, _OF_BOTH: k * n}
    errors = {name: (found.components[name].value or 0.0) / size for name, size in sizes.items()}
    whole = sum(errors.values())
    if not whole:
        return ""
    configurations, examples, both = (share_text(error / whole) for error in errors.values())
    off = {
        name: (errors[name] + errors[_OF_BOTH]) / (2 * whole) for name in (_OF_CONFIGURATIONS, _OF_EXAMPLES)
    }
    bounds = [
        (one.low / sizes[name], one.high / sizes[name])
        for name in off
        if (one := found.components[name]).low is not None and one.high is not None
    ]
    apart = len(bounds) == 2 and max(low for low, _ in bounds) > min(high for _, high in bounds)
    unsure = "" if apart else "; which of the two takes off more is open, by their intervals"
    return (
        f" Of the error variance of this study\N{RIGHT SINGLE QUOTATION MARK}s ranking {configurations} "
        f"comes from configurations that suit some models alone, {examples} from examples that do, and "
        f"{both} from what neither explains. Twice as many configurations would take about "
        f"{percent(off[_OF_CONFIGURATIONS])} off it, twice as many examples about "
        f"{percent(off[_OF_EXAMPLES])}{unsure}."
    )
