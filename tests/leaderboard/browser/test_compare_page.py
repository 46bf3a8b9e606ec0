"""Comparing two models in a browser: choosing, links, and that a verdict is whole on a phone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.analysis import format_size

from .conftest import OpenPage
from .opened import address_of

pytestmark = pytest.mark.full

SHOWN = "names => document.getElementById('compared').dataset.shown === names"


@pytest.fixture
def address(site: Path) -> str:
    (page,) = site.glob("*/compare.html")
    return page.as_uri()


def shown(page: Any, a: str, b: str) -> None:
    """Wait until two models are compared."""
    page.wait_for_function(SHOWN, arg=f"{a}\n{b}")


def lines(page: Any) -> list[list[str]]:
    return [row.locator("th, td").all_inner_texts() for row in page.locator("#compared tbody tr").all()]


def test_two_models_are_chosen_and_linked(open_page: OpenPage, address: str) -> None:
    page = open_page(address).page
    shown(page, "aster-large", "borealis-405b")
    page.get_by_label("compared with").select_option("dolomite-7b")
    shown(page, "aster-large", "dolomite-7b")
    assert address_of(page).endswith("#a=aster-large&b=dolomite-7b")
    head = page.locator("#compared thead th").all_inner_texts()
    assert head[2:] == ["aster-large", "dolomite-7b"]
    found = lines(page)
    assert [line[0] for line in found] == ["All questions", "towns_qa", "facts", "ledgers", "Flips"]
    assert found[0][1].startswith("aster-large is better, by ")
    page.get_by_label("Model", exact=True).select_option("dolomite-7b")
    shown(page, "dolomite-7b", "aster-large")
    turned = lines(page)
    assert turned[0][1] == found[0][1], "the better one is named from either side"
    assert turned[0][2:] == found[0][:1:-1]
    page = open_page(address_of(page)).page
    shown(page, "dolomite-7b", "aster-large")
    assert page.get_by_label("Model", exact=True).input_value() == "dolomite-7b"


def test_a_model_is_never_compared_with_itself(open_page: OpenPage, address: str) -> None:
    """The keyboard is enough to see that."""
    page = open_page(f"{address}#a=aster-large&b=aster-large").page
    shown(page, "aster-large", "borealis-405b")
    page.get_by_label("compared with").select_option("aster-large")
    shown(page, "borealis-405b", "aster-large")
    page.get_by_label("Model", exact=True).focus()
    page.keyboard.press("ArrowUp")
    shown(page, "aster-large", "borealis-405b")


def test_verdicts_are_whole_on_a_phone(open_page: OpenPage, address: str) -> None:
    page = open_page(address, width=390).page
    verdicts = page.locator("#compared tbody td:nth-child(2)")
    assert verdicts.count()
    for verdict in verdicts.all():
        ends = "cell => [cell, cell.closest('.scroll')].map(each => each.getBoundingClientRect().right)"
        inner, outer = verdict.evaluate(ends)
        assert inner <= outer, verdict.inner_text()


def test_the_first_and_the_last_of_many_models(open_page: OpenPage, many_models: Path) -> None:
    """Two rows far apart are ticked: the line below says what Compare and the download say."""
    (table,) = many_models.glob("data/*/analysis.json")
    pairs = json.loads(table.read_text())["every_pair"]
    last = len(pairs["models"]) - 1
    first, other = pairs["models"][0], pairs["models"][last]
    size = format_size(*(pairs[name][last - 1] for name in ("value", "low", "high")))
    said = f"{first} is better, by {size}"
    page = open_page(many_models / "index.html").page
    for model in (other, first):
        page.get_by_label(f"Compare {model}", exact=True).check()
    page.locator("#picked").get_by_text(f"{said}.").wait_for()
    page.locator("#picked").get_by_role("link").click()
    page.wait_for_url("**/compare.html#**")
    shown(page, other, first)
    assert [line[:2] for line in lines(page)] == [["All questions", said]]
    assert page.get_by_text("not compared").count() == 0
    middle = pairs["models"][last // 2]
    page.get_by_label("compared with").select_option(middle)
    shown(page, other, middle)
    assert lines(page)[0][1].startswith(f"{middle} is better, by ")
