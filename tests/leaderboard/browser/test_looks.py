"""What tables look like, as far as it can be measured in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.leaderboard import build_site, building
from torr_plugin.leaderboard.pages import overview

from ..conftest import Only
from ..made import make_run
from ..simulated import DATASETS, MODELS
from .conftest import OpenPage

pytestmark = pytest.mark.full


def test_what_grey_means_is_said_where_a_figure_is_grey(
    open_page: OpenPage, site: Path, tmp_path: Path, only: Only
) -> None:
    """The last model is always wrong, which leaves its robustness nothing to say."""
    only(overview)
    scores = make_run(tmp_path / "run", examples=20) / "scores.parquet"
    frame = pd.read_parquet(scores)
    frame.loc[frame["model"] == "gamma", "score"] = 0.0
    frame.to_parquet(scores, index=False)
    page = open_page(build_site([tmp_path / "run"], tmp_path / "site", charts=False)).page
    assert page.locator("#leaderboard td.at-limit").count()
    grey = page.locator("#leaderboard .legend", has_text="Grey figures say little")
    assert grey.is_visible()
    open_page(site / "index.html")
    assert not page.locator("#leaderboard td.at-limit").count()
    assert not grey.count()


def test_first_columns_leave_a_phone_room_for_the_others(open_page: OpenPage, site: Path) -> None:
    """And a name takes three lines at most."""
    for path in sorted(site.rglob("models/*.html"))[:1]:
        page = open_page(path, width=390).settle().page
        found = page.evaluate("""() => Array.from(document.querySelectorAll("tbody th.sticky"))
          .filter(each => each.checkVisibility() && !each.closest(".heat"))
          .map(each => { const name = each.querySelector("a, bdi, .value") || each; return [
            each.textContent, each.getBoundingClientRect().width / innerWidth,
            name.getBoundingClientRect().height / parseFloat(getComputedStyle(name).lineHeight)]; })""")
        assert found
        assert [row for row in found if row[1] > 0.4 or row[2] > 3.3] == []


def test_a_phone_shows_names_and_what_is_right_at_once(
    open_page: OpenPage, site: Path, hostile_site: Path
) -> None:
    """Without scrolling sideways, whatever the models are called."""
    for folder in (site, hostile_site):
        page = open_page(folder / "index.html", width=360).settle().page
        right, ends = page.evaluate(
            """() => {
              const box = document.querySelector(".scroll:has(#board)");
              const place = document.querySelector('#board th[data-name="right"]').cellIndex;
              const cells = Array.from(document.querySelectorAll("#board tr[data-model]"))
                .flatMap(row => [row.cells[0], row.querySelector("th"), row.cells[place]]);
              const parts = cells.flatMap(cell => [cell, ...cell.querySelectorAll(".value, .small, a")]);
              return [box.getBoundingClientRect().right,
                parts.map(each => each.getBoundingClientRect().right)];
            }"""
        )
        assert len(ends) >= 5 * 3
        assert max(ends) <= right <= 360


def test_five_data_sets_fit_into_a_wide_window(open_page: OpenPage, tmp_path: Path, only: Only) -> None:
    only(overview)
    names = ["wikitq", "tab_fact", "scigen", "numeric_nlg", "hctqa.real"]
    run = make_run(tmp_path / "run", datasets=names, models=["torr-lexical", "torr-random-cell"])
    page = open_page(build_site([run], tmp_path / "site", charts=False)).settle().page
    assert page.locator(".scroll:has(#board)").evaluate("box => box.scrollWidth - box.clientWidth") <= 0


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The overview of 14 models on ten data sets."""
    folder = tmp_path_factory.mktemp("many")
    small: dict[str, Any] = {"serializers": ("html", "csv"), "perturbations": ("none", "transpose")}
    run = make_run(folder / "run", models=[each.label for each in MODELS], datasets=DATASETS, **small)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "PAGES", (overview,))
        return build_site([run], folder / "site", charts=False)


def test_a_large_board_stays_readable(open_page: OpenPage, many: Path) -> None:
    for width in (390, 1400, 1920):
        page = open_page(many, width=width).settle().page
        bottoms, letters = page.evaluate(
            """() => [Array.from(document.querySelectorAll("#board tr[data-model]"))
                .map(row => row.getBoundingClientRect().bottom),
              Array.from(document.querySelectorAll("#board .small"))
                .map(each => parseFloat(getComputedStyle(each).fontSize))]"""
        )
        assert len(bottoms) == 14
        assert min(letters) >= 12
        if width >= 1400:
            assert sum(bottom <= 900 for bottom in bottoms) >= 6, "on the first screen"
            assert page.locator("#board tr.group").first.is_visible()
        top, last = page.evaluate(
            """async () => {
              const last = document.querySelector("#board tbody tr:last-child");
              last.scrollIntoView({ block: "end", behavior: "instant" });
              await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
              return [document.querySelector("#board thead th"), last]
                .map(each => each.getBoundingClientRect().top);
            }"""
        )
        assert 0 <= top < last < 900, "the header stays in sight"
        further, cut, fades = page.locator(".board-box").evaluate(
            """box => [box.scrollHeight - box.clientHeight, box.scrollWidth > box.clientWidth + 1,
              getComputedStyle(box).maskImage !== "none"]"""
        )
        assert further <= 1, "there is no second way to scroll down"
        assert cut is fades
        if cut:
            page.evaluate("document.querySelector('.board-box').scrollLeft = 10000")
            page.wait_for_function(
                "() => getComputedStyle(document.querySelector('.board-box')).maskImage === 'none'"
            )
