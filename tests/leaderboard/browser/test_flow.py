"""A reader's way through the site: from a figure to the answers behind it, by link, back and reload."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import OpenPage
from .opened import address_of

pytestmark = pytest.mark.full

COMPARED = "names => document.getElementById('compared')?.dataset.shown === names"


def test_from_the_board_to_an_answer_and_on_to_another_model(open_page: OpenPage, site: Path) -> None:
    opened = open_page(site / "index.html").settle()
    page = opened.page
    page.locator("#board tbody tr[data-model] a", has_text="aster-large").first.click()
    page.locator("h1", has_text="aster-large").wait_for()
    link = page.locator("#flips a").first
    name = link.inner_text()
    link.click()
    page.locator("#example-heading", has_text=name).wait_for()
    assert page.locator(".answers-table").first.locator("th bdi", has_text="aster-large").count() == 1
    assert page.locator("pre.prompt").count() == 2, "its worst and its best configuration"
    page.locator("header nav a", has_text="Compare").click()
    page.wait_for_function(COMPARED, arg="aster-large\nborealis-405b")
    page.get_by_label("compared with").select_option("dolomite-7b")
    page.wait_for_function(COMPARED, arg="aster-large\ndolomite-7b")
    page.get_by_text("Questions on which models are furthest apart").click()
    page.locator("#examples-rows a").first.wait_for()
    page.go_back()
    page.wait_for_function(COMPARED, arg="aster-large\ndolomite-7b")
    page.reload()
    page.wait_for_function(COMPARED, arg="aster-large\ndolomite-7b")


# the page, a link to a view of it, and what the controls there then say
LINKS = [
    (
        "index",
        "show=on+towns_qa&find=aster",
        {"#choices [name=show]": "on towns_qa", "#choices [name=find]": "aster"},
    ),
    ("compare", "a=dolomite-7b&b=aster-large", {"#compare-a": "dolomite-7b"}),
    ("examples", "dataset=facts&sort=hardest&q=the", {"#choose-sort": "hardest", "#choose-q": "the"}),
]


def test_a_link_a_reload_and_the_way_back_show_the_same_view(open_page: OpenPage, site: Path) -> None:
    for name, view, said in LINKS:
        (path,) = site.rglob(f"{name}.html")
        opened = open_page(f"{path.as_uri()}#{view}").settle()
        page = opened.page
        before = page.locator("main").inner_text()
        page.reload()
        opened.settle()
        assert page.locator("main").inner_text() == before
        address = address_of(page)
        page.locator("header nav a", has_text="Method").click()
        page.locator("h1", has_text="Method").wait_for()
        page.go_back()
        opened.settle()
        assert address_of(page) == address
        assert {control: page.locator(control).input_value() for control in said} == said
        assert page.locator("main").inner_text() == before
