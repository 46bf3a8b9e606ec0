"""Charts: specifications with names as values alone, and what stands in the pages."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from torr_plugin.leaderboard.charts.chart import Chart
from torr_plugin.leaderboard.charts.inline import chart_svg, inline_svg

pytestmark = pytest.mark.full

NAMES = ("datum.x", "[0]", "__proto__", "</script><b>", "a'\"b", "{{ 7 * 7 }}", "constructor")
ROOT = Path(__file__).resolve().parents[2]


def bars(name: str) -> Chart:
    """A bar a name from the data."""
    rows = [{"label": each, "value": place / 10} for place, each in enumerate(NAMES, 1)]
    encoding = {
        "x": {"field": "value", "type": "quantitative"},
        "y": {"field": "label", "type": "nominal"},
    }
    drawn = {
        "data": {"name": "rows"},
        "mark": {"type": "bar", "color": "var(--performance)"},
        "encoding": encoding,
        "datasets": {"rows": rows},
    }
    return Chart(name, f"Of {NAMES[3]}", f"Bars of {NAMES[4]}.", drawn)


def every_chart() -> list[Chart]:
    other = bars("two")
    return [bars("one"), replace(other, title=f"Others, of {NAMES[5]}")]


@pytest.mark.parametrize("chart", every_chart(), ids=lambda chart: chart.name)
def test_a_chart_in_a_page_has_nothing_that_a_policy_forbids_and_names_as_text_alone(chart: Chart) -> None:
    svg = inline_svg(chart.specification, chart.title, chart.description)
    root = ElementTree.fromstring(svg)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == chart.title
    assert root.find("desc").text == chart.description  # type: ignore[union-attr]
    for element in root.iter():
        assert element.tag in {"svg", "g", "path", "text", "line", "rect", "title", "desc"}
        assert not {"style", "class", "href"} & element.attrib.keys() or element is root
    assert "</script>" not in svg
    assert {"fill", "stroke"} <= {name for element in root.iter() for name in element.attrib}
    assert not re.search(r'(fill|stroke)="#', svg)  # all colours are the theme's


def test_two_charts_of_a_page_share_no_id() -> None:
    charts = [
        ElementTree.fromstring(inline_svg(each.specification, each.title, "B")) for each in every_chart()
    ]
    ids = [element.attrib["id"] for root in charts for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids)) >= len(charts)


def test_a_chart_that_cannot_be_drawn_is_a_line() -> None:
    odd = replace(every_chart()[0], specification={"mark": "<b>"})
    assert "could not be drawn" in chart_svg(odd)
    assert "<b>" not in chart_svg(odd)
