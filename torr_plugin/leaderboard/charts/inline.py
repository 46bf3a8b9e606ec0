"""Charts drawn while the site is made, as SVG that stands in the page.

Colours are the style sheet's variables, so that themes, dark mode and print need no second drawing. The
drawing has no styles, scripts or links of its own: elements and attributes that are not listed here are left
out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any
from xml.etree import ElementTree as ET

from markupsafe import Markup

from ...analysis.charts.render import to_svg
from ...analysis.charts.vega import GREY, INK, ORDERED, PAPER, SERIES, Spec
from ..text import visible
from .chart import Chart

WIDTH = 390
"""Pixels of a chart that fills its place: on a phone letters shrink to 12 pixels, in a column they grow."""

_AXIS = 50  # pixels beside a plot
_COLUMN = 480  # what is wider needs more than half a page

_INK, _SOFT, _LINE, _GRID = "var(--ink)", "var(--soft)", "var(--line)", "var(--grid)"
THEME: Spec = {
    "background": None,
    "font": "Liberation Sans",
    "padding": 2,
    "view": {"stroke": None},
    "axis": {
        "aria": False,
        "labelColor": _SOFT,
        "titleColor": _SOFT,
        "gridColor": _GRID,
        "domainColor": _LINE,
        "tickColor": _LINE,
        "titleFontWeight": "normal",
        "labelFontSize": 13.5,
        "titleFontSize": 13.5,
        "labelLimit": 150,
    },
    "legend": {
        "aria": False,
        "labelColor": _INK,
        "titleColor": _SOFT,
        "titleFontWeight": "normal",
        "labelFontSize": 13.5,
        "titleFontSize": 13.5,
        "symbolOpacity": 1,
    },
    "header": {"labelColor": _INK, "titleColor": _SOFT, "labelFontSize": 13.5},
    "title": {"color": _INK},
    "mark": {"color": "var(--series-1)"},
    "text": {"color": _INK},
    "rule": {"color": _INK},
    "range": {"category": [f"var(--series-{number})" for number in range(1, 9)]},
}

# what the analysis paints, in the colours of the reader's theme
_COLOURS = {colour.lower(): f"var(--series-{number})" for number, colour in enumerate(SERIES, 1)}
_COLOURS |= {colour: f"color-mix(in srgb, {colour} 65%, {_INK})" for colour in ORDERED}
_COLOURS |= {GREY: _SOFT, INK: _INK, PAPER: "var(--ground)"}

_SVG = "http://www.w3.org/2000/svg"
_ELEMENTS = frozenset(
    {
        *("svg", "g", "path", "text", "tspan", "line", "rect", "circle"),
        *("defs", "clipPath", "linearGradient", "stop"),
    }
)
_ATTRIBUTES = frozenset(
    {
        *("d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry", "width", "height", "dx", "dy"),
        *("transform", "viewBox", "id", "offset", "gradientUnits", "clip-path", "fill", "stroke", "opacity"),
        *("stop-color", "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray"),
        *("stroke-dashoffset", "stroke-linecap", "stroke-linejoin"),
        *("text-anchor", "font-size", "font-weight", "font-style"),
    }
)
_DEFAULTS = {
    ("opacity", "1"),
    ("stroke-width", "1"),
    ("font-weight", "normal"),
    ("transform", "translate(0,0)"),
}
_LONG_NUMBER = re.compile(r"-?\d+\.\d{2,}(?:e-?\d+)?")


def inline_svg(specification: Mapping[str, Any], title: str = "", description: str = "") -> Markup:
    """A Vega-Lite chart as an ``<svg>`` for a page.

    Its own title, which stands above it on the page, and its own look are left out.

    Args:
        specification: with its data.
        title: what is shown, a line.
        description: the same for those who do not see it.
    """
    root = ET.fromstring(to_svg(_themed(specification)))  # noqa: S314 (Vega's own output, without entities)
    text = "\n".join((ET.tostring(root, encoding="unicode"), title, description))
    name = f"c{sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"
    drawn = _cleaned(root, name)
    style = "drawn wide" if float(root.get("width", WIDTH)) > _COLUMN else "drawn"
    drawn.attrib |= {"class": style, "role": "img", "aria-label": str(visible(title))}
    if description:
        drawn.attrib["aria-describedby"] = f"{name}-text"
        told = ET.Element("desc", {"id": f"{name}-text"})
        told.text = str(visible(description))
        drawn.insert(0, told)
    return Markup(ET.tostring(drawn, encoding="unicode"))  # noqa: S704 (all text in it is escaped)


def chart_svg(chart: Chart) -> Markup:
    """A chart of a page; a line in its place where it cannot be drawn."""
    try:
        return inline_svg(chart.specification, chart.title, chart.description)
    except Exception as error:
        why = str(visible(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"))
        return Markup('<p class="legend">This chart could not be drawn ({}).</p>').format(why)


def _themed(specification: Mapping[str, Any]) -> Spec:
    """The chart in the page's look, as wide as it may be."""
    chart = {name: part for name, part in specification.items() if name not in ("title", "config", "$schema")}
    width = chart.get("width")
    if isinstance(width, int) and WIDTH - _AXIS < width < WIDTH:  # a little too wide for a phone's letters
        chart["width"] = WIDTH - _AXIS
    return {**_undescribed(chart), "config": THEME}


def _undescribed(part: Any) -> Any:
    """The same chart; its marks have no description each, as the whole has one."""
    if isinstance(part, list):
        return [_undescribed(each) for each in part]
    if not isinstance(part, Mapping):
        return part
    found = {name: each if name == "datasets" else _undescribed(each) for name, each in part.items()}
    if "mark" in found:
        mark = found["mark"] if isinstance(found["mark"], dict) else {"type": found["mark"]}
        found["mark"] = {**mark, "aria": False}
    return found


def _cleaned(element: ET.Element, name: str) -> ET.Element:
    """An element with what a page needs of it; ids begin with ``name``."""
    found = ET.Element(_kind(element), dict(_attributes(element, name)))
    found.text = str(visible(element.text)) if element.text else None
    for child in filter(_shown, element):
        one = _cleaned(child, name)
        if one.tag != "g" or (one.attrib and len(one)):
            found.append(one)
        else:
            found.extend(one)
    return found


def _kind(element: ET.Element) -> str:
    return element.tag.removeprefix(f"{{{_SVG}}}")


def _shown(element: ET.Element) -> bool:
    kind = _kind(element)
    if kind not in _ELEMENTS or element.get("display") == "none":
        return False
    bare = element.get("fill") in (None, "none", "transparent") and element.get("stroke") is None
    return not (kind == "path" and "background" in element.get("class", "") and bare)


def _attributes(element: ET.Element, name: str) -> Iterator[tuple[str, str]]:
    for attribute, value in element.items():
        if attribute not in _ATTRIBUTES or (attribute, value) in _DEFAULTS:
            continue
        if attribute == "id":
            yield attribute, f"{name}-{value}"
        elif value.startswith("url(#"):
            yield attribute, value.replace("url(#", f"url(#{name}-")
        elif attribute in ("fill", "stroke", "stop-color"):
            yield attribute, _COLOURS.get(value.lower(), value)
        else:
            yield attribute, _LONG_NUMBER.sub(_rounded, value)


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 1) + 0.0:g}"
