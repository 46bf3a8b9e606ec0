"""What charts and tables look like, as far as it can be measured in the browser."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.leaderboard import build_site

from ..conftest import MadeOnce, OpenPage
from ..made import make_run
from .opened import Opened

pytestmark = pytest.mark.site

# the size of each text of a chart as it is displayed, in pixels: an SVG is scaled to its place
SIZES = """() => Array.from(document.querySelectorAll("svg.drawn")).filter(each => each.checkVisibility())
  .flatMap(drawn => Array.from(drawn.querySelectorAll("text"), text =>
    [text.textContent, parseFloat(getComputedStyle(text).fontSize)
      * drawn.getBoundingClientRect().width / drawn.viewBox.baseVal.width]))"""
# of each chart: dots as [name, x, y, radius], labels as [text, left, top, right, bottom] and lines that
# lead to labels as [x, y, x, y], in pixels of the window
DRAWN = """kind => Array.from(document.querySelectorAll("svg.drawn")).filter(each => each.checkVisibility())
  .map(drawn => {
    const at = element => { const box = element.getBoundingClientRect();
      return [box.left, box.top, box.right, box.bottom]; };
    const dots = Array.from(drawn.querySelectorAll("path > title"), title => {
      const [left, top, right, bottom] = at(title.parentElement);
      return [title.textContent.match(`${kind}: (.*)`)[1], (left + right) / 2, (top + bottom) / 2,
        (right - left) / 2];
    });
    const names = dots.map(dot => dot[0]);
    const named = text => text.textContent.replace(/ \\(\\d+\\)$/, "");  // a tier may stand behind
    const labels = Array.from(drawn.querySelectorAll("text"))
      .filter(text => names.includes(named(text)) && text.getAttribute("fill") !== "transparent"
        && !text.getAttribute("stroke"))
      .map(text => [named(text), ...at(text)]);
    const lines = Array.from(drawn.querySelectorAll("line"))
      .filter(line => ["var(--ink)", "var(--soft)"].includes(line.getAttribute("stroke")))
      .map(line => { const matrix = line.getScreenCTM();
        return [matrix.e, matrix.f, matrix.e + matrix.a * line.x2.baseVal.value,
          matrix.f + matrix.d * line.y2.baseVal.value]; });
    return { dots, labels, lines, box: at(drawn) };
  })"""


def away(box: list[float], x: float, y: float) -> float:
    dx, dy = (max(box[side] - at, at - box[side + 2], 0.0) for side, at in ((0, x), (1, y)))
    return float((dx**2 + dy**2) ** 0.5)


def misread(chart: dict[str, Any]) -> list[str]:
    """Labels without a line to their dot that are not clearly nearest to it."""
    found = []
    for name, *box in chart["labels"]:
        centres = {each: (x, y) for each, x, y, _ in chart["dots"]}
        own = away(box, *centres[name])
        x, y = centres[name]
        led = any(
            away(box, *line[2:]) < 4 and math.hypot(meant[0] - x, meant[1] - y) < 3  # or a dot in its place
            for line in chart["lines"]
            for meant in [min(centres.values(), key=lambda at: math.hypot(line[0] - at[0], line[1] - at[1]))]
        )
        nearest = min((away(box, *at) for each, at in centres.items() if each != name), default=1e9)
        if not led and nearest < own + 3:
            found.append(f"{name} is {own:.0f} from its dot, {nearest:.0f} from another")
        if box[0] < chart["box"][0] - 1 or box[2] > chart["box"][2] + 1:
            found.append(f"{name} leaves the chart")
    return found


@pytest.mark.parametrize("width", [390, 768, 1000, 1400])
@pytest.mark.parametrize(("page", "kind"), [("index", "Model"), ("formats", "Format")])
def test_a_name_in_a_picture_is_read_as_its_own_dots(
    browser: Any, site: Path, page: str, kind: str, width: int
) -> None:
    opened = Opened(browser, next(site.rglob(f"{page}.html")).as_uri(), width=width).settle().unfold()
    charts = opened.page.evaluate(DRAWN, kind)
    assert charts
    assert sum(len(chart["labels"]) for chart in charts) > 2
    assert [problem for chart in charts for problem in misread(chart)] == []


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("page", ["index", "formats", "reliability", "ratings"])
def test_text_in_charts_is_no_smaller_than_twelve_pixels(
    browser: Any, site: Path, page: str, width: int
) -> None:
    opened = Opened(browser, next(site.rglob(f"{page}.html")).as_uri(), width=width).settle().unfold()
    small = {text: round(size, 1) for text, size in opened.page.evaluate(SIZES) if size < 11.95}
    assert small == {}


def test_what_grey_means_is_said_where_a_figure_is_grey(open_page: OpenPage, made_once: MadeOnce) -> None:
    """The last model is always wrong, which leaves its robustness nothing to say."""

    def fill(folder: Path) -> None:
        scores = make_run(folder / "run", examples=20) / "scores.parquet"
        frame = pd.read_parquet(scores)
        frame.loc[frame["model"] == "gamma", "score"] = 0.0
        frame.to_parquet(scores, index=False)
        build_site([folder / "run"], folder / "site", charts=False)

    folder = made_once("limits", fill)
    page = open_page(folder / "site" / "index.html").page
    assert page.locator("#leaderboard td.at-limit").count()
    assert page.locator("#leaderboard > .grey").is_visible()
    assert page.locator(".hero-picture .legend", has_text="Grey").count()


def test_nothing_is_said_of_grey_without_a_grey_figure(open_page: OpenPage, site: Path) -> None:
    page = open_page(site / "index.html").page
    assert not page.locator("#leaderboard td.at-limit").count()
    assert page.locator("#leaderboard > .grey").is_hidden()


def test_first_columns_leave_a_phone_room_for_the_others(browser: Any, site: Path) -> None:
    """And a name takes three lines at most."""
    for path in (site / "index.html", *sorted(site.rglob("models/*.html"))[:1]):
        page = Opened(browser, path.as_uri(), width=390).settle().page
        found = page.evaluate("""() => Array.from(document.querySelectorAll("tbody th.sticky"))
          .filter(each => each.checkVisibility() && !each.closest(".heat"))
          .map(each => { const name = each.querySelector("a, bdi, .value") || each; return [
            each.textContent, each.getBoundingClientRect().width / innerWidth,
            name.getBoundingClientRect().height / parseFloat(getComputedStyle(name).lineHeight)]; })""")
        assert found
        assert [row for row in found if row[1] > 0.4 or row[2] > 3.3] == []


@pytest.mark.parametrize(("width", "beside"), [(1400, True), (768, False)])
def test_what_belongs_together_stands_side_by_side_where_it_fits(
    browser: Any, site: Path, width: int, beside: bool
) -> None:
    page = Opened(browser, next(site.rglob("compare.html")).as_uri(), width=width).settle().page
    tops = [page.locator(each).bounding_box()["y"] for each in ("#formats", "#examples")]
    assert (tops[0] == tops[1]) == beside
