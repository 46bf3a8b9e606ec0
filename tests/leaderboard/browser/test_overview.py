"""The overview's board as a reader uses it: sorted, filtered, on one data set, by keyboard, from a link."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.leaderboard import build_site, building
from torr_plugin.leaderboard.board import FIGURES, Board, BoardRow, board
from torr_plugin.leaderboard.claims.verdicts import verdict
from torr_plugin.leaderboard.pages import overview
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of

from ..conftest import OpenPage
from ..simulated import MODELS, simulate
from .opened import ready

pytestmark = pytest.mark.site

ROWS = """() => Array.from(document.querySelectorAll("#board tbody tr"))
  .filter(row => row.checkVisibility()).map(row => row.dataset.model)"""
CELLS = """() => Object.fromEntries(Array.from(document.querySelectorAll("#board tbody tr")).map(row =>
  [row.dataset.model, Array.from(row.cells).map(cell => cell.textContent.trim().replace(/\\s+/g, " "))]))"""
CUTS = """() => Array.from(document.querySelectorAll("#board tbody tr"))
  .filter(row => row.checkVisibility()).map(row => [row.dataset.model, row.classList.contains("cut")])"""
NAMES = (
    """() => Array.from(document.querySelectorAll("#board th[data-name]")).map(each => each.dataset.name)"""
)
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
            direction = page.locator(f'#board th[data-name="{name}"]').get_attribute("aria-sort")
            values = page.evaluate(
                """name => {
                    const header = document.querySelector(`#board th[data-name="${name}"]`);
                    return Array.from(document.querySelectorAll("#board tbody tr"))
                      .map(row => row.cells[header.cellIndex].dataset.value);
                }""",
                name,
            )
            keys = [natural(value) if name == "model" else float(value) for value in values]
            assert keys == sorted(keys, reverse=direction == "descending"), (name, direction)
    assert page.locator("#board [aria-sort]").count() == 1


def test_the_order_is_kept_in_the_address(open_page: OpenPage, site: Path, page: Any) -> None:
    sort_by(page, "robustness").click()
    assert fragment(page) == "#sort=robustness"
    order = page.evaluate(ROWS)
    assert open_page(at(site, "sort=robustness")).page.evaluate(ROWS) == order
    sort_by(page, "robustness").click()
    assert fragment(page) == "#sort=-robustness"
    page.reload()
    assert page.evaluate(ROWS) == order[::-1]
    sort_by(page, "rank").click()
    assert fragment(page) == ""


def test_rows_are_chosen_by_family_size_weights_and_name(page: Any, study: Study) -> None:
    everyone = page.evaluate(ROWS)
    assert everyone == list(study.models)

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


@pytest.mark.parametrize("kept", [False, True], ids=["all", "kept"])
@pytest.mark.parametrize("dataset", [None, "facts"])
def test_the_board_of_a_choice_is_what_the_analysis_says(
    open_page: OpenPage, site: Path, study: Study, dataset: str | None, kept: bool
) -> None:
    """And back: what the script writes is what the page came with."""
    state = f"dataset={dataset or ''}&kept={'1' if kept else ''}"
    page = ready(open_page(at(site, state)).page)
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
    assert ready(page).evaluate(BODY) == open_page(site / "index.html").page.evaluate(BODY)


def test_an_order_and_a_data_set_in_one_address_are_both_kept(
    open_page: OpenPage, site: Path, study: Study
) -> None:
    """The rows are sorted before the figures of the data set are there."""
    page = ready(open_page(at(site, "sort=-rank&dataset=facts")).page)
    found = expected(study, "facts", kept=False)
    assert page.evaluate(ROWS) == [row.model for row in found.rows][::-1]
    cells = page.evaluate(CELLS)
    assert {row.model: cells[row.model][2] for row in found.rows} == {
        row.model: shown(row.performance) for row in found.rows
    }


def cuts(rows: Sequence[BoardRow]) -> list[list[str | bool]]:
    """Models, and whether a rule stands above them: where the tier of the row above is another."""
    above = [row.tier for row in rows]
    return [[row.model, tier != row.tier] for tier, row in zip([*above[:1], *above], rows, strict=False)]


def test_tiers_stay_true_when_rows_are_hidden(open_page: OpenPage, site: Path, study: Study) -> None:
    page = ready(open_page(at(site, "open=yes&dataset=facts")).page)
    found = expected(study, "facts", kept=False)
    rows = [row for row in found.rows if study.words[row.model].open]
    assert page.evaluate(CUTS) == cuts(rows)


def test_rules_between_tiers_are_of_the_ranking_alone(page: Any) -> None:
    assert page.locator("#board.by-rank").count() == 1
    sort_by(page, "robustness").click()
    assert page.locator("#board.by-rank").count() == 0
    sort_by(page, "rank").click()
    assert page.locator("#board.by-rank").count() == 1


def test_a_link_to_what_is_not_there_shows_all(open_page: OpenPage, site: Path, study: Study) -> None:
    page = open_page(at(site, "dataset=nothing&family=%3Cb%3E&sort=nothing&from=x&constructor=1")).page
    assert page.evaluate(ROWS) == list(study.models)
    assert page.locator("select[name=dataset]").input_value() == ""


def test_it_is_used_by_keyboard_alone(page: Any) -> None:
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
def test_the_name_stays_in_sight_when_the_board_scrolls(open_page: OpenPage, site: Path, width: int) -> None:
    page = open_page(at(site, "more=1"), width=width).page
    found = page.evaluate(
        """() => {
            const box = document.querySelector("#leaderboard .scroll");
            box.scrollLeft = 400;
            const cell = box.querySelector("tbody th").getBoundingClientRect();
            const left = cell.left - box.getBoundingClientRect().left;
            return [left, cell.width, document.documentElement.scrollWidth];
        }"""
    )
    assert found[0] >= 0
    assert found[1] < 180
    assert found[2] <= width


def test_a_long_menu_scrolls_down_and_not_sideways(open_page: OpenPage, site: Path) -> None:
    for width in (360, 1280):
        page = open_page(site / "index.html", width=width).page
        page.locator("summary", has_text="Models").click()
        sideways, down = page.evaluate(
            """() => {
                const panel = document.querySelector("details.menu[open] .panel");
                const entry = panel.lastElementChild;
                for (let place = 0; place < 100; place += 1) panel.append(entry.cloneNode(true));
                return [panel.scrollWidth - panel.clientWidth, panel.scrollHeight - panel.clientHeight];
            }"""
        )
        assert sideways <= 0
        assert down > 0


def test_a_screen_reader_hears_what_the_figures_are_of(open_page: OpenPage, site: Path, study: Study) -> None:
    page = ready(open_page(site / "index.html").page)
    said = page.locator("[aria-live]", has=page.locator("#count"))
    everyone = f"{len(study.models)} models"
    assert said.text_content().strip() == everyone
    page.get_by_label("Figures on").select_option(study.datasets[1])
    assert ready(page).locator("#board").is_visible()
    assert said.text_content() == f"{everyone}, figures on {study.datasets[1]}"
    page.get_by_label("Only changes that keep the answer").check()
    ready(page)
    expected = f"{everyone}, figures on {study.datasets[1]}, only changes that keep the answer"
    assert said.text_content() == expected
    page.get_by_text("Reset").click()
    ready(page)
    assert said.text_content() == f"{everyone}, figures on all data sets"


@pytest.mark.parametrize("width", [390, 1000, 1400])
def test_sentences_stand_where_they_stay_before_the_picture_has_come(
    open_page: OpenPage, site: Path, width: int
) -> None:
    page = ready(open_page(site / "index.html", width=width).page)
    places = """() => Array.from(document.querySelectorAll(".hero-title, #findings li"), each => {
      const box = each.getBoundingClientRect();
      return [box.x, box.y, box.width, box.height];
    })"""
    shown = page.evaluate(places)
    assert len(shown) > 2
    page.evaluate("document.querySelector('.hero-picture').remove()")
    assert page.evaluate(places) == shown


def test_a_table_of_less_says_that_what_stands_above_is_of_the_whole_study(
    open_page: OpenPage, site: Path, study: Study
) -> None:
    page = ready(open_page(site / "index.html").page)
    said, place = (
        page.locator("#whole"),
        "document.querySelector('#board').getBoundingClientRect().top + scrollY",
    )
    assert said.get_attribute("role") == "status"
    assert said.text_content() == ""
    before = page.evaluate(place)
    page.get_by_label("Figures on").select_option(study.datasets[1])
    assert ready(page).locator("#whole").text_content() == "Sentences and picture: the whole study."
    assert page.evaluate(place) == before, "nothing moves"
    page.get_by_text("Reset").click()
    ready(page)
    assert said.text_content() == ""
    page.get_by_label("Only changes that keep the answer").check()
    ready(page)
    assert said.text_content() == "Sentences and picture: the whole study."


def test_figures_that_are_not_there_are_said_to_be_missing(open_page: OpenPage, site: Path) -> None:
    page = open_page(site / "index.html").page
    before = page.evaluate(CELLS)
    page.evaluate("() => { torr.load = () => Promise.reject(new Error('not there')); }")
    page.get_by_label("Only changes that keep the answer").check()
    page.get_by_text("These figures could not be loaded").wait_for()
    assert page.locator("#board[aria-busy]").count() == 0
    assert page.evaluate(CELLS) == before


def test_an_only_data_set(open_page: OpenPage, tmp_path: Path) -> None:
    """Its figures stand there once, also with label-keeping perturbations alone."""
    run = simulate(tmp_path / "run", models=MODELS[:3], datasets=["facts"], examples=5, rows=3, resamples=50)
    page = open_page(build_site([run], tmp_path / "site", charts=False)).settle().page
    study = study_of(open_source(run), set(), alone=True)
    page.get_by_label("Only changes that keep the answer").check()
    ready(page)
    for row in expected(study, None, kept=True).rows:
        cells = page.evaluate(CELLS)[row.model]
        assert len(cells) == 8
        assert cells[2] == f"{row.performance.value} {row.performance.bounds}"


def test_without_script_the_whole_board_is_there(open_page: OpenPage, site: Path, study: Study) -> None:
    page = open_page(site / "index.html", script=False).page
    assert page.locator("#board tbody tr").count() == len(study.models)
    assert page.locator("#board thead button").count() == 0
    assert not page.locator("#choices").is_visible()
    assert page.locator('#board th[data-name="worst"]').is_visible()
    page.locator("summary", has_text="Data sets").click()
    assert page.locator("details.menu[open] a").count() == len(study.datasets)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The overview of 14 models on ten data sets."""
    folder = tmp_path_factory.mktemp("many")
    run = simulate(folder / "run", examples=5, rows=3, resamples=50)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "PAGES", (overview,))
        return build_site([run], folder / "site", charts=False)


