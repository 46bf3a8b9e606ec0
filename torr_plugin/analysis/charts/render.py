"""Draws the charts of an analysis: Vega-Lite specifications in, SVG, PNG and PDF out, without a network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import vl_convert

from ...core.atomic_files import write_file
from ..compare import group_numbers
from ..figure import FigureChart, plugin_figures
from ..figures.model_scores import MODEL_SCORES
from ..figures.pairs import RANK_INTERVALS
from ..figures.perturbations import PERTURBATIONS
from ..figures.settings import HOLES, SETTINGS
from ..options import ChartFormat
from ..registered import own_figures
from ..results import PLUGINS, AnalysisResults, as_results
from .labels import ChartContext, NoChart
from .vega import Spec

SCALE = 2
"""Pixels of the PNG a pixel of the chart: 192 dots an inch."""

# names of Object.prototype in JavaScript
_OF_EVERY_OBJECT = (
    *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString"),
    *("valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
)
# XML has no other characters (XML 1.0, section 2.2), and vl-convert would end the whole process over one
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_svg(specification: Mapping[str, Any]) -> str:
    """A chart as SVG; the same text for the same specification, independent of earlier drawings.

    Nothing is loaded from addresses in it, be they of the network or of this machine's files.
    """
    svg: str = vl_convert.vegalite_to_svg(json.dumps(_drawable(specification)), allowed_base_urls=[])
    return _renumbered(svg)


def to_png(svg: str) -> bytes:
    """A chart's SVG as the bytes of a PNG file."""
    png: bytes = vl_convert.svg_to_png(svg, scale=SCALE)
    return png


def to_pdf(svg: str) -> bytes:
    """A chart's SVG as the bytes of a PDF file, with its letters as text."""
    pdf: bytes = vl_convert.svg_to_pdf(svg)
    return pdf


def _drawable(part: Any) -> Any:
    """The same, with texts that can be drawn.

    Vega keeps groups in plain objects, and finds what all objects have under a label such as "constructor":
    these get a space behind them that is not seen.
    """
    if isinstance(part, str):
        text = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", part)
        return f"{text}\N{NO-BREAK SPACE}" if text in _OF_EVERY_OBJECT else text
    if isinstance(part, Mapping):
        return {_drawable(name): _drawable(value) for name, value in part.items()}
    return [_drawable(each) for each in part] if isinstance(part, list | tuple) else part


def _renumbered(svg: str) -> str:
    """The ids of gradients and clips counted from 0: Vega counts on from chart to chart."""
    names: dict[str, str] = {}
    for kind, number in re.findall(r'id="(gradient_|clip)(\d+)"', svg):
        names.setdefault(f"{kind}{number}", f"{kind}{len(names)}")
    return re.sub(
        r'(id="|url\(#)((?:gradient_|clip)\d+)', lambda found: found[1] + names.get(found[2], found[2]), svg
    )


def chart_names() -> tuple[str, ...]:
    """The names of all charts of the project's own figures."""
    return tuple(chart.name for figure in own_figures() for chart in figure.charts)


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
    return group_numbers(results[RANK_INTERVALS].tiers.overall)


def specifications(analysis: AnalysisResults | Mapping[str, Any]) -> tuple[dict[str, Spec], dict[str, str]]:
    """Every chart that a study has.

    Args:
        analysis: the results, or the contents of an ``analysis.json``.

    Returns:
        Chart name -> its Vega-Lite specification with the data in it; and for the charts that the study
        lacks, name -> why. A chart of a plugin's figure that cannot be made is lacking.
    """
    results = as_results(analysis)
    context = chart_context(results)
    found: dict[str, Spec] = {}
    lacking: dict[str, str] = {}
    for name, chart, result in _charts(results):
        try:
            found[name] = _specification(chart, result, context)
        except NoChart as reason:
            lacking[name] = str(reason)
        except Exception as error:  # whatever a plugin makes of a chart
            if not name.startswith(f"{PLUGINS}/"):
                raise
            lacking[name] = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return found, lacking


def _charts(results: AnalysisResults) -> Iterator[tuple[str, FigureChart, Any]]:
    for figure in own_figures():
        for chart in figure.charts:
            yield chart.name, chart, results.get(figure)
    for figure in plugin_figures():
        for chart in figure.charts if figure.key in results.plugins else ():
            yield f"{PLUGINS}/{chart.name}", chart, results.plugins[figure.key]


def _specification(chart: FigureChart, result: Any, context: ChartContext) -> Spec:
    if result is None:
        raise NoChart(chart.absent or f"the analysis has no {chart.name}")
    if not chart.part(result):
        raise NoChart(chart.absent_part or chart.absent or f"the analysis has no {chart.name}")
    return chart.drawn(result, context)


@dataclass(frozen=True)
class Drawn:
    """What was drawn of a study.

    Attributes:
        paths: the files.
        left_out: a line for each reason why the study lacks charts. A chart that a part alone lacks is named
            with the part's folder.
    """

    paths: tuple[Path, ...] = ()
    left_out: tuple[str, ...] = ()


def draw(
    folders: Mapping[Path, AnalysisResults | Mapping[str, Any]], formats: Sequence[ChartFormat] = ("svg",)
) -> Drawn:
    """Draw every chart that a study has, as ``<name>.svg`` and so on.

    Args:
        folders: where charts go -> what they are of; the whole study's first, parts of it in folders below.
        formats: of the files.

    Raises:
        OSError: a file cannot be written.
        ValueError: a chart cannot be drawn.
    """
    paths: list[Path] = []
    reasons: list[tuple[Path, Mapping[str, str]]] = []
    for folder, analysis in folders.items():
        found, lacking = specifications(analysis)
        for name, specification in found.items():
            svg = to_svg(specification)
            for form in formats:
                content = to_png(svg) if form == "png" else to_pdf(svg) if form == "pdf" else svg.encode()
                paths.append(write_file(folder / f"{name}.{form}", content, flush=False))
        reasons.append((folder, lacking))
    return Drawn(tuple(paths), tuple(_left_out(reasons)))


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
