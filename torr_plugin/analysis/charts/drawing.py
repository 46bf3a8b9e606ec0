"""The charts of an analysis: specifications of those that a study has, and files drawn from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..compare import group_numbers
from ..figure import Figure, FigureChart, plugin_figures
from ..figures.model_scores import MODEL_SCORES
from ..figures.pairs import RANK_INTERVALS
from ..figures.perturbations import PERTURBATIONS
from ..figures.settings import HOLES, SETTINGS
from ..registered import OWN_FIGURES
from ..results import PLUGINS, AnalysisResults, as_results
from .labels import ChartContext, NoChart
from .vega import Spec
from .workers import ENDINGS, ChartWorkers, Job, chart_workers


def chart_names() -> tuple[str, ...]:
    """The names of all charts of the project's own figures."""
    return tuple(chart.name for figure in OWN_FIGURES for chart in figure.charts)


@dataclass(frozen=True)
class DrawnChart:
    """A chart on the disk.

    Attributes:
        stem: its files without their endings, ``.svg``, ``.png`` and ``.pdf``.
        title: what stands above it.
    """

    stem: Path
    title: str


@dataclass(frozen=True)
class Drawn:
    """What was drawn of a study.

    Attributes:
        charts: in the order of the figures, those of the whole study first.
        left_out: a line for each reason why the study lacks charts. A chart that a part alone lacks is named
            with the part's folder.
        failed: a line for each chart that could not be drawn.
    """

    charts: tuple[DrawnChart, ...]
    left_out: tuple[str, ...]
    failed: tuple[str, ...] = ()

    @property
    def paths(self) -> list[Path]:
        """The files."""
        return [chart.stem.with_name(chart.stem.name + ending) for chart in self.charts for ending in ENDINGS]


def specifications(
    analysis: AnalysisResults | Mapping[str, Any],
    *,
    broken: dict[str, str] | None = None,
    tiers: Mapping[str, int] | None = None,
) -> tuple[dict[str, Spec], dict[str, str]]:
    """Every chart that a study has.

    Args:
        analysis: the results, or the contents of an ``analysis.json``.
        broken: takes the charts that cannot be made, and why, as an analysis from elsewhere may be odd;
            without it an error is raised. Charts of plugins' figures never raise.
        tiers: as for :func:`chart_context`.

    Returns:
        Chart name -> its Vega-Lite specification with the data in it; and for the charts that the study
        lacks, name -> why.
    """
    results = as_results(analysis)
    context = chart_context(results, tiers)
    found: dict[str, Spec] = {}
    lacking: dict[str, str] = {}
    for name, chart, result, figure in _charts(results):
        try:
            found[name] = _specification(chart, result, context)
        except NoChart as reason:
            lacking[name] = str(reason)
        except Exception as error:  # whatever an odd file, or a plugin, makes of a chart
            if broken is None and figure in OWN_FIGURES:
                raise
            why = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            (lacking if broken is None else broken)[name] = why
    return found, lacking


def chart_context(results: AnalysisResults, tiers: Mapping[str, int] | None = None) -> ChartContext:
    """What charts say of the study that they are of; ``tiers`` of its models stand for the analysis's."""
    perturbations = results.get(PERTURBATIONS)
    return ChartContext(
        results[SETTINGS],
        results[MODEL_SCORES].ranked(),
        _tiers(results) if tiers is None else tiers,
        perturbed=perturbations is not None and perturbations.several,
        uneven=results[HOLES].not_asked > 0,
    )


def _tiers(results: AnalysisResults) -> dict[str, int]:
    found = results[RANK_INTERVALS].tiers
    return group_numbers(() if found is None else found.overall)


def _charts(results: AnalysisResults) -> Iterator[tuple[str, FigureChart, Any, Figure[Any]]]:
    for figure in OWN_FIGURES:
        for chart in figure.charts:
            yield chart.name, chart, results.get(figure), figure
    for figure in plugin_figures():
        for chart in figure.charts if figure.key in results.plugins else ():
            yield f"{PLUGINS}/{chart.name}", chart, results.plugins[figure.key], figure