def test_the_first_screen_has_six_models_and_more(open_page: OpenPage, many: Path) -> None:
    page = open_page(many, width=1400).settle().page
    bottoms = page.evaluate(
        """() => Array.from(document.querySelectorAll("#board tbody tr"))
          .map(row => row.getBoundingClientRect().bottom)"""
    )
    assert len(bottoms) == 14
    assert sum(bottom <= 900 for bottom in bottoms) >= 6
    assert page.locator(".tier-name", has_text="Tier 1").first.is_visible()


def test_the_header_stays_in_sight(open_page: OpenPage, many: Path) -> None:
    """Of a table that scrolls sideways too; there is no second way to scroll down."""
    for width in (390, 1400, 1920):
        page = open_page(many, width=width).settle().page
        top, last = page.evaluate(
            """async () => {
              const last = document.querySelector("#board tbody tr:last-child");
              last.scrollIntoView({ block: "end", behavior: "instant" });
              await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
              return [document.querySelector("#board thead th"), last]
                .map(each => each.getBoundingClientRect().top);
            }"""
        )
        assert 0 <= top < last < 900
        assert (
            page.evaluate(
                "(box => box.scrollHeight - box.clientHeight)(document.querySelector('.board-box'))"
            )
            <= 1
        )


def test_what_is_cut_off_fades(open_page: OpenPage, many: Path) -> None:
    for width in (390, 1400, 1920):
        page = open_page(many, width=width).settle().page
        cut, fades = page.evaluate(
            """() => {
              const box = document.querySelector(".board-box");
              return [box.scrollWidth > box.clientWidth + 1, getComputedStyle(box).maskImage !== "none"];
            }"""
        )
        assert cut is fades
        if cut:
            page.evaluate("document.querySelector('.board-box').scrollLeft = 10000")
            page.wait_for_function(
                "() => getComputedStyle(document.querySelector('.board-box')).maskImage === 'none'"
            )


