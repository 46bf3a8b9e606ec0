"""The site in a real browser, opened from the disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.leaderboard import build_site

from ..conftest import missing
from .made import PERTURBATIONS, SERIALIZERS, make_run, with_analysis

HOSTILE = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium of the system, else playwright's own."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ModuleNotFoundError:
        missing("playwright is not installed: pip install 'torr-plugin[test]'")
    named = os.environ.get("TORR_CHROMIUM")
    system = named or next(filter(None, map(shutil.which, CHROMIUM)), None)
    with sync_playwright() as playwright:
        try:
            launched = playwright.chromium.launch(executable_path=system, args=ARGUMENTS)
        except Error as error:
            missing(
                f"no Chromium to open the site with (install it, or set TORR_CHROMIUM): {str(error)[:200]}"
            )
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    run = make_run(
        folder / "run",
        models=[
            "alpha",
            f"beta {HOSTILE}",
            "Gamma-10",
            "gamma-9",
            "a-model-with-a-name-that-does-not-want-to-end" * 2,
        ],
        datasets=["wikitq", f"tab_fact{HOSTILE}"],
        serializers=SERIALIZERS,
        perturbations=PERTURBATIONS,
        examples=4,
        failing={"gamma-9": HOSTILE},
        predict=lambda model, example: HOSTILE + "x" * 500,
        prompt=lambda config, example: HOSTILE + "|" * 900,
    )
    with_analysis(run, resamples=50)
    return build_site([run], folder / "site")


class Opened:
    """A page with what it asked for and what it complained of."""

    def __init__(
        self, browser: Any, path: Path, *, width: int = 1280, dark: bool = False, script: bool = True
    ) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
        )
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    def column(self, name: str) -> list[str]:
        """What a column of the first table is sorted by, top to bottom."""
        found: list[str] = self.page.evaluate(
            """name => {
                const table = document.querySelector("table[data-sortable]");
                const headers = Array.from(table.tHead.rows[1].cells);
                const index = headers.findIndex(cell => cell.textContent.trim() === name);
                return Array.from(table.tBodies[0].rows).map(row => row.cells[index].dataset.value);
            }""",
            name,
        )
        return found

    def header(self, name: str) -> Any:
        return (
            self.page.locator("table[data-sortable]")
            .first.locator("thead tr:last-child th", has_text=name)
            .first
        )


@pytest.fixture
def opened(browser: Any, site: Path) -> Iterator[Opened]:
    page = Opened(browser, site)
    yield page
    page.context.close()


def test_it_loads_from_the_disk_alone_and_without_a_complaint(opened: Opened) -> None:
    assert opened.page.title() == "a small study \N{EN DASH} how well models read tables"
    opened.page.wait_for_function("document.documentElement.classList.contains('script')")
    assert all(url.startswith("file://") for url in opened.requests)
    assert {url.rpartition("/")[2] for url in opened.requests} >= {"index.html", "style.css", "sort.js"}
    assert opened.complaints == []
    font = opened.page.evaluate(
        "getComputedStyle(document.body).maxWidth + getComputedStyle(document.body).margin"
    )
    assert font == "none0px", "the style sheet is in force"


def test_hostile_names_and_answers_do_nothing(opened: Opened) -> None:
    for summary in opened.page.locator("summary").all():
        summary.click()
    assert opened.page.evaluate("window.pwned") is None
    assert opened.page.locator("img").count() == 0
    assert opened.page.locator("script").count() == 1
    assert opened.page.get_by_text(HOSTILE).count() > 3
    assert opened.complaints == []


def test_the_policy_stops_script_that_would_get_in(opened: Opened) -> None:
    opened.page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.pwned = 1";
            document.body.appendChild(script);
            document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.pwned = 1'>");
        }"""
    )
    opened.page.wait_for_timeout(100)
    assert opened.page.evaluate("window.pwned") is None
    assert any("Content Security Policy" in complaint for complaint in opened.complaints)


