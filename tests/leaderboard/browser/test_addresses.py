"""Addresses that ask for what a page has not: it says what is shown instead, and the address stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ...timing import PATIENCE
from ..hostile import HTML
from .conftest import OpenPage
from .opened import Opened, address_of, ready

pytestmark = pytest.mark.full


def lines(page: Any) -> list[str]:
    found: list[str] = page.locator(".address-notice p").all_inner_texts()
    return found


def line(wished: str, label: str, shown: str) -> str:
    quoted = f"\N{LEFT DOUBLE QUOTATION MARK}{wished}\N{RIGHT DOUBLE QUOTATION MARK}"
    return f"The address asks for {quoted} ({label}), which cannot be shown here. Shown instead: {shown}."


def page_of(site: Path, name: str) -> str:
    (found,) = site.rglob(f"{name}.html")
    return found.as_uri()


# page, what the address asks for, and the lines that follow
ASKED = [
    # what the page can show
    ("index", "show=on+towns_qa&sort=-flips&open=no&find=+aster+", []),
    ("compare", "b=aster-large", []),
    ("formats", "model=dolomite-7b&dataset=facts", []),
    ("examples", "dataset=facts&example=facts-1&config=torr.csv%2Ftranspose%2Fdefault&mark=answer", []),
    # what it cannot
    (
        "index",
        "show=nothing&open=%3Cb%3E&sort=-nothing&find=aster&constructor=1",
        [
            line("-nothing", "the order of the table", "right"),
            line("<b>", "Weights", "Open or closed"),
            line("nothing", "Figures on", "All questions"),
        ],
    ),
    ("compare", "a=nobody&b=aster-large", [line("nobody", "Model", "borealis-405b")]),
    (
        "compare",
        "a=aster-large&b=aster-large&dataset=__proto__",
        [line("aster-large", "compared with", "borealis-405b")],
    ),
    (
        "examples",
        "dataset=nothing&show=all&sort=hardest",
        [line("nothing", "Data set", "towns_qa"), line("all", "Show", "All examples")],
    ),
    (
        "examples",
        "dataset=facts&example=facts-1&config=torr.csv/none/default&with=torr.csv/none/default",
        [line("torr.csv/none/default", "Compare with", "none")],
    ),
    ("examples", "show=__proto__", [line("__proto__", "Show", "All examples")]),
]


def test_what_cannot_be_shown_is_said_and_the_address_stays(open_page: OpenPage, site: Path) -> None:
    for name, asked, expected in ASKED:
        opened = open_page(f"{page_of(site, name)}#{asked}").settle()
        assert sorted(lines(opened.page)) == sorted(expected), (name, asked)
        assert sum(shift["value"] for shift in opened.shifts()) < 0.02
        assert address_of(opened.page).endswith(f"#{asked}")
        if name == "examples" and "show=" in asked:
            assert opened.page.locator("#examples-status").inner_text() == "1 to 6 of 6 examples"
    opened.page.reload()
    opened.ready()
    assert sorted(lines(opened.page)) == sorted(expected)


def test_an_example_that_is_not_there_and_a_configuration_shown_instead(
    open_page: OpenPage, site: Path
) -> None:
    page = open_page(f"{page_of(site, 'examples')}#dataset=facts&example=%3Cb%3E").page
    page.locator("#examples-view", has_text="There is no example <b> in facts.").wait_for()
    page = open_page(f"{page_of(site, 'battles')}#question=%3Cb%3E&first=x&second=y").page
    page.locator("#battles-view", has_text="There is no such battle here.").wait_for()
    asked = "dataset=facts&example=facts-1&config=nothing"
    page = open_page(f"{page_of(site, 'examples')}#{asked}").settle().page
    shown = page.locator("#example-config").input_value()
    assert lines(page) == [line("nothing", "Way", shown)]
    page.locator("#back").click()
    ready(page)
    assert lines(page) == []


def test_a_choice_takes_the_place_of_what_was_asked_for(open_page: OpenPage, site: Path) -> None:
    page = open_page(f"{page_of(site, 'compare')}#a=nobody&b=nobody-else").settle().page
    assert len(lines(page)) == 2
    page.get_by_label("compared with").select_option("dolomite-7b")
    assert lines(page) == []
    assert address_of(page).endswith("#a=aster-large&b=dolomite-7b")
    page.evaluate("location.hash = '#a=dolomite-7b&b=nobody'")
    ready(page)
    assert lines(page) == [line("nobody", "compared with", "aster-large")]
    page.go_back()
    ready(page)
    assert lines(page) == []


def test_a_hostile_name_is_cut_and_is_text(open_page: OpenPage, site: Path) -> None:
    name = "\N{RIGHT-TO-LEFT OVERRIDE}" + HTML[0] + "x" * 500
    page = open_page(f"{page_of(site, 'compare')}#a={quote(name)}", width=360).settle().page
    (said,) = lines(page)
    assert HTML[0][:40] in said
    assert "x" * 100 not in said
    assert page.locator(".address-notice *:not(p, bdi)").count() == 0
    assert page.locator("[role=status] .address-notice, .address-notice[role=status]").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_nothing_of_another_view_is_seen_before_the_one_asked_for(browser: Any, site: Path) -> None:
    """Scripts and data come late, as from a slow disk: what is seen first is what the address asks for."""
    opened = Opened(browser)
    opened.page.add_init_script(
        """window.seen = new Set();
        (function look() {
          const main = document.querySelector("main"), board = document.getElementById("board");
          if (board && main.checkVisibility({ visibilityProperty: true }))
            window.seen.add(board.dataset.shown || "all");
          requestAnimationFrame(look);
        })();"""
    )
    opened.page.route(lambda url: url.endswith(".js") and "look.js" not in url, late)
    opened.go(f"{page_of(site, 'index')}#show=on+facts").settle()
    assert opened.page.evaluate("Array.from(window.seen)") == ["on facts"]
    assert opened.problems() == []
    opened.context.close()


def late(route: Any) -> None:
    """Lets what was asked for come some frames later."""
    route.request.frame.page.wait_for_timeout(60)
    route.continue_()


def test_a_page_is_shown_though_its_data_are_broken(open_page: OpenPage, site: Path) -> None:
    opened = open_page("about:blank")
    opened.page.route("**/data/**/*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    views = {"index": "show=on+facts", "compare": "a=dolomite-7b", "examples": "dataset=facts"}
    for name, state in views.items():
        page = opened.go(f"{page_of(site, name)}#{state}").ready().page
        page.get_by_text("could not be loaded").or_(page.get_by_text("cannot be shown")).first.wait_for()
        assert page.locator("main h1, main h2").first.is_visible()


def test_a_link_to_a_place_leaves_what_was_chosen(open_page: OpenPage, site: Path) -> None:
    """The skip link, and links from a summary to its section."""
    page = open_page(page_of(site, "index")).settle().page
    page.get_by_label("Figures on").select_option("on facts")
    page.locator("#board[data-shown='on facts']").wait_for()
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    ready(page)
    assert address_of(page).endswith("#main")
    assert page.get_by_label("Figures on").input_value() == "on facts"
    assert page.locator("#board").get_attribute("data-shown") == "on facts"
    page = open_page(f"{page_of(site, 'examples')}#dataset=facts&example=facts-1").settle().page
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    ready(page)
    assert page.locator("#examples-view").is_visible()
    page.select_option("#example-model", label="aster-large")
    assert "dataset=facts&example=facts-1&model=aster-large" in address_of(page)


def test_what_is_copied_has_the_address_that_the_page_is_read_at(window: Opened, site: Path) -> None:
    from playwright.sync_api import expect

    place = "https://example.org/our/tables/"
    window.clear()
    window.page.route(
        f"{place}**", lambda route: route.fulfill(path=site / route.request.url.removeprefix(place))
    )
    page = window.go(f"{place}index.html#show=kept").page
    page.locator("details.share summary").click()
    # filled in by an event that comes some time after the click
    link = page.locator("details.share pre", has_text="#show=kept")
    expect(link).to_have_text(f"{place}index.html#show=kept", timeout=1000 * PATIENCE)
    assert "YOUR-SITE" not in page.locator("details.share .panel").inner_text()
    assert window.complaints == []
