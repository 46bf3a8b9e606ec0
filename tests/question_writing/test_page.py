"""The review page in a real browser: keys, verdicts saved and loaded, hostile texts, no network."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.leaderboard.browser.opened import Opened
from tests.question_writing.hostile import EVIL, TABLE, hostile_questions
from torr_plugin.question_writing.annotation.question import AnnotatedQuestion, review_sheet
from torr_plugin.question_writing.review import Alternative, write_review
from torr_plugin.question_writing.verdicts import read_reviews
from torr_plugin.tables import Table

pytestmark = pytest.mark.full

TABLES = {
    "rivers": Table.flat(["River", "km"], [["Heron", "1205"], ["Otter", "412"]]),
    "towns": Table.flat(["a"], [["b"]]),
}
QUESTIONS = [
    AnnotatedQuestion(
        f"q{number}",
        table,
        "fact_checking",
        "",
        f"Question {number}?",
        "m",
        (Alternative("1205", ("m", "n"), 3, 90.0), Alternative("412", ("o",), 3)) if number < 3 else (),
    )
    for number, table in enumerate(["rivers", "rivers", "towns", "towns"])
]
CANDIDATES = {each.id: each.candidate for each in QUESTIONS}
Open = Callable[..., Opened]


@pytest.fixture
def opened(tmp_path: Path, window: Opened) -> Open:
    """Opens the review page of these questions; each time in a window that remembers nothing."""

    def open_page(
        questions: list[AnnotatedQuestion] = QUESTIONS, tables: dict[str, Table] = TABLES, **options: Any
    ) -> Opened:
        window.clear()
        write_review(tmp_path, review_sheet(questions, tables))
        return window.go((tmp_path / "review.html").as_uri(), **options)

    return open_page


def shown(page: Any) -> list[str]:
    """The question and the table that can be seen."""
    texts: list[str] = page.locator("article h2:visible, figcaption:visible").all_inner_texts()
    return texts


def saved(page: Any, path: Path) -> Path:
    """The file that the button saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Save verdicts").click()
    download.value.save_as(path)
    return path


def test_a_review_by_keys_alone(opened: Open, tmp_path: Path) -> None:
    this = opened()
    page, press = this.page, this.page.keyboard.press
    assert shown(page) == ["Question 0?", "rivers"]
    press("a")
    press("j")
    assert shown(page) == ["Question 1?", "rivers"]
    press("c")
    page.keyboard.type("1206 j")  # letters in a field are no commands
    press("Escape")
    press("ArrowRight")
    assert shown(page) == ["Question 2?", "towns"]
    press("r")
    press("k")
    press("n")
    assert shown(page) == ["Question 3?", "towns"]
    press("a")  # there is no answer to accept
    assert page.locator("#status").inner_text() == "3 of 4 have a verdict; not saved to a file yet"
    page.get_by_label("Your name").fill("Ada L")
    path = saved(page, tmp_path / "verdicts.jsonl")
    found = read_reviews(tmp_path, [path], CANDIDATES)
    assert {name: (each.verdict, each.answer) for name, each in found.items()} == {
        "q0": ("accept", ""),
        "q1": ("change", "1206 j"),
        "q2": ("reject", ""),
    }
    assert {each.reviewers for each in found.values()} == {("Ada L",)}
    assert this.problems() == []


def test_what_was_filled_in_outlives_the_page_and_can_be_loaded(opened: Open, tmp_path: Path) -> None:
    this = opened()
    page = this.page
    page.get_by_role("button", name="Take").click()
    assert page.locator("article.shown textarea[name=corrected_answer]").input_value() == "412"
    page.reload()
    assert page.locator("article.shown textarea[name=corrected_answer]").input_value() == "412"
    path = saved(page, tmp_path / "verdicts.jsonl")
    other = opened().page  # the same window: the page is empty again
    assert other.locator("#status").inner_text() == "0 of 4 have a verdict"
    with path.open("a") as file:
        file.write(json.dumps({"id": "of another annotation", "verdict": "accept"}) + "\n")
    other.set_input_files("#load", path)
    other.locator("#status", has_text="loaded").wait_for()
    assert other.locator("#status").inner_text() == "1 verdict loaded; 1 about other questions"
    assert other.locator("article.shown input[value=change]").is_checked()
    (tmp_path / "photo.jsonl").write_bytes(b"\x89PNG")
    other.set_input_files("#load", tmp_path / "photo.jsonl")
    other.locator("#status", has_text="photo.jsonl is no file of verdicts").wait_for()


def test_what_accept_would_refuse_is_not_saved(opened: Open) -> None:
    page = opened().page
    page.keyboard.press("c")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.get_by_role("button", name="Save verdicts").click()
    status = page.locator("#status").inner_text()
    assert status == "Not saved: to change it, write a corrected answer or question"
    assert shown(page) == ["Question 0?", "rivers"]
    page.locator("article.shown textarea[name=corrected_answer]").fill("412\n413")
    page.get_by_role("button", name="Save verdicts").click()
    status = page.locator("#status").inner_text()
    assert status == "Not saved: the corrected answer has several lines: write one"


def test_questions_can_be_chosen(opened: Open) -> None:
    page = opened().page
    page.keyboard.press("a")
    page.get_by_label("Show").select_option("open")
    page.keyboard.press("Escape")
    page.locator("#after").click()
    assert shown(page) == ["Question 1?", "rivers"]
    assert page.locator("#place").inner_text() == "Question 1 of 3"


def test_nothing_is_cut_off(opened: Open) -> None:
    for width, theme in ((400, "light"), (1400, "dark")):
        this = opened(width=width, theme=theme)
        assert this.page.evaluate("document.documentElement.scrollWidth") <= width
        colours = this.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (int(colours.removeprefix("rgb(").split(",")[0]) < 100) == (theme == "dark")
        assert this.problems() == []


def test_hostile_texts_do_nothing(opened: Open) -> None:
    this = opened(hostile_questions(), {EVIL: TABLE})
    this.page.wait_for_timeout(200)
    assert this.page.evaluate("window.pwned") is None
    assert this.problems() == []
    assert "<script>window.pwned=1</script>" in this.page.locator("article.shown .candidate").inner_text()


def test_without_scripts_all_questions_are_there(browser: Any, tmp_path: Path) -> None:
    write_review(tmp_path, review_sheet(QUESTIONS, TABLES))
    bare = Opened(browser, script=False)
    page = bare.go((tmp_path / "review.html").as_uri()).page
    assert page.locator("article h2").all_inner_texts() == [each.question for each in QUESTIONS]
    assert page.locator("article h2").first.is_visible()
    assert "review.csv and review.xlsx" in page.locator("noscript").inner_text()
    bare.context.close()
