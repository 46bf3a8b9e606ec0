"""Charts: specifications with names as values alone, and what stands in the pages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from torr_plugin.analysis.figures.reliability import CurvePoint, Curves
from torr_plugin.analysis.result import Everywhere, Interval
from torr_plugin.leaderboard.charts import Chart, chart_of
from torr_plugin.leaderboard.charts.chart import difficulty_chart, marked_text, profile_chart
from torr_plugin.leaderboard.charts.inline import chart_svg, inline_svg
from torr_plugin.leaderboard.charts.reliability import example_chart, prompt_chart
from torr_plugin.leaderboard.views import figure_text

pytestmark = pytest.mark.full

NAMES = ("datum.x", "[0]", "__proto__", "</script><b>", "a'\"b", "{{ 7 * 7 }}", "constructor")
ROOT = Path(__file__).resolve().parents[2]


def figure(value: float | None, half: float = 0.05) -> Interval:
    if value is None:
        return Interval(value=None, low=None, high=None)
    return Interval(value=value, low=value - half, high=value + half)


def of_models(values: dict[str, float | None]) -> dict[str, Everywhere]:
    return {
        model: Everywhere(overall=figure(value), datasets={name: figure(value) for name in NAMES})
        for model, value in values.items()
    }


def every_chart() -> list[Chart]:
    figures = of_models({NAMES[0]: 0.4, NAMES[1]: 0.7, NAMES[2]: None})
    return [
        profile_chart(NAMES[0], "performance", figures, {}),
        profile_chart(NAMES[2], "robustness", figures, {}),
        difficulty_chart(NAMES[3], [0, 0.5, 1], [3, 4]),
    ]


def test_names_from_data_are_values_and_never_part_of_a_specification() -> None:
    for chart in every_chart():
        rest = {name: part for name, part in chart.specification.items() if name != "datasets"}
        text = json.dumps(rest)
        assert not [name for name in NAMES if json.dumps(name)[1:-1] in text]
        assert "http" not in text
        assert set(chart.specification["datasets"]) == {"rows"}


def test_a_chart_with_a_height_of_its_own_keeps_it() -> None:
    own = {"mark": "bar", "height": {"step": 20}}
    chart = chart_of("a", "t", "d", own, rows=[], height=200)
    assert chart.specification == {**own, "data": {"name": "rows"}, "datasets": {"rows": []}}
    composed = chart_of("a", "t", "d", {"hconcat": []}, rows=[], height=200)
    assert "height" not in composed.specification


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


def test_marks_tell_their_figure_under_the_pointer() -> None:
    chart = every_chart()[0]
    told = [each.text or "" for each in ElementTree.fromstring(inline_svg(chart.specification)).iter("title")]
    assert any(text.startswith("Data set: </script><b>\nPerformance: 0.400 [0.350, 0.450]") for text in told)


def test_two_charts_of_a_page_share_no_id() -> None:
    charts = [ElementTree.fromstring(inline_svg(each.specification, "", "B")) for each in every_chart()]
    ids = [element.attrib["id"] for root in charts for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids)) >= len(charts)


def test_a_chart_that_cannot_be_drawn_is_a_line() -> None:
    odd = replace(every_chart()[0], specification={"mark": "<b>"})
    assert "could not be drawn" in chart_svg(odd)
    assert "<b>" not in chart_svg(odd)


def test_the_table_of_a_profile_has_its_numbers() -> None:
    found = of_models({"a": 0.25, "b": 0.5, "c": 0.75, "d": None})
    intervals = {name: {"b": (1, 3)} for name in NAMES}
    chart = profile_chart("b", "performance", found, intervals)
    assert chart.table[0] == ("Data set", "Performance", "Rank", "Lowest", "Median", "Highest")
    assert chart.table[1] == (NAMES[0], "0.500 [0.450, 0.550]", "1\N{EN DASH}3", "0.25", "0.50", "0.75")
    without = profile_chart("d", "performance", found, {})
    assert without.table[0] == ("Data set", "Performance", "Lowest", "Median", "Highest")
    assert without.table[1] == (NAMES[0], "\N{EN DASH}", "0.25", "0.50", "0.75")


def test_incomplete_figures_are_marked() -> None:
    lacking = Interval(value=0.5, low=0.3, high=0.7, complete=False)
    assert marked_text(figure_text(lacking)) == "0.50* [0.30, 0.70]"


def curves(ks: Sequence[int], half: float, examples: Sequence[int] = (5, 244)) -> Curves:
    def point(k: int, n: int) -> CurvePoint:
        return CurvePoint(
            k=k, n=n, w=0.9, low=0.9 - half, high=0.9 + half, spearman=None, rankings=10, chance=0.1
        )

    return Curves(prompts=[point(k, 20) for k in ks], examples=[point(1, n) for n in examples])


def words(chart: Chart | None) -> list[str]:
    assert chart is not None
    root = ElementTree.fromstring(inline_svg(chart.specification))
    return ["".join(each.itertext()) for each in root.iter() if each.tag.endswith("text")]


def test_configurations_and_examples_are_counted_in_whole_numbers_that_can_be_read() -> None:
    across = words(prompt_chart(curves(range(1, 5), 0.0), "all", "", 0, "95%"))
    assert {"1", "2", "3", "4"} <= {*across}
    assert "1.5" not in across
    counts = [text for text in words(example_chart(curves([1], 0.0), "all", "", 0, False)) if text.isdigit()]
    assert [text for text in counts if text != "1"] == ["5", "10", "20", "50", "100", "200"]


def test_bands_are_told_of_where_they_are_seen() -> None:
    notes = [
        chart.note
        for half in (0.0, 0.05)
        if (chart := prompt_chart(curves([1, 2], half), "all", "", 0, "95%"))
    ]
    assert notes == ["", "Shaded: where 95% of the single draws lie."]


def test_counts_of_a_histogram_are_as_they_were() -> None:
    chart = difficulty_chart("d", [0.0, 0.5, 1.0], [1, 3])
    assert [row["count"] for row in chart.specification["datasets"]["rows"]] == [1, 3]
    assert chart.table[1:] == (("0.00 to 0.50", "1 of 4 (25.0%)"), ("0.50 to 1.00", "3 of 4 (75.0%)"))


# Files of charts
