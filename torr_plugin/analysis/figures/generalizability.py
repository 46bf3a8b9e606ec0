"""Generalizability theory: where the variance of scores comes from, and how far a ranking can be trusted.

Cronbach, Gleser, Nanda and Rajaratnam, "The dependability of behavioral measurements", 1972; Brennan,
"Generalizability Theory", 2001. Models are the objects of measurement and those of the study, all there are;
configurations and examples are samples of what could have been asked; data sets are a fixed facet.

Intervals are a parametric bootstrap of the mean squares, not resamples of the scores: resampling a facet of n
levels with replacement makes its component too small by (n - 1) / n and mixes it with others (Brennan 2001,
chapter 6), and for the three or five configurations that many studies have no correction gives an interval
that covers. Instead every mean square is drawn from its scaled chi-square distribution with degrees of
freedom that the data may lower (:class:`variance_components.MeanSquare`), and the model variance from the
means with their errors: generalized confidence intervals (Weerahandi 1993; Burdick, Borror and Montgomery
2005). Simulations with known truth are in the tests.

MERGED: Where the variance of scores comes from: models, configurations, examples and how they combine.
MERGED: How many examples and configurations a reliable ranking needs, by the variance components.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..bootstrap import generator, interval
from ..charts.labels import Analysis, Lacking, Row, basis, dataset_labels, known, labels, needed
from ..charts.panels import Layout, dots, panel_labels
from ..charts.vega import GREY, ORDERED, SERIES, Drawing, heading, named_rows
from ..complete import Balanced, balanced
from ..cube import Cube
from ..decision import least_examples, ratio
from ..estimates import Options, number
from ..frame import OVERALL
from ..number_format import format_interval
from ..variance_components import (
    COMPONENTS,
    MODEL,
    Anova,
    Components,
    anova,
    composite_components,
    dataset_components,
)

if TYPE_CHECKING:
    from ..arrays import Floats

_FACETS = ("model", "configuration", "example")


def generalizability(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """Variance components and the generalizability coefficient, per data set and overall.

    Negative estimates of a component stay as they are where other components are computed from mean squares
    (Brennan's rule), and are reported as 0, with a note; they count as 0 in the error variance, the
    coefficient and the shares. With holes, only what is scored in every cell is used
    (:func:`balanced.balanced`).

    Args:
        cubes: of all data sets.
        options: resamples (draws here), level and seed are used.

    Returns:
        data set or "overall" -> ``components``: for each of ``COMPONENTS`` ``value``, ``low``, ``high`` and
        ``share`` of the sum of all; ``coefficient`` and ``relative_error`` with the study's own numbers, with
        bounds; ``models``, ``configurations``, ``examples`` (a data set's mean, overall) that were used;
        ``left_out``, what was not; ``notes``. All figures are null where there are not two models,
        configurations and examples: components cannot then be told apart. "overall" is of the models' mean
        over data sets, with one example a data set (:func:`composite.composite_components`).
    """
    parts = {OVERALL: balanced(cubes), **{cube.dataset: balanced([cube]) for cube in cubes}}
    known = _Remembered()
    return {
        place: _labelled(study_components(part, options, known), part, options)
        for place, part in parts.items()
    }


class _Remembered:
    """Analyses of variance, of which a data set's may serve alone and in the mean over data sets."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Cube, Anova]] = {}

    def __call__(self, cube: Cube) -> Anova:
        """The cube's; computed again where this data set's last cube was another."""
        last = self._known.get(cube.dataset)
        if last is None or last[0].scores is not cube.scores:
            last = self._known[cube.dataset] = cube, anova(cube.scores)
        return last[1]


def study_components(
    part: Balanced, options: Options, anovas: Callable[[Cube], Anova] | None = None
) -> Components | None:
    """Components of one data set, or of the mean over several; None where they cannot be told apart."""
    import numpy as np

    if lacking(part):
        return None
    anovas = anovas or _Remembered()
    found = [
        dataset_components(
            anovas(cube),
            generator(options.seed, "generalizability", cube.dataset),
            options.resamples,
        )
        for cube in part.cubes
    ]
    if len(found) == 1:
        return found[0]
    table: Floats = np.mean([cube.scores.mean(axis=2) for cube in part.cubes], axis=0)
    rng = generator(options.seed, "generalizability", OVERALL)
    return composite_components(table, found, rng, options.resamples)


def lacking(part: Balanced) -> list[str]:
    """Of which of model, configuration and example there are not two on some data set."""
    sizes = [min(cube.scores.shape[axis] for cube in part.cubes) for axis in range(3)]
    return [name for name, size in zip(_FACETS, sizes, strict=True) if size < 2]


def bounded(value: Floats | float, draws: Floats, level: float) -> dict[str, float | None]:
    """``value``, ``low`` and ``high`` of a figure that is not negative."""
    import numpy as np

    low, high = interval(np.maximum(draws, 0.0), level)
    return {"value": number(max(float(value), 0.0)), "low": number(float(low)), "high": number(float(high))}


def _labelled(found: Components | None, part: Balanced, options: Options) -> dict[str, Any]:
    sizes = {
        "models": len(part.cubes[0].models),
        "configurations": len(part.cubes[0].configurations),
        "examples": sum(len(cube.examples) for cube in part.cubes) / len(part.cubes),
        "left_out": part.left_out,
    }
    if found is None:
        nothing = {"value": None, "low": None, "high": None}
        return {
            "components": {name: {**nothing, "share": None} for name in COMPONENTS},
            "coefficient": nothing,
            "relative_error": nothing,
            **sizes,
            "notes": [*left_out_notes(part), _unidentified(part)],
        }
    return {
        "components": _components(found, options.level),
        "coefficient": bounded(
            ratio(found.estimates[MODEL], found.error),
            ratio(found.draws[MODEL], found.error_draws),
            options.level,
        ),
        "relative_error": bounded(found.error, found.error_draws, options.level),
        **sizes,
        "notes": [*left_out_notes(part), *negative_notes(found)],
    }


def _components(found: Components, level: float) -> dict[str, Any]:
    total = sum(max(float(found.estimates[name]), 0.0) for name in COMPONENTS)
    return {
        name: {
            **bounded(found.estimates[name], found.draws[name], level),
            "share": number(max(float(found.estimates[name]), 0.0) / total) if total > 0 else None,
        }
        for name in COMPONENTS
    }


def left_out_notes(part: Balanced) -> list[str]:
    """What the holes cost, a line; nothing where there are none."""
    if not part.left_out:
        return []
    said = ", ".join(f"{count:,} {name}" for name, count in part.left_out.items())
    return [f"left out, since not all scores of them are there: {said}"]


def _unidentified(part: Balanced) -> str:
    names = " and ".join(f"one {name}" if _some(part) else f"no {name}" for name in lacking(part))
    return f"{names} only: components cannot be told apart"


def _some(part: Balanced) -> bool:
    return all(cube.scores.size for cube in part.cubes)


def negative_notes(found: Components) -> list[str]:
    """Which components were estimated below 0, a line; nothing where none was."""
    negative = [name for name in COMPONENTS if float(found.estimates[name]) < 0]
    if not negative:
        return []
    return [f"estimated below 0, so shown as 0: {', '.join(negative)}"]


_WIDTH = 100
_SHARES = 430  # pixels of the stacked bars


def build(analysis: Analysis) -> Drawing:
    """Above, shares of the whole variance, a bar a data set; below, each component with its interval."""
    import altair as alt

    found = needed(analysis, "generalizability")
    datasets = {"overall": "overall", **dataset_labels(analysis)}
    names = labels(next(iter(found.values()))["components"], panel_labels(_WIDTH) + 6)
    rows = [
        {"row": label, "panel": names[component], "place": place, "share": entry["share"], **figure}
        for dataset, label in datasets.items()
        for place, (component, entry) in enumerate(found[dataset]["components"].items())
        if (figure := known(entry))
    ]
    if not rows:
        raise Lacking("there are no two models, configurations and examples")
    shown = list(dict.fromkeys(row["row"] for row in rows))
    layout = Layout(
        rows=shown,
        panels=list(names.values()),
        x="variance",
        width=_WIDTH,
        columns=4,
        apart=True,
    )
    lines = [
        f"{basis(analysis)}. A colon: what two together add; residual: all three, and chance. "
        "Overall: of the mean over data sets, one example each.",
        f"Lines: {100 * analysis['settings']['level']:g} % generalized confidence intervals",
    ]
    chart = alt.vconcat(_shares(shown, names), dots(rows, layout, "", []).chart, spacing=24)
    chart = chart.resolve_scale(color="independent")  # a shared legend would stand right of everything
    return Drawing(
        chart.properties(title=heading("Variance components of scores", lines, layout.whole_width)), rows
    )


def _shares(shown: list[str], names: Mapping[str, str]) -> Any:
    import altair as alt

    domain = list(names.values())
    scale = alt.Scale(domain=domain, range=[*SERIES[: len(domain) - 1], GREY])
    chart = alt.Chart(named_rows()).mark_bar(stroke="white", strokeWidth=0.5)
    return chart.encode(
        x=alt.X(
            "share:Q",
            title="share of the variance",
            stack="zero",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%"),
        ),
        y=alt.Y("row:N", title=None, scale=alt.Scale(domain=shown)),
        color=alt.Color("panel:N", title=None, scale=scale, legend=alt.Legend(orient="right")),
        order=alt.Order("place:Q"),
    ).properties(width=_SHARES, height=alt.Step(17))


TARGETS = (0.8, 0.9, 0.95, 0.99)
"""Generalizability coefficients that a line is drawn for."""

_CONFIGURATIONS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50)
_MOST = 100_000  # examples
_WIDTH_RELIABILITY_FRONTIER, _HEIGHT = 420, 260


def build_reliability_frontier(analysis: Analysis) -> Drawing:
    """The least number of examples a data set against the number of configurations, a line a reliability."""
    import altair as alt

    found = needed(analysis, "generalizability", "overall")
    rows = [*_study(analysis), *_frontiers(found["components"])]
    if not any(row["kind"] == "line" for row in rows):
        raise Lacking("no number of configurations and examples gives a reliable ranking")
    targets = [f"{target:g}" for target in TARGETS]
    scale = alt.Scale(domain=targets, range=list(ORDERED[::2]))
    base = alt.Chart().encode(
        x=alt.X("k:Q", title="configurations", scale=alt.Scale(zero=True)),
        y=alt.Y("n:Q", title="examples of each data set", scale=alt.Scale(type="log")),
    )
    line = base.transform_filter("datum.kind == 'line'").mark_line(point=alt.OverlayMarkDef(size=20))
    line = line.encode(color=alt.Color("target:N", title="reliability", scale=scale))
    study = base.transform_filter("datum.kind == 'study'").mark_point(
        shape="cross", filled=True, color="black", size=90, opacity=1
    )
    chart = alt.layer(line, study, data=named_rows()).properties(
        width=_WIDTH_RELIABILITY_FRONTIER, height=_HEIGHT
    )
    title = "Examples and configurations that a reliable ranking needs"
    return Drawing(
        chart.properties(title=heading(title, _lines(analysis, found), _WIDTH_RELIABILITY_FRONTIER + 100)),
        rows,
    )


def _lines(analysis: Analysis, found: Mapping[str, Any]) -> list[str]:
    own = found["coefficient"]
    return [
        f"{basis(analysis)}. Reliability: the generalizability coefficient, predicted from the variance "
        "components of the mean over data sets",
        f"Cross: this study, {format_interval(own['value'], own['low'], own['high'])}",
    ]


def _study(analysis: Analysis) -> list[Row]:
    """The mean numbers of the study."""
    settings = analysis["settings"]
    k, n = (sum(settings[name].values()) / len(settings[name]) for name in ("configurations", "examples"))
    return [{"kind": "study", "k": k, "n": n}]


def _frontiers(components: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    if any(entry["value"] is None for entry in components.values()):
        raise Lacking("there are no two models, configurations and examples")
    parts = {name: entry["value"] for name, entry in components.items()}
    return [
        {"kind": "line", "target": f"{target:g}", "k": k, "n": n}
        for target in TARGETS
        for k in _CONFIGURATIONS
        # the coefficient reaches t where the relative error variance is at most (1 - t) / t of the models'
        if (n := least_examples(parts, k, parts[MODEL] * (1 - target) / target)) and n <= _MOST
    ]
