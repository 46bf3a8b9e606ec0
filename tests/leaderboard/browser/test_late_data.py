"""Data that come late, never or broken: a page shows what it says it shows, and says what failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ...timing import until
from ..simulated import DATASETS
from .conftest import OpenPage
from .opened import Opened, ready

pytestmark = pytest.mark.full

BOARD = "() => document.querySelector('#board tbody').textContent"
ON = "#choices [name=show]"


def page_of(site: Path, name: str) -> str:
    (found,) = site.rglob(f"{name}.html")
    return found.as_uri()


def held(page: Any, pattern: str) -> list[Any]:
    """The requests of some address, which wait until the test lets them go on; before the page is opened."""
    waiting: list[Any] = []

    def keep(route: Any) -> None:  # playwright takes no method of a list
        waiting.append(route)

    page.route(pattern, keep)
    return waiting


def asked_for(page: Any, waiting: list[Any]) -> None:
    """Wait for a request of :func:`held`: a busy machine may show the page before it asks."""

    def there() -> bool:
        page.wait_for_timeout(20)  # playwright tells of requests while it waits
        return bool(waiting)

    until(there)


def let_go(page: Any, waiting: list[Any]) -> None:
    for route in waiting:
        route.continue_()
    waiting.clear()
    ready(page)


def lost(opened: Opened, pattern: str) -> list[bool]:
    """Files that are not there, of which the browser complains too, until the list has something in it."""
    found: list[bool] = []
    opened.page.route(pattern, lambda route: route.continue_() if found else route.abort())
    return found


def test_figures_that_come_late_are_not_put_under_another_name(open_page: OpenPage, planned: Path) -> None:
    opened = open_page("about:blank")
    page = opened.page
    waiting = held(page, "**/pages/board*.js")
    opened.go(page_of(planned, "index")).ready()
    before = page.evaluate(BOARD)
    page.select_option(ON, label=DATASETS[1])
    page.wait_for_function("() => torr.busy()")
    page.select_option(ON, index=0)
    let_go(page, waiting)
    page.wait_for_function("() => !document.querySelector('#board').hasAttribute('aria-busy')")
    assert page.locator("#board").get_attribute("data-shown") is None
    assert page.evaluate(BOARD) == before
    page.select_option(ON, label=DATASETS[1])
    page.locator(f"#board[data-shown='on {DATASETS[1]}']").wait_for()
    assert page.evaluate(BOARD) != before


def test_figures_of_the_board_that_are_lost_are_said_to_be(open_page: OpenPage, planned: Path) -> None:
    opened = open_page("about:blank")
    page = opened.page
    lost(opened, "**/pages/board*.js")
    opened.go(page_of(planned, "index")).ready()
    before = page.evaluate(BOARD)
    page.select_option(ON, value="kept")
    page.get_by_text("These figures could not be loaded").wait_for()
    assert page.locator("#board[aria-busy]").count() == 0
    assert page.evaluate(BOARD) == before
    opened.forgive("Failed to load resource", "ERR_FAILED")


def test_models_whose_verdicts_are_lost_are_said_to_be(open_page: OpenPage, planned: Path) -> None:
    opened = open_page("about:blank")
    there = lost(opened, "**/compare/1.js")
    page = opened.go(f"{page_of(planned, 'compare')}#a=borealis-405b&b=aster-large").page
    page.locator("#compared", has_text="could not be loaded").wait_for()
    there.append(True)
    page.reload()
    page.locator("#compared", has_text="All questions").wait_for()
    opened.forgive("Failed to load resource", "ERR_FAILED")


def test_a_list_that_is_lost_is_not_that_of_before(open_page: OpenPage, planned: Path) -> None:
    opened = open_page("about:blank")
    page = opened.page
    there = lost(opened, "**/examples/index-1-*.js")
    opened.go(page_of(planned, "examples"))
    page.locator("#examples-rows a").first.wait_for()
    page.select_option("#choose-dataset", label=DATASETS[1])
    page.get_by_text("This cannot be shown").wait_for()
    assert page.locator("#examples-rows tr").filter(visible=True).count() == 0
    assert page.locator("#examples-status").inner_text() == ""
    there.append(True)
    page.select_option("#choose-dataset", index=0)
    page.locator("#examples-rows a", has_text=DATASETS[0]).first.wait_for()
    assert page.get_by_text("This cannot be shown").filter(visible=True).count() == 0
    page.select_option("#choose-dataset", label=DATASETS[1])
    page.locator("#examples-rows a", has_text=DATASETS[1]).first.wait_for()
    opened.forgive("Failed to load resource", "ERR_FAILED")


def test_a_failure_that_comes_late_says_nothing_of_the_next_choice(
    open_page: OpenPage, planned: Path
) -> None:
    opened = open_page("about:blank")
    page = opened.page
    waiting = held(page, "**/examples/index-1-*.js")
    opened.go(page_of(planned, "examples"))
    page.locator("#examples-rows a").first.wait_for()
    page.select_option("#choose-dataset", label=DATASETS[1])
    page.wait_for_function("() => torr.busy()")
    page.select_option("#choose-dataset", index=0)
    asked_for(page, waiting)
    for route in waiting:
        route.abort()
    ready(page)
    assert page.locator("#examples-rows a").first.is_visible()
    assert page.get_by_text("This cannot be shown").filter(visible=True).count() == 0
    opened.forgive("Failed to load resource", "ERR_FAILED")


def test_a_script_that_is_missing_or_breaks_hides_nothing(open_page: OpenPage, planned: Path) -> None:
    opened = open_page("about:blank")
    page, broken = opened.page, "throw new Error('broken for this test');"
    ways: dict[str, Callable[[Any], None]] = {
        "examples": lambda route: route.abort(),
        "data": lambda route: route.abort(),
        "example": lambda route: route.fulfill(body=broken, content_type="text/javascript"),
    }
    for script, way in ways.items():
        page.unroute_all()
        page.route(f"**/assets/{script}.js", way)
        for asked in ("", f"#dataset={DATASETS[1]}"):
            opened.complaints.clear()
            opened.go(page_of(planned, "examples") + asked)
            assert opened.complaints, "the page has asked for the script"
            for seen in ("main h1", "body > footer"):
                assert page.locator(seen).first.is_visible(), (script, seen)
    opened.complaints.clear()


def test_a_page_is_shown_though_a_request_hangs(browser: Any, planned: Path) -> None:
    opened = Opened(browser, last_resort=200)
    for pattern in ("**/pages/compare/1.js", "**/assets/header.js"):
        opened.clear()
        waiting = held(opened.page, pattern)
        opened.page.goto(f"{page_of(planned, 'compare')}#a=borealis-405b", wait_until="commit")
        opened.page.locator("main h1").wait_for()
        asked_for(opened.page, waiting)
        for route in waiting:
            route.continue_()
    assert opened.problems() == []
    opened.context.close()
