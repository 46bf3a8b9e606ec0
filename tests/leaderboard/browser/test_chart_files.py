"""Each chart as a file, SVG and PNG, made in the browser of what a reader looks at."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from .conftest import OpenPage

pytestmark = pytest.mark.full

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


@pytest.mark.parametrize(("place", "charts_there"), [("models", 2), ("datasets", 1)])
def test_every_chart_of_the_page_can_be_saved(
    open_page: OpenPage, planned: Path, place: str, charts_there: int
) -> None:
    path = sorted(planned.glob(f"{place}/*.html"))[0]
    page = open_page(path).settle().page
    figures = page.locator("figure.chart:has(button[data-save])").filter(visible=True).all()
    charts = [(each.get_attribute("id") or "").removeprefix("chart-") for each in figures]
    assert len(charts) == charts_there
    for chart in charts:
        name, svg = saved(page, chart, "svg")
        assert NAME.fullmatch(name)
        assert path.stem.replace("_", "-") in name
        assert chart in name
        root = drawing_of(svg)
        said = page.locator(f"#chart-{chart} figcaption").inner_text()
        assert said in " ".join(texts(root).split())
        name, png = saved(page, chart, "png")
        assert NAME.fullmatch(name)
        width, height = size_of(png)
        assert abs(width - 3 * float(root.attrib["width"])) <= 1
        assert abs(height - 3 * float(root.attrib["height"])) <= 1
        assert width >= 1000


def test_the_file_has_the_reader_s_theme_and_a_failure_is_said(open_page: OpenPage, planned: Path) -> None:
    path = sorted(planned.glob("models/*.html"))[0]
    grounds = set()
    for theme in ("light", "dark"):
        page = open_page(path, theme=theme).page
        root = drawing_of(saved(page, "performance", "svg")[1])
        grounds.add(next(root.iter(f"{SVG}rect")).attrib["fill"])
    assert len(grounds) == 2
    page.evaluate("() => { window.Image = function () { setTimeout(() => this.onerror(), 0); }; }")
    page.locator('#chart-performance button[data-save="png"]').click()
    page.locator(
        "#chart-performance [data-saved]", has_text="could not be made (the browser draws no such picture)"
    ).wait_for()


def test_the_keyboard_saves_too_and_nothing_moves(open_page: OpenPage, planned: Path) -> None:
    opened = open_page(sorted(planned.glob("datasets/*.html"))[0], width=360).settle()
    before = opened.page.evaluate("document.documentElement.scrollHeight")
    button = opened.page.locator('#chart-difficulty button[data-save="svg"]')
    assert button.inner_text().startswith("SVG")
    button.focus()
    with opened.page.expect_download() as waiting:
        opened.page.keyboard.press("Enter")
    drawing_of(Path(waiting.value.path()).read_bytes())
    assert opened.page.evaluate("document.documentElement.scrollHeight") == before
    assert opened.page.evaluate("document.activeElement.dataset.save") == "svg"


def test_hostile_names_are_text_in_the_file(open_page: OpenPage, hostile_site: Path) -> None:
    for path in sorted(hostile_site.glob("*/datasets/*.html"))[:2]:
        page = open_page(path).page
        name, svg = saved(page, "difficulty", "svg")
        assert NAME.fullmatch(name)
        drawing_of(svg)
        size_of(saved(page, "difficulty", "png")[1])