def _specification(chart: FigureChart, result: Any, context: ChartContext) -> Spec:
    if result is None:
        raise NoChart(chart.absent or f"the analysis has no {chart.name}")
    if not chart.part(result):
        raise NoChart(chart.absent_part or chart.absent or f"the analysis has no {chart.name}")
    return chart.drawn(result, context)


def draw(
    folders: Mapping[Path, AnalysisResults | Mapping[str, Any]],
    *,
    keep_going: bool = False,
    workers: ChartWorkers | None = None,
    tiers: Mapping[str, int] | None = None,
    on_drawn: Callable[[str], object] | None = None,
) -> Drawn:
    """Draw every chart that a study has, as ``<name>.svg``, ``<name>.png`` and ``<name>.pdf``.

    Args:
        folders: where charts go -> what they are of; the whole study's first, parts of it in folders below.
        keep_going: a chart that cannot be drawn is reported in ``failed``, and does not stop the others.
        workers: processes that draw; by default some are started, and ended afterwards.
        tiers: as for :func:`chart_context`.
        on_drawn: called in any thread with a chart's files without their endings, as soon as they are there.

    Raises:
        OSError: a folder cannot be made.
        RuntimeError: a chart cannot be drawn, unless ``keep_going``.
    """
    if workers is None:
        with chart_workers() as started:
            return draw(folders, keep_going=keep_going, workers=started, tiers=tiers, on_drawn=on_drawn)
    jobs: list[Job] = []
    failed: dict[str, str] = {}
    reasons: list[tuple[Path, Mapping[str, str]]] = []
    for folder, analysis in folders.items():
        broken: dict[str, str] = {}
        found, lacking = specifications(analysis, broken=broken if keep_going else None, tiers=tiers)
        for name, specification in found.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            jobs.append((str(folder / name), specification))
        failed |= {str(folder / name): why for name, why in broken.items()}
        reasons.append((folder, lacking))
    failed |= workers.draw(jobs, on_drawn)
    if failed and not keep_going:
        stem, why = next(iter(failed.items()))
        raise RuntimeError(f"{stem}: {why}")
    charts = tuple(DrawnChart(Path(stem), _title(each)) for stem, each in jobs if stem not in failed)
    whole = f"{next(iter(folders), '')}{os.sep}"
    lines = tuple(
        f"no chart {Path(stem.removeprefix(whole)).as_posix()}: {why}" for stem, why in failed.items()
    )
    return Drawn(charts, tuple(_left_out(reasons)), lines)


class ChartsAhead:
    """Starts to draw the charts of figures while others are still being computed.

    Args:
        workers: who draw.
    """

    def __init__(self, workers: ChartWorkers) -> None:
        self._workers = workers

    def __call__(self, computed: Mapping[str, Any], figure: Figure[Any]) -> None:
        """Draw a figure's charts, and those of earlier ones where it is the last that charts need.

        Args:
            computed: the results so far, by key of the figure.
            figure: whose result was added just now.
        """
        results = AnalysisResults(computed)
        if any(needed.key not in computed for needed in _NEEDED):
            return
        context = chart_context(results)
        for each in OWN_FIGURES if figure in _NEEDED else (figure,):
            for chart in each.charts if each.key in computed else ():
                with suppress(Exception):  # those who draw them all say why there is none
                    self._workers.draw_ahead(_specification(chart, results.get(each), context))


_NEEDED: tuple[Figure[Any], ...] = (SETTINGS, HOLES, MODEL_SCORES, RANK_INTERVALS, PERTURBATIONS)


def _title(specification: Spec) -> str:
    title = specification.get("title", "")
    return str(title.get("text", "") if isinstance(title, Mapping) else title)


def _left_out(reasons: Sequence[tuple[Path, Mapping[str, str]]]) -> list[str]:
    """A line a reason; what the whole study lacks is not repeated for its parts."""
    (whole, lacking), *parts = reasons
    names: dict[str, list[str]] = {}
    for name, reason in lacking.items():
        names.setdefault(reason, []).append(name)
    for folder, of_part in parts:
        for name, reason in of_part.items():
            if name not in lacking:
                names.setdefault(reason, []).append((folder.relative_to(whole) / name).as_posix())
    return [f"no chart {', '.join(each)}: {reason}" for reason, each in names.items()]
