"""The pages of formats and of reliability: choices, their addresses, and the planner, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ..conftest import OpenPage
from .opened import address_of, ready

pytestmark = pytest.mark.site

WRITTEN = """name => {
  const table = document.querySelector(`table[data-view="${name}"]`);
  const copy = table.cloneNode(true);
  copy.querySelectorAll("*").forEach(each => each.childNodes.forEach(node => {
    if (node.nodeType === 3 && !node.textContent.trim()) node.remove();
  }));
  copy.normalize();
  // the page writes 4.0 where script writes 4
  return copy.outerHTML.replaceAll("\\n", "").replace(/(="\\d+)\\.0"/g, '$1"');
}"""


def page_file(planned: Path, name: str) -> Path:
    (found,) = planned.glob(f"*/{name}.html")
    return found


def said(page: Any, name: str) -> str:
    text: str = page.locator(f'[data-lines="{name}"]').inner_text()
    return text


def other_and_back(page: Any, control: str, table: str) -> None:
    """Chooses the last of a list, then the first."""
    select = page.locator(f"#{control}")
    caption = page.locator(f'table[data-view="{table}"] caption')
    first = caption.inner_text()
    last = select.locator("option").last.inner_text()
    select.select_option(label=last)
    caption.filter(has_text=last).wait_for()
    select.select_option(index=0)
    caption.filter(has_text=first).wait_for()


WRITTEN_BY_SCRIPT = {
    "formats": [
        ("which-dataset", "formats"),
        ("which-dataset", "glance"),
        ("which-dataset", "away"),
        ("wins-of", "wins-change"),
        ("which-dataset", "impact"),
        ("every-map", "map"),
    ],
    "reliability": [("curves-dataset", "prompts"), ("variance-dataset", "variance")],
}


@pytest.mark.parametrize("name", WRITTEN_BY_SCRIPT)
def test_what_script_writes_is_what_the_page_had(open_page: OpenPage, planned: Path, name: str) -> None:
    page = open_page(page_file(planned, name)).unfold().page
    for control, table in WRITTEN_BY_SCRIPT[name]:
        before = page.evaluate(WRITTEN, table)
        assert "<td" in before
        other_and_back(page, control, table)
        assert page.evaluate(WRITTEN, table) == before, table


def test_a_link_shows_the_chosen_model_and_data_set(open_page: OpenPage, planned: Path) -> None:
    page = open_page(page_file(planned, "formats")).page
    model = page.locator("#which-model option").last.inner_text()
    dataset = page.locator("#which-dataset option").last.inner_text()
    page.locator("#which-model").select_option(label=model)
    page.locator("#which-dataset").select_option(label=dataset)
    caption = 'table[data-view="formats"] caption'
    page.locator(caption).filter(has_text=dataset).wait_for()
    address, shown = address_of(page), said(page, "formats")
    assert f"model={quote(model)}" in address
    again = open_page(address).page
    again.locator(caption).filter(has_text=model).filter(has_text=dataset).wait_for()
    assert said(again, "formats") == shown
    assert again.locator("#which-model").input_value() == model


def test_an_address_that_names_nothing_leaves_the_page_as_it_is(open_page: OpenPage, planned: Path) -> None:
    plain = said(open_page(page_file(planned, "formats")).page, "formats")
    address = f"{page_file(planned, 'formats').as_uri()}#model=%3Cb%3E&dataset=__proto__"
    page = open_page(address).settle().page
    assert said(page, "formats") == plain
    assert page.locator("#which-dataset").input_value() == ""


def test_the_planner_follows_the_keyboard_and_the_number(open_page: OpenPage, planned: Path) -> None:
    page = open_page(page_file(planned, "reliability")).settle().page
    wish = page.locator('[data-lines="wish"]')
    slider, number = page.locator("#budget-target"), page.locator("#budget-number")
    slider.focus()
    slider.press("ArrowRight")
    wish.filter(has_text="0.91").wait_for()
    assert number.input_value() == "0.91"
    number.fill("0.8")
    number.press("Tab")
    wish.filter(has_text="0.80").wait_for()
    assert slider.input_value() == "0.8"
    assert "target=0.8" in address_of(page)
    number.fill("7")
    number.press("Tab")
    wish.filter(has_text="0.99").wait_for()
    assert number.input_value() == "0.99"


def test_the_planner_answers_for_a_size_and_a_measure(open_page: OpenPage, planned: Path) -> None:
    page = open_page(f"{page_file(planned, 'reliability').as_uri()}#k=10&n=500&measure=w").settle().page
    size = page.locator('[data-lines="size"]')
    size.filter(has_text="10 configurations with 500 examples").wait_for()
    by_w = said(page, "size")
    page.locator("#budget-measure").select_option("generalizability")
    page.wait_for_function(
        "before => document.querySelector('[data-lines=\"size\"]').innerText !== before", arg=by_w
    )
    page.locator("#budget-measure").select_option("w")
    page.locator("#budget-dataset").select_option(index=1)
    assert said(ready(page), "size") != by_w
    page.locator("#budget-dataset").select_option(index=0)
    assert said(ready(page), "size") == by_w


def test_a_choice_of_a_data_set_shows_its_curves(open_page: OpenPage, planned: Path) -> None:
    page = open_page(page_file(planned, "reliability")).settle().page
    shown = page.locator("[data-panel=curves]:visible figcaption")
    before = shown.all_inner_texts()
    assert before
    page.select_option("#curves-dataset", index=1)
    page.locator('[data-panel=curves][data-name="1"].chosen').first.wait_for()
    assert len(shown.all_inner_texts()) == len(before)
    assert not set(shown.all_inner_texts()) & set(before)


def test_without_script_the_defaults_are_there_and_no_control_promises_more(
    open_page: OpenPage, planned: Path
) -> None:
    page = open_page(page_file(planned, "reliability"), script=False).page
    assert page.locator("#budget-target").is_hidden()
    assert page.locator('table[data-view="summary"] tbody tr').count() == 4
    page.goto(page_file(planned, "formats").as_uri())
    assert page.locator("#which-model").is_hidden()
    assert page.locator('table[data-view="glance"] tbody tr').count() == 5


def test_legends_of_matrices_show_their_colours(open_page: OpenPage, planned: Path) -> None:
    page = open_page(page_file(planned, "formats")).page
    for one in page.locator(".legend.away span").all():
        colour = one.evaluate("each => getComputedStyle(each).backgroundColor")
        assert colour != "rgba(0, 0, 0, 0)"
