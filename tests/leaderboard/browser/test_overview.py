"""The first page as a reader uses it: sorted, filtered, on a part of the study, by keyboard, from a link."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.leaderboard.board import ALL, Board, boards
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of
from torr_plugin.leaderboard.verdicts import compared

from .conftest import OpenPage
from .opened import ready

pytestmark = pytest.mark.full

ROWS = """() => Array.from(document.querySelectorAll("#board tbody tr[data-model]"))
  .filter(row => row.checkVisibility()).map(row => row.dataset.model)"""
CELLS = """() => Object.fromEntries(Array.from(document.querySelectorAll("#board tr[data-model]")).map(row =>
  [row.dataset.model, Array.from(row.cells).map(cell => cell.textContent.trim().replace(/\\s+/g, " "))]))"""
GROUPS = """() => Array.from(document.querySelectorAll("#board tr.group"))
  .filter(row => row.checkVisibility()).map(row => row.textContent)"""
NAMES = (
    """() => Array.from(document.querySelectorAll("#board th[data-name]")).map(each => each.dataset.name)"""
)
COLUMN = """name => {
  const header = document.querySelector(`#board th[data-name="${name}"]`);
  return [Array.from(document.querySelectorAll("#board tbody tr[data-model]"), row =>
    row.cells[header.cellIndex].dataset.value), header.getAttribute("aria-sort")];
}"""
BODY = "document.querySelector('#board tbody').textContent.replace(/\\s+/g, ' ')"


@pytest.fixture(scope="module")
def study(simulated_run: Path) -> Study:
    return study_of(open_source(simulated_run), set(), alone=True)


@pytest.fixture(scope="module")
def parts(study: Study) -> dict[str, Board]:
    return {part.name: part for part in boards(study)}


@pytest.fixture
def page(open_page: OpenPage, site: Path) -> Any:
    return open_page(site / "index.html").page


def at(site: Path, state: str) -> str:
    return f"{(site / 'index.html').as_uri()}#{state}"


def fragment(page: Any) -> str:
    found: str = page.evaluate("location.hash")
    return found


def natural(text: str) -> list[tuple[int, str]]:
    """Numbers in names count as numbers."""
    parts = re.split(r"(\d+)", text)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def sort_by(page: Any, name: str) -> Any:
    return page.locator(f'#board th[data-name="{name}"] button')


def test_every_column_sorts_both_ways_and_back(page: Any) -> None:
    names = page.evaluate(NAMES)
    assert names[:4] == ["model", "right", "flips", "formats"]
    for name in names:
        for _ in range(2):
            sort_by(page, name).click()
            values, direction = page.evaluate(COLUMN, name)
            keys = [natural(value) if name == "model" else float(value or "nan") for value in values]
            assert keys == sorted(keys, reverse=direction == "descending"), (name, direction)
    assert page.locator("#board [aria-sort]").count() == 1


def test_groups_are_headed_in_the_order_of_the_groups_alone(page: Any, parts: dict[str, Board]) -> None:
    titles = [group.title for group in parts[ALL].groups]
    assert page.evaluate(GROUPS) == titles
    sort_by(page, "flips").click()
    assert fragment(page) == "#sort=flips"
    assert page.evaluate(GROUPS) == []
    sort_by(page, "right").click()
    assert fragment(page) == ""
    assert page.evaluate(GROUPS) == titles
    first = parts[ALL].groups[0].rows[0].model
    page.locator("input[name=find]").fill(first)
    assert page.evaluate(GROUPS) == titles[:1]


def test_the_order_is_kept_in_the_address(open_page: OpenPage, site: Path, page: Any) -> None:
    sort_by(page, "flips").click()
    order = page.evaluate(ROWS)
    assert open_page(at(site, "sort=flips")).page.evaluate(ROWS) == order
    sort_by(page, "flips").click()
    assert fragment(page) == "#sort=-flips"
    page.reload()
    assert page.evaluate(ROWS) == order[::-1]


def test_rows_are_chosen_by_weights_and_name(page: Any, study: Study) -> None:
    everyone = page.evaluate(ROWS)
    assert everyone == list(study.models)
    top = page.locator("#board").bounding_box()["y"]
    closed = [model for model in study.models if study.words[model].open is False]
    page.locator("select[name=open]").select_option("no")
    assert page.evaluate(ROWS) == closed
    assert page.locator("#count").inner_text() == f"{len(closed)} of {len(everyone)} models"
    assert fragment(page) == "#open=no"
    page.get_by_role("button", name="Reset").wait_for()
    assert page.locator("#board").bounding_box()["y"] == top, "the table stays where it is"
    page.locator("button[type=reset]").click()
    assert page.evaluate(ROWS) == everyone
    assert fragment(page) == ""
    page.locator("input[name=find]").fill("DOLO")
    assert page.evaluate(ROWS) == [model for model in study.models if "dolo" in model]
    page.locator("input[name=find]").fill("no such model")
    assert page.evaluate(ROWS) == []
    assert page.locator("#count").inner_text() == "No model fits these choices."


@pytest.mark.parametrize("name", ["on facts", "in csv", "kept"])
def test_a_part_of_the_study_is_shown_in_place_of_all_of_it(
    open_page: OpenPage, site: Path, parts: dict[str, Board], name: str
) -> None:
    """And back: the rows of all questions are those that the page came with."""
    chosen = next(
        part for key, part in parts.items() if key == name or key.endswith(name.replace("in ", "."))
    )
    before = open_page(site / "index.html").page.evaluate(BODY)
    page = open_page(at(site, f"show={chosen.name}")).ready().page
    assert page.locator("select[name=show]").input_value() == chosen.name
    assert page.evaluate(ROWS) == [row.model for row in chosen.rows]
    cells = page.evaluate(CELLS)
    assert {row.model: cells[row.model][1].replace("*", "") for row in chosen.rows} == {
        row.model: f"{row.right.value} {row.right.bounds}".strip() for row in chosen.rows
    }
    assert page.evaluate(GROUPS) == [group.title for group in chosen.groups if group.title]
    assert page.locator("#part-note").is_visible() is bool(chosen.notes)
    page.evaluate("location.hash = '#show='")
    assert ready(page).evaluate(BODY) == before


def test_an_order_and_a_part_in_one_address_are_both_kept(
    open_page: OpenPage, site: Path, parts: dict[str, Board], study: Study
) -> None:
    """The rows are sorted before those of the part are there."""
    found = parts["on facts"]
    page = open_page(at(site, "sort=-right&show=on+facts")).ready().page
    assert page.evaluate(ROWS) == [row.model for row in found.rows][::-1]
    page = open_page(at(site, "open=yes&show=on+facts")).ready().page
    assert page.evaluate(ROWS) == [row.model for row in found.rows if study.words[row.model].open]


def test_it_is_used_by_keyboard_alone(page: Any) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator("a.skip").bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'main'")  # some frames after the press
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "find"
    page.keyboard.type("a/b")
    assert page.locator("input[name=find]").input_value() == "a/b"
    page.locator("input[name=find]").fill("")
    sort_by(page, "right").focus()
    page.keyboard.press("Enter")
    assert page.locator('#board th[data-name="right"]').get_attribute("aria-sort") == "ascending"
    page.locator("summary", has_text="Cite").focus()
    page.keyboard.press("Enter")
    assert page.locator("details.menu[open]").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.panel') !== null")
    page.keyboard.press("Escape")
    assert page.locator("details.menu[open]").count() == 0
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_the_theme_is_switched_and_remembered(page: Any, site: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    button = page.locator("#theme")
    for theme in ("light", "dark"):
        button.click()
        assert button.inner_text().split()[-1] == theme
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    page.goto((site / "index.html").as_uri())
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.emulate_media(media="screen")
    page.locator("#theme").click()
    assert page.locator("html").get_attribute("data-theme") is None


def test_on_a_phone_the_first_finding_and_three_rows_are_on_the_first_screen(
    open_page: OpenPage, site: Path
) -> None:
    page = open_page(site / "index.html", width=390).ready().page
    bottom = """element => element.getBoundingClientRect().bottom + scrollY"""
    assert page.locator("#findings li").first.evaluate(bottom) < 844
    assert page.locator("#board tbody tr[data-model]").nth(2).evaluate(bottom) < 844
    second = (
        page.locator("#findings li")
        .nth(1)
        .evaluate("element => element.getBoundingClientRect().top + scrollY")
    )
    assert second > page.locator("#board").evaluate(bottom), "the other findings stand below the table"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_choice_is_announced(open_page: OpenPage, site: Path, study: Study) -> None:
    page = open_page(site / "index.html").ready().page
    assert page.locator("#count").get_attribute("aria-live") == "polite"
    place = "document.querySelector('#board').getBoundingClientRect().top + scrollY"
    before = page.evaluate(place)
    page.get_by_label("Figures on").select_option("on facts")
    ready(page)
    assert page.locator("#board").get_attribute("data-shown") == "on facts"
    assert page.evaluate(place) == before, "nothing moves"
    page.get_by_text("Reset").click()
    ready(page)
    assert page.locator("#board").get_attribute("data-shown") == ""


def test_two_ticked_models_are_compared(open_page: OpenPage, site: Path, study: Study) -> None:
    page = open_page(site / "index.html").page
    first, second, third = study.models[:3]
    bar = page.locator("#picked")
    assert not bar.is_visible()
    page.get_by_label(f"Compare {first}").check()
    assert "tick another model" in bar.inner_text()
    page.get_by_label(f"Compare {second}").focus()
    page.keyboard.press("Space")
    bar.get_by_text(compared(study, first, second)[0].said).wait_for()
    assert page.get_by_label(f"Compare {third}").is_disabled()
    page.get_by_label(f"Compare {first}").uncheck()
    page.get_by_label(f"Compare {third}").check()
    bar.get_by_text(compared(study, second, third)[0].said).wait_for()
    page.get_by_label("Figures on").select_option("on facts")
    ready(page)
    assert page.locator("input.pick:checked").count() == 2, "ticks stay with the models"
    lines = {line.what: line.said for line in compared(study, second, third)}
    bar.get_by_text(f"facts: {lines['facts']}").wait_for()
    bar.get_by_role("link").click()
    page.wait_for_url("**/compare.html#**")
    page.wait_for_function("!!document.getElementById('compared')?.dataset.shown")
    assert page.locator("#compared tbody td").first.inner_text() == compared(study, second, third)[0].said
    open_page(site / "index.html")
    for model in study.models[:2]:
        page.get_by_label(f"Compare {model}").check()
    bar.get_by_role("button", name="Clear").click()
    assert not bar.is_visible()
    assert page.locator("input.pick:checked, input.pick:disabled").count() == 0