def test_headers_sort_by_click_and_by_key(opened: Opened) -> None:
    performance = opened.header("Performance")
    performance.locator("button").click()
    values = [float(value) for value in opened.column("Performance")]
    assert values == sorted(values, reverse=True)
    assert performance.get_attribute("aria-sort") == "descending"
    performance.locator("button").focus()
    opened.page.keyboard.press("Enter")
    values = [float(value) for value in opened.column("Performance")]
    assert values == sorted(values)
    assert performance.get_attribute("aria-sort") == "ascending"
    opened.page.keyboard.press("Space")
    assert performance.get_attribute("aria-sort") == "descending"
    opened.header("Model").locator("button").click()
    names = opened.column("Model")
    assert names[0].startswith("a-model")
    assert names.index("gamma-9") < names.index("Gamma-10"), "numbers in names count as numbers"
    assert opened.page.locator("table[data-sortable]").first.locator("[aria-sort]").count() == 1


def test_a_missing_figure_sorts_last_both_ways(opened: Opened) -> None:
    opened.page.evaluate(
        "document.querySelector('table[data-sortable] tbody').rows[1].cells[3].dataset.value = ''"
    )
    button = opened.header("Robustness").locator("button")
    for _ in range(2):
        button.click()
        assert opened.column("Robustness")[-1] == ""
        assert "" not in opened.column("Robustness")[:-1]


@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_never_scrolls_sideways(browser: Any, site: Path, width: int, dark: bool) -> None:
    opened = Opened(browser, site, width=width, dark=dark)
    for summary in opened.page.locator("summary").all():
        summary.click()
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    ink, page = opened.page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        ".map(text => text.match(/\\d+/g).reduce((sum, each) => sum + Number(each), 0))"
    )
    assert (ink > page) == dark
    opened.context.close()


def test_the_model_stays_in_sight_when_the_table_scrolls(browser: Any, site: Path) -> None:
    opened = Opened(browser, site, width=360)
    found = opened.page.evaluate(
        """() => {
            const box = document.querySelector("#leaderboard .scroll");
            box.scrollLeft = 400;
            const cell = box.querySelector("tbody th").getBoundingClientRect();
            return [box.scrollLeft, cell.left - box.getBoundingClientRect().left, cell.width];
        }"""
    )
    assert found[0] == 400
    assert 0 <= found[1] < 3
    assert found[2] < 180
    opened.context.close()


def test_without_script_the_page_reads_the_same(browser: Any, site: Path) -> None:
    opened = Opened(browser, site, script=False)
    assert opened.page.locator("table[data-sortable]").first.locator("tbody tr").count() == 5
    assert opened.page.locator("thead button").count() == 0
    assert not opened.page.get_by_text("Headers sort.").is_visible()
    opened.context.close()


def test_five_data_sets_fit_into_a_wide_window(browser: Any, tmp_path: Path) -> None:
    names = ["wikitq", "tab_fact", "scigen", "numeric_nlg", "hctqa.real"]
    run = make_run(tmp_path / "run", datasets=names, models=["torr-lexical", "torr-random-cell"])
    opened = Opened(browser, build_site([run], tmp_path / "site"))
    box = "document.querySelector('#leaderboard .scroll')"
    assert opened.page.evaluate(f"{box}.scrollWidth - {box}.clientWidth") <= 0
    opened.context.close()


def test_a_caption_stays_in_sight_when_its_table_scrolls(browser: Any, site: Path) -> None:
    opened = Opened(browser, site, width=360)
    left, right = opened.page.evaluate(
        """() => {
            document.querySelector("#leaderboard .scroll").scrollLeft = 300;
            const text = document.querySelector("#leaderboard caption span").getBoundingClientRect();
            return [text.left, text.right];
        }"""
    )
    assert 0 < left < right < 360
    opened.context.close()


def test_print_shows_small_intervals_and_no_arrows(browser: Any, site: Path) -> None:
    opened = Opened(browser, site)
    opened.page.emulate_media(media="print")
    size, arrow = opened.page.evaluate(
        """() => [
            getComputedStyle(document.querySelector(".board td .bounds")).fontSize,
            getComputedStyle(document.querySelector("th[aria-sort] button"), "::after").content,
        ]"""
    )
    assert float(size.removesuffix("px")) < 10
    assert arrow == "none"
    opened.context.close()