def test_intervals_can_be_read(open_page: OpenPage, many: Path) -> None:
    for width in (390, 1400):
        sizes = open_page(many, width=width).page.evaluate(
            """() => Array.from(document.querySelectorAll("#board .bounds"))
              .map(each => parseFloat(getComputedStyle(each).fontSize))"""
        )
        assert min(sizes) >= 12


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


def test_ticks_are_cleared_together(open_page: OpenPage, site: Path, study: Study) -> None:
    page = open_page(site / "index.html").page
    for model in study.models[:2]:
        page.get_by_label(f"Compare {model}").check()
    page.locator("#picked").get_by_role("button", name="Clear").click()
    assert not page.locator("#picked").is_visible()
    assert page.locator("input.pick:checked, input.pick:disabled").count() == 0


def test_the_table_stays_where_it_is_when_a_choice_is_made(open_page: OpenPage, site: Path) -> None:
    page = open_page(site / "index.html").page
    top = page.locator("#board").bounding_box()["y"]
    page.get_by_text("More figures").click()
    page.get_by_role("button", name="Reset").wait_for()
    assert page.locator("#board").bounding_box()["y"] == top


def test_a_slash_goes_to_the_search(page: Any) -> None:
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "find"
    page.keyboard.type("a/b")
    assert page.locator("input[name=find]").input_value() == "a/b"
