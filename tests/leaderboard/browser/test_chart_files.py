"""Each chart as a file, SVG and PNG, made in the browser of what a reader looks at."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ..conftest import OpenPage
from ..simulated import DATASETS

pytestmark = pytest.mark.site

SVG = "{http://www.w3.org/2000/svg}"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*\.(svg|png)")


def saved(page: Any, chart: str, kind: str) -> tuple[str, bytes]:
    """The name and content of what the button of a chart gives."""
    with page.expect_download() as waiting:
        page.locator(f'#chart-{chart} button[data-save="{kind}"]').click()
    found = waiting.value
    return found.suggested_filename, Path(found.path()).read_bytes()


def drawing_of(content: bytes) -> ElementTree.Element:
    """An SVG that stands alone: no style sheet of a page, no script, nothing from elsewhere."""
    text = content.decode("utf-8")
    assert "var(" not in text
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    for element in root.iter():
        assert element.tag.removeprefix(SVG) not in ("script", "foreignObject", "style", "iframe", "image")
        assert not [name for name in element.attrib if name.lower().startswith("on")]
    return root


def texts(root: ElementTree.Element) -> str:
    return "\n".join("".join(element.itertext()) for element in root.iter(f"{SVG}text"))


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return int(width), int(height)


@pytest.mark.parametrize("place", ["models", "datasets"])
def test_every_chart_of_the_page_can_be_saved(open_page: OpenPage, planned: Path, place: str) -> None:
    path = sorted(planned.glob(f"*/{place}/*.html"))[0]
    page = open_page(path).settle().page
    charts = [
        each.get_attribute("data-chart") for each in page.locator("[data-chart]").filter(visible=True).all()
    ]
    assert len(charts) >= 2
    for chart in charts:
        name, svg = saved(page, chart, "svg")
        assert NAME.fullmatch(name)
        assert path.stem.replace("_", "-") in name
        assert chart in name
        root = drawing_of(svg)
        assert page.locator(f"#chart-{chart} figcaption").inner_text() in texts(root)
        name, png = saved(page, chart, "png")
        assert NAME.fullmatch(name)
        width, height = size_of(png)
        assert (width, height) == (
            2 * round(float(root.attrib["width"])),
            2 * round(float(root.attrib["height"])),
        )
        assert width >= 400


def test_the_file_shows_what_is_chosen_and_says_so(open_page: OpenPage, planned: Path) -> None:
    (path,) = planned.glob("*/reliability.html")
    page = open_page(path).settle().page
    first = saved(page, "w-prompts", "svg")
    page.select_option("#curves-dataset", label=DATASETS[1])
    page.locator('table[data-view="prompts"] caption', has_text=DATASETS[1]).wait_for(state="attached")
    name, content = saved(page, "w-prompts", "svg")
    assert name != first[0]
    assert DATASETS[1].replace("_", "-") in name
    assert f"Data set: {DATASETS[1]}" in texts(drawing_of(content))
    assert texts(drawing_of(content)) != texts(drawing_of(first[1]))


def test_the_file_has_the_reader_s_theme(open_page: OpenPage, planned: Path) -> None:
    path = sorted(planned.glob("*/models/*.html"))[0]
    grounds = set()
    for theme in ("light", "dark"):
        root = drawing_of(saved(open_page(path, theme=theme).page, "performance", "svg")[1])
        grounds.add(next(root.iter(f"{SVG}rect")).attrib["fill"])
    assert len(grounds) == 2


@pytest.mark.parametrize("width", [360, 1280])
def test_the_keyboard_saves_too_and_nothing_moves(open_page: OpenPage, planned: Path, width: int) -> None:
    opened = open_page(sorted(planned.glob("*/datasets/*.html"))[0], width=width).settle()
    before = opened.page.evaluate("document.documentElement.scrollHeight")
    button = opened.page.locator('#chart-models button[data-save="svg"]')
    assert button.inner_text().startswith("SVG")
    button.focus()
    with opened.page.expect_download() as waiting:
        opened.page.keyboard.press("Enter")
    root = drawing_of(Path(waiting.value.path()).read_bytes())
    assert float(root.attrib["width"]) <= width
    assert opened.page.evaluate("document.documentElement.scrollHeight") == before
    assert opened.page.evaluate("document.activeElement.dataset.save") == "svg"


def test_a_file_that_cannot_be_made_is_said(open_page: OpenPage, planned: Path) -> None:
    page = open_page(sorted(planned.glob("*/models/*.html"))[0]).page
    page.evaluate("() => { torr.chart.vega = () => Promise.reject(new Error('it is not there')); }")
    button = page.locator('#chart-performance button[data-save="png"]')
    button.click()
    page.locator("#chart-performance [data-saved]", has_text="could not be made (it is not there)").wait_for()


def test_without_script_no_button_promises_a_file(open_page: OpenPage, planned: Path) -> None:
    page = open_page(sorted(planned.glob("*/models/*.html"))[0], script=False).page
    assert page.locator("button[data-save]").count() >= 2
    assert page.locator("button[data-save]").filter(visible=True).count() == 0


def test_hostile_names_are_text_in_the_file(open_page: OpenPage, hostile_charts: Path) -> None:
    folder = next(hostile_charts.glob("*/datasets"))
    for path in sorted(folder.glob("*.html"))[:3]:
        page = open_page(path).page
        for chart in ("models", "win-rates-serializer"):
            name, svg = saved(page, chart, "svg")
            assert NAME.fullmatch(name)
            drawing_of(svg)
            size_of(saved(page, chart, "png")[1])


def test_a_model_called_like_a_colour_keeps_its_name(open_page: OpenPage, planned: Path) -> None:
    page = open_page(sorted(planned.glob("*/datasets/*.html"))[0]).settle().page
    page.evaluate(
        """() => {
          const holder = document.querySelector('[data-specification="models"]');
          const rows = JSON.parse(holder.textContent).datasets.rows;
          rows.forEach(row => Object.keys(row).forEach(key => {
            if (row[key] === rows[0].label) row[key] = "var(--ink)";
          }));
          torr.redraw("models", rows);
        }"""
    )
    assert ">var(--ink)<" in saved(page, "models", "svg")[1].decode()
