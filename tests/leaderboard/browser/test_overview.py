"""The overview's board as a reader uses it: sorted, filtered, on one data set, by keyboard, from a link."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.board import FIGURES, Board, BoardRow, board
from torr_plugin.leaderboard.claims.verdicts import verdict
from torr_plugin.leaderboard.pages import overview
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of

from ..conftest import Only
from ..simulated import MODELS, simulate
from .conftest import OpenPage
from .opened import ready

pytestmark = pytest.mark.full

ROWS = """() => Array.from(document.querySelectorAll("#board tbody tr"))
  .filter(row => row.checkVisibility()).map(row => row.dataset.model)"""
CELLS = """() => Object.fromEntries(Array.from(document.querySelectorAll("#board tbody tr")).map(row =>
  [row.dataset.model, Array.from(row.cells).map(cell => cell.textContent.trim().replace(/\\s+/g, " "))]))"""
CUTS = """() => Array.from(document.querySelectorAll("#board tbody tr"))
  .filter(row => row.checkVisibility()).map(row => [row.dataset.model, row.classList.contains("cut")])"""
NAMES = (
    """() => Array.from(document.querySelectorAll("#board th[data-name]")).map(each => each.dataset.name)"""
)
COLUMN = """name => {
  const header = document.querySelector(`#board th[data-name="${name}"]`);
  return [Array.from(document.querySelectorAll("#board tbody tr"), row =>
    row.cells[header.cellIndex].dataset.value), header.getAttribute("aria-sort")];
}"""
BODY = "document.querySelector('#board tbody').textContent.replace(/\\s+/g, ' ')"


@pytest.fixture(scope="module")
def study(simulated_run: Path) -> Study:
    return study_of(open_source(simulated_run), set(), alone=True)


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
    page.locator("input[name=more]").check()
    names = page.evaluate(NAMES)
    assert len(names) == 8 + 3
    for name in names:
        for _ in range(2):
            sort_by(page, name).click()
            values, direction = page.evaluate(COLUMN, name)
            keys = [natural(value) if name == "model" else float(value) for value in values]
            assert keys == sorted(keys, reverse=direction == "descending"), (name, direction)
    assert page.locator("#board [aria-sort]").count() == 1


def test_a_missing_figure_sorts_last_both_ways(page: Any) -> None:
    for missing in ("", "\N{EN DASH}"):
        page.evaluate(
            """missing => {
              const header = document.querySelector('#board th[data-name="robustness"]');
              const row = document.querySelector('#board tr[data-model="borealis-8b"]');
              row.cells[header.cellIndex].dataset.value = missing;
            }""",
            missing,
        )
        for _ in range(2):
            sort_by(page, "robustness").click()
            values, _direction = page.evaluate(COLUMN, "robustness")
            assert values.index(missing) == len(values) - 1


def test_the_order_is_kept_in_the_address(open_page: OpenPage, site: Path, page: Any) -> None:
    assert page.locator("#board.by-rank").count() == 1, "rules stand between tiers"
    sort_by(page, "robustness").click()
    assert fragment(page) == "#sort=robustness"
    assert page.locator("#board.by-rank").count() == 0
    order = page.evaluate(ROWS)
    assert open_page(at(site, "sort=robustness")).page.evaluate(ROWS) == order
    sort_by(page, "robustness").click()
    assert fragment(page) == "#sort=-robustness"
    page.reload()
    assert page.evaluate(ROWS) == order[::-1]
    sort_by(page, "rank").click()
    assert fragment(page) == ""
    assert page.locator("#board.by-rank").count() == 1


def test_rows_are_chosen_by_family_size_weights_and_name(page: Any, study: Study) -> None:
    everyone = page.evaluate(ROWS)
    assert everyone == list(study.models)
    top = page.locator("#board").bounding_box()["y"]

    def rest(**said: Any) -> list[str]:
        return [
            model
            for model in study.models
            if all(getattr(study.words[model], name) == value for name, value in said.items())
        ]

    page.locator("select[name=family]").select_option("borealis")
    assert page.evaluate(ROWS) == rest(family="borealis")
    assert page.locator("#count").inner_text() == f"{len(rest(family='borealis'))} of {len(everyone)} models"
    page.locator("input[name=from]").fill("100")
    assert page.evaluate(ROWS) == ["borealis-405b"]
    assert fragment(page) == "#family=borealis&from=100"
    page.get_by_role("button", name="Reset").wait_for()
    assert page.locator("#board").bounding_box()["y"] == top, "the table stays where it is"
    page.locator("button[type=reset]").click()
    assert page.evaluate(ROWS) == everyone
    assert fragment(page) == ""
    page.locator("select[name=open]").select_option("no")
    assert page.evaluate(ROWS) == rest(open=False)
    page.locator("select[name=open]").select_option("")
    page.locator("input[name=find]").fill("DOLO")
    assert page.evaluate(ROWS) == [model for model in study.models if "dolo" in model]
    page.locator("input[name=find]").fill("no such model")
    assert page.evaluate(ROWS) == []
    assert page.get_by_text("No model fits these choices.").is_visible()
    assert page.locator("#count").inner_text() == f"0 of {len(everyone)} models"


def expected(study: Study, dataset: str | None, *, kept: bool) -> Board:
    core = study.analysis.label_keeping if kept else study.analysis
    places = study.claims.kept_places if kept else study.claims.places
    assert core is not None
    assert places is not None
    return board(core, places, dataset or "overall")


def shown(figure: Any) -> str:
    return f"{figure.value}{'' if figure.complete else '*'} {figure.bounds}"


@pytest.mark.parametrize("dataset", [None, "facts"])
def test_the_board_of_a_choice_is_what_the_analysis_says(
    open_page: OpenPage, site: Path, study: Study, dataset: str | None
) -> None:
    """And back: what the script writes is what the page came with."""
    before = open_page(site / "index.html").page.evaluate(BODY)
    for kept in (False, True):
        page = open_page(at(site, f"dataset={dataset or ''}&kept={'1' if kept else ''}")).ready().page
        assert page.locator("select[name=dataset]").input_value() == (dataset or "")
        found = expected(study, dataset, kept=kept)
        assert page.evaluate(ROWS) == [row.model for row in found.rows]
        cells = page.evaluate(CELLS)
        for row in found.rows:
            mine = cells[row.model]
            assert mine[1] == f"Tier {row.tier} {row.rank}"
            figures = [*(getattr(row, name) for name in FIGURES), *row.datasets]
            assert mine[2:] == [shown(figure) for figure in figures]
        assert page.evaluate(CUTS) == cuts(found.rows)
        page.evaluate("location.hash = '#dataset='")
        assert ready(page).evaluate(BODY) == before


def test_an_order_and_a_data_set_in_one_address_are_both_kept(
    open_page: OpenPage, site: Path, study: Study
) -> None:
    """The rows are sorted before the figures of the data set are there; tiers hold where rows are hidden."""
    found = expected(study, "facts", kept=False)
    page = open_page(at(site, "sort=-rank&dataset=facts")).ready().page
    assert page.evaluate(ROWS) == [row.model for row in found.rows][::-1]
    cells = page.evaluate(CELLS)
    assert {row.model: cells[row.model][2] for row in found.rows} == {
        row.model: shown(row.performance) for row in found.rows
    }
    page = open_page(at(site, "open=yes&dataset=facts")).ready().page
    assert page.evaluate(CUTS) == cuts([row for row in found.rows if study.words[row.model].open])


def cuts(rows: Sequence[BoardRow]) -> list[list[str | bool]]:
    """Models, and whether a rule stands above them: where the tier of the row above is another."""
    above = [row.tier for row in rows]
    return [[row.model, tier != row.tier] for tier, row in zip([*above[:1], *above], rows, strict=False)]


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
    sort_by(page, "performance").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.locator('#board th[data-name="performance"]').get_attribute("aria-sort") == "ascending"
    page.locator("input[name=kept]").focus()
    page.keyboard.press("Space")
    assert "kept=1" in fragment(page)
    page.locator("summary", has_text="Models").focus()
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


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_what_stands_where(open_page: OpenPage, site: Path, width: int) -> None:
    page = open_page(at(site, "more=1"), width=width).ready().page
    left, wide = page.locator("#leaderboard .scroll").evaluate(
        """box => {
            box.scrollLeft = 400;
            const cell = box.querySelector("tbody th").getBoundingClientRect();
            return [cell.left - box.getBoundingClientRect().left, cell.width];
        }"""
    )
    assert left >= 0, "the name stays in sight"
    assert wide < 180
    places = """() => Array.from(document.querySelectorAll(".hero-title, #findings li"), each => {
      const box = each.getBoundingClientRect();
      return [box.x, box.y, box.width, box.height];
    })"""
    shown = page.evaluate(places)
    assert len(shown) > 2
    page.evaluate("document.querySelector('.hero-picture').remove()")
    assert page.evaluate(places) == shown, "sentences stand where they stay before the picture has come"
    page.locator("summary", has_text="Models").click()
    sideways, down = page.locator("details.menu[open] .panel").evaluate(
        """panel => {
            const entry = panel.lastElementChild;
            for (let place = 0; place < 100; place += 1) panel.append(entry.cloneNode(true));
            return [panel.scrollWidth - panel.clientWidth, panel.scrollHeight - panel.clientHeight];
        }"""
    )
    assert sideways <= 0, "a long menu scrolls down alone"
    assert down > 0
    page.emulate_media(media="print")
    assert page.locator("#board .bounds").first.is_visible()
    arrow = "button => getComputedStyle(button, '::after').content"
    assert page.locator("#board [aria-sort] button").first.evaluate(arrow) in ("none", "normal", '""')


def test_a_choice_is_heard_and_said_to_be_of_less_than_the_whole(
    open_page: OpenPage, site: Path, study: Study
) -> None:
    page = open_page(site / "index.html").ready().page
    heard, whole = page.locator("[aria-live]", has=page.locator("#count")), page.locator("#whole")
    everyone, less = f"{len(study.models)} models", "Sentences and picture: the whole study."
    assert whole.get_attribute("role") == "status"
    assert (heard.text_content().strip(), whole.text_content()) == (everyone, "")
    place = "document.querySelector('#board').getBoundingClientRect().top + scrollY"
    before = page.evaluate(place)
    page.get_by_label("Figures on").select_option(study.datasets[1])
    ready(page)
    said = f"{everyone}, figures on {study.datasets[1]}"
    assert (heard.text_content(), whole.text_content()) == (said, less)
    assert page.evaluate(place) == before, "nothing moves"
    page.get_by_label("Only changes that keep the answer").check()
    ready(page)
    assert heard.text_content() == f"{said}, only changes that keep the answer"
    page.get_by_text("Reset").click()
    ready(page)
    assert (heard.text_content(), whole.text_content()) == (f"{everyone}, figures on all data sets", "")
    page.get_by_label("Only changes that keep the answer").check()
    assert ready(page).locator("#whole").text_content() == less


def test_an_only_data_set(open_page: OpenPage, tmp_path: Path, only: Only) -> None:
    """Its figures stand there once, also with label-keeping perturbations alone."""
    only(overview)
    run = simulate(tmp_path / "run", models=MODELS[:3], datasets=["facts"], examples=5, rows=3, resamples=50)
    page = open_page(build_site([run], tmp_path / "site", charts=False)).settle().page
    study = study_of(open_source(run), set(), alone=True)
    page.get_by_label("Only changes that keep the answer").check()
    ready(page)
    for row in expected(study, None, kept=True).rows:
        cells = page.evaluate(CELLS)[row.model]
        assert len(cells) == 8
        assert cells[2] == f"{row.performance.value} {row.performance.bounds}"


def test_two_ticked_models_are_compared(open_page: OpenPage, site: Path, study: Study) -> None:
    page = open_page(site / "index.html").page
    first, second, third = study.models[:3]
    bar = page.locator("#picked")
    assert not bar.is_visible()
    page.get_by_label(f"Compare {first}").check()
    assert "tick another model" in bar.inner_text()
    page.get_by_label(f"Compare {second}").focus()
    page.keyboard.press("Space")
    bar.get_by_text(verdict(study, first, second)).wait_for()
    assert page.get_by_label(f"Compare {third}").is_disabled()
    page.get_by_label(f"Compare {first}").uncheck()
    page.get_by_label(f"Compare {third}").check()
    bar.get_by_text(verdict(study, second, third)).wait_for()
    bar.get_by_role("link").click()
    page.wait_for_url("**/compare.html#**")
    page.wait_for_function("!!document.getElementById('differences').dataset.shown")
    assert page.locator("#verdict").inner_text() == verdict(study, second, third)
    open_page(site / "index.html")
    for model in study.models[:2]:
        page.get_by_label(f"Compare {model}").check()
    bar.get_by_role("button", name="Clear").click()
    assert not bar.is_visible()
    assert page.locator("input.pick:checked, input.pick:disabled").count() == 0
