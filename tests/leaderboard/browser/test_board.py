"""The leaderboard's table in narrow and wide windows, on paper and without script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from torr_plugin.leaderboard import build_site

from ..conftest import OpenPage
from ..made import make_run

pytestmark = pytest.mark.site

BOX = ".scroll:has(#board)"


def headers(page: Any) -> Any:
    return page.locator("#board thead tr").last.locator("th:has(button)").filter(visible=True)


def values(page: Any, column: int) -> list[str]:
    found: list[str] = page.evaluate(
        """place => {
          const cell = Array.from(document.querySelectorAll("#board thead tr:last-child th"))
            .filter(each => each.querySelector("button") && each.checkVisibility())[place];
          return Array.from(document.querySelectorAll("#board tbody tr:not([hidden])"))
            .map(row => row.cells[cell.cellIndex].dataset.value);
        }""",
        column,
    )
    return found


def test_a_missing_figure_sorts_last_both_ways(open_page: OpenPage, site: Path) -> None:
    page = open_page(site / "index.html").settle().page
    place = next(
        n
        for n in range(headers(page).count())
        if headers(page).nth(n).get_attribute("data-first") == "descending"
    )
    index = headers(page).nth(place).evaluate("cell => cell.cellIndex")
    model = page.locator("#board tbody tr").nth(1).get_attribute("data-model")
    for missing in ("", "\N{EN DASH}"):
        page.evaluate(
            f"""([model, missing]) => {{
                const row = document.querySelector(`#board tr[data-model="${{model}}"]`);
                row.cells[{index}].dataset.value = missing;
            }}""",
            [model, missing],
        )
        for _ in range(2):
            headers(page).nth(place).locator("button").click()
            column = values(page, place)
            assert column[-1] == missing
            assert missing not in column[:-1]


@pytest.mark.parametrize("kind", ["site", "hostile_charts"])
def test_a_phone_shows_ranks_names_and_performance_at_once(
    open_page: OpenPage, request: pytest.FixtureRequest, kind: str
) -> None:
    """Without scrolling sideways, whatever the models are called."""
    page = open_page(request.getfixturevalue(kind) / "index.html", width=360).settle().page
    right, ends = page.evaluate(
        f"""() => {{
          const box = document.querySelector("{BOX}");
          const place = document.querySelector('#board th[data-name="performance"]').cellIndex;
          const cells = Array.from(document.querySelectorAll("#board tbody tr:not([hidden])"))
            .flatMap(row => [row.cells[0], row.querySelector("th"), row.cells[place]]);
          const parts = cells.flatMap(cell => [cell, ...cell.querySelectorAll(".value, .bounds, a")]);
          return [box.getBoundingClientRect().right, parts.map(each => each.getBoundingClientRect().right)];
        }}"""
    )
    assert len(ends) >= 5 * 3
    assert max(ends) <= right <= 360


def test_five_data_sets_fit_into_a_wide_window(open_page: OpenPage, tmp_path: Path) -> None:
    names = ["wikitq", "tab_fact", "scigen", "numeric_nlg", "hctqa.real"]
    run = make_run(tmp_path / "run", datasets=names, models=["torr-lexical", "torr-random-cell"])
    page = open_page(build_site([run], tmp_path / "site", charts=False)).settle().page
    assert page.evaluate(f"(box => box.scrollWidth - box.clientWidth)(document.querySelector('{BOX}'))") <= 0


def test_print_keeps_the_intervals_and_drops_the_arrows(open_page: OpenPage, site: Path) -> None:
    page = open_page(site / "index.html").settle().page
    page.emulate_media(media="print")
    assert page.locator("#board .bounds").first.is_visible()
    assert page.locator("#board [aria-sort] button").first.evaluate(
        "button => getComputedStyle(button, '::after').content"
    ) in ("none", "normal", '""')
