"""Ratings and battles as a reader uses them: filtered, searched, opened, by mouse, keyboard and link."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import pytest

from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.pages import examples

from ..conftest import Only
from ..long_texts import run_with_long_answers
from .conftest import OpenPage

pytestmark = pytest.mark.full

CONFIG = "torr.html/none/default"


@pytest.fixture(scope="module")
def page(site: Path) -> str:
    return (site / "simulated-torr" / "battles.html").as_uri()


@pytest.fixture(scope="module")
def frame(simulated_run: Path) -> pd.DataFrame:
    return pd.read_parquet(simulated_run / "battles.parquet")


def outcomes(frame: pd.DataFrame) -> pd.Series:
    """(question, model_a, model_b, judge) -> what both orders say together; no row where neither does."""
    decided = frame[frame["winner"].notna()]
    cells = decided.groupby(["question", "model_a", "model_b", "judge"])["winner"]
    return cells.agg(lambda winners: winners.iloc[0] if winners.nunique() == 1 else "tie")


def found(page: Any) -> str:
    return str(page.locator("#battles-status").inner_text())


def open_list(open_page: OpenPage, page: str, **state: str) -> Any:
    opened = open_page(f"{page}#{urlencode(state)}" if state else page).ready().page
    opened.locator("#battles-rows tr").first.wait_for()
    return opened


def test_filters_count_what_the_file_has(page: str, frame: pd.DataFrame, open_page: OpenPage) -> None:
    known = outcomes(frame).reset_index()
    models = sorted(set(frame["model_a"]))
    opened = open_list(open_page, page)
    pairs = frame[["question", "model_a", "model_b"]].drop_duplicates()
    assert found(opened) == f"1 to 25 of {len(pairs)} battles"
    opened.select_option("#battle-judge", "judge-two")
    opened.select_option("#battle-a", models[0])
    opened.select_option("#battle-verdict", "won")
    own = known[(known["judge"] == "judge-two") & (known["model_a"] == models[0])]
    won = int((own["winner"] == "model_a").sum())
    assert f"of {won} found among {len(pairs)} battles" in found(opened)
    opened.select_option("#battle-verdict", "lost")
    lost = int((own["winner"] == "model_b").sum())
    assert f"of {lost} found among" in found(opened)
    opened.select_option("#battle-verdict", "")
    opened.select_option("#battle-show", "orders")
    differ = frame[
        (frame["judge"] == "judge-two") & (frame["model_a"] == models[0]) & frame["winner"].notna()
    ]
    disagree = int((differ.groupby(["question", "model_b"])["winner"].nunique() > 1).sum())
    assert f"of {disagree} found among" in found(opened)
    opened.fill("#battle-q", "no such word")
    opened.wait_for_function(
        "() => document.getElementById('battles-status').textContent.startsWith('0 found')"
    )
    assert "No battle matches" in opened.locator("#battles-rows").inner_text()


def test_a_link_shows_the_same_list(page: str, frame: pd.DataFrame, open_page: OpenPage) -> None:
    opened = open_list(open_page, page, level="analysis", show="judges")
    known = outcomes(frame[frame["level"] == "analysis"]).groupby(["question", "model_a", "model_b"])
    assert f"of {int((known.nunique() > 1).sum())} found among" in found(opened)
    assert opened.locator("#battle-level").input_value() == "analysis"
    opened.locator("#battles-rows a").first.click()
    opened.locator("#battle-heading").wait_for()
    assert "level=analysis" in opened.evaluate("location.hash"), "the filters stay in the address"


def test_a_battle_shows_answers_verdicts_and_reasons(
    page: str, frame: pd.DataFrame, open_page: OpenPage
) -> None:
    models = sorted({*frame["model_a"], *frame["model_b"]})[:2]
    link = {"question": "facts/facts-1", "config": CONFIG, "first": models[0], "second": models[1]}
    opened = open_page(f"{page}#{urlencode(link)}").ready().page
    opened.locator("#battle-heading").wait_for()
    rows = frame[(frame["question"] == "facts/facts-1") & (frame["model_a"] == models[0])]
    rows = rows[rows["model_b"] == models[1]]
    table = opened.locator(".verdicts-table").inner_text()
    for row in rows.itertuples(index=False):
        assert row.reason in table
    assert table.count("shown first") == len(rows)
    assert opened.locator(".battle .sides .side").count() == 2
    opened.get_by_role("link", name="Its prompts, and all").click()
    opened.locator("#example-heading", has_text="facts-1").wait_for()


def test_keys_go_to_the_next_battle_and_back(page: str, open_page: OpenPage) -> None:
    opened = open_list(open_page, page, judge="judge-one")
    link = opened.locator("#battles-rows a").nth(1)
    link.focus()
    opened.keyboard.press("Enter")
    opened.locator("#battle-heading").wait_for()
    assert opened.evaluate("document.activeElement.id") == "battle-heading"
    second = opened.locator("#battle-heading").inner_text()
    opened.keyboard.press("p")
    opened.wait_for_function(
        "second => document.getElementById('battle-heading').textContent !== second", arg=second
    )
    opened.keyboard.press("n")
    opened.wait_for_function(
        "second => document.getElementById('battle-heading').textContent === second", arg=second
    )
    opened.click("#back")
    opened.locator("#battles-rows tr").first.wait_for()
    assert opened.locator("#battle-judge").input_value() == "judge-one"


def test_a_long_answer_keeps_to_its_frame(tmp_path: Path, open_page: OpenPage, only: Only) -> None:
    only(examples)
    run = run_with_long_answers(tmp_path / "run")
    (path,) = build_site([run], tmp_path / "site", charts=False).parent.rglob("battles.html")
    opened = open_list(open_page, path.as_uri())
    opened.set_viewport_size({"width": 390, "height": 844})
    opened.locator("#battles-rows a").first.click()
    opened.locator("#battle-heading").wait_for()
    answers = opened.locator(".battle .answer")
    assert opened.locator(".battle .sides").get_by_text("The first part of 100,000 characters.").count() == 2
    boxes = [answers.nth(place).bounding_box() for place in range(answers.count())]
    assert all(box["width"] <= 390 and box["height"] < 500 for box in boxes)
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390
