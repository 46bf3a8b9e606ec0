"""The other metrics of a card, as readers choose them: in the list of examples, in one of them, by link."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import pytest

from torr_plugin.leaderboard import build_site, building
from torr_plugin.leaderboard.pages import examples

from ..conftest import Only
from ..made import make_run, with_metrics
from ..published import Published
from .conftest import OpenPage

pytestmark = pytest.mark.full

ODD = "<img src=x onerror=window.pwned=1>"
OTHERS = {"opposite": lambda score: 1 - score, ODD: lambda score: score / 4}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_run(tmp_path_factory.mktemp("metrics") / "run")
    with_metrics(path, "wikitq", {**OTHERS, "tokens": lambda score: 30 + score})
    return path


@pytest.fixture(scope="module")
def page(run: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "PAGES", (examples,))
        build_site([run], run.parent / "site", charts=False)
    return (run.parent / "site" / "a-small-study" / "examples.html").as_uri()


@pytest.fixture(scope="module")
def published(run: Path) -> Published:
    return Published(run)


def state(page: Any) -> dict[str, str]:
    found: dict[str, str] = page.evaluate(
        "Object.fromEntries(new URLSearchParams(location.hash.slice(1)).entries())"
    )
    return found


def means(page: Any) -> list[str]:
    found: list[str] = page.locator("#examples-rows td.num:nth-of-type(4)").all_inner_texts()
    return found


def test_the_list_goes_by_the_chosen_metric(page: str, open_page: OpenPage) -> None:
    opened = open_page(f"{page}#sort=study").page
    opened.locator("#examples-rows tr").first.wait_for()
    assert opened.locator("#choose-metric option").all_inner_texts() == ["exact_match", *OTHERS]
    before = [float(each) for each in means(opened)]
    opened.select_option("#choose-metric", "opposite")
    opened.wait_for_function(
        "before => document.querySelector('#examples-rows td.num').innerText !== before",
        arg=f"{before[0]:.2f}",
    )
    assert sorted(map(float, means(opened))) == pytest.approx(sorted(1 - each for each in before), abs=0.011)
    assert state(opened) == {"metric": "opposite", "sort": "study"}
    assert "tokens" in opened.locator("#examples-hidden").inner_text()


def test_a_metric_that_is_not_there_is_the_main_one(page: str, open_page: OpenPage) -> None:
    opened = open_page(f"{page}#dataset=wikitq&example=wikitq-1&metric=__proto__").page
    opened.locator(".matrix").wait_for()
    assert opened.locator("#example-metric").input_value() == ""
    assert opened.locator(".facts dd", has_text="exact_match").count() == 1
    open_page(f"{page}#dataset=tab_fact&metric=opposite")
    opened.locator("#examples-rows tr").first.wait_for()
    assert not opened.locator("#choose-metric").is_visible(), "of one metric there is no choice"
    assert not opened.locator("#examples-hidden").is_visible()
    opened.select_option("#choose-dataset", "wikitq")
    opened.locator("#choose-metric").wait_for()
    assert opened.locator("#choose-metric").input_value() == "opposite"


def test_a_link_shows_an_example_by_a_metric(page: str, published: Published, open_page: OpenPage) -> None:
    opened = open_page(
        f"{page}#{urlencode({'dataset': 'wikitq', 'example': 'wikitq-1', 'metric': 'opposite'})}"
    ).page
    opened.locator(".matrix").wait_for()
    assert opened.locator("#example-metric").input_value() == "opposite"
    detail = published.examples["wikitq", "wikitq-1"]
    for place, config in enumerate(published.known.configs):
        rows = detail["others"][0]
        right = sum(row[place] >= 0.5 for row in rows)
        label = opened.locator(f".matrix [data-place='{place}']").get_attribute("aria-label")
        assert f"{right} of {len(rows)} models right" in label, config.name


def test_each_answer_has_its_scores_by_all_metrics(
    page: str, published: Published, open_page: OpenPage
) -> None:
    config = published.known.configs[0].name
    link = urlencode({"dataset": "wikitq", "example": "wikitq-1", "config": config})
    opened = open_page(f"{page}#{link}").page
    opened.locator(".answers-table").wait_for()
    detail, place = published.examples["wikitq", "wikitq-1"], 0
    said = opened.locator(".answers-table .others").all_inner_texts()
    expected = [
        ", ".join(f"{name} {detail['others'][at][model][place]:g}" for at, name in enumerate(OTHERS))
        for model in range(len(published.known.study.models))
    ]
    assert said == expected
    opened.select_option("#example-metric", ODD)
    opened.locator(".facts dd", has_text=ODD).wait_for()
    assert state(opened)["metric"] == ODD
    assert opened.evaluate("document.activeElement.id") == "example-metric"
    said = opened.locator(".answers-table .others").all_inner_texts()
    assert all(each.startswith("exact_match ") and "opposite " in each for each in said)


def test_what_is_said_of_an_answer_is_not_in_its_frame(
    tmp_path: Path, open_page: OpenPage, only: Only
) -> None:
    """And many properties do not stand before the scores."""
    only(examples)
    answers = {"alpha": "", "beta": " \n\u3000", "gamma": "The answer is empty."}
    run = make_run(
        tmp_path / "run", datasets=("wikitq",), examples=1, predict=lambda model, example: answers[model]
    )
    groups = {f"kind {n}": "<b>x</b>" for n in range(9)}
    known = {"dataset": "wikitq", "example": "wikitq-0", "groups": json.dumps(groups), "properties": "{}"}
    pd.DataFrame([{**known, "cells": 8}]).to_parquet(run / "examples.parquet", index=False)
    build_site([run], tmp_path / "site", charts=False)
    page = (tmp_path / "site" / "a-small-study" / "examples.html").as_uri()
    opened = open_page(f"{page}#dataset=wikitq&example=wikitq-0").page
    opened.locator(".answers-table").wait_for()
    said = [
        row.locator(".legend").all_inner_texts() for row in opened.locator(".answers-table tbody tr").all()
    ]
    assert said == [["The answer is empty."], ["The answer is only white space, 3 characters."], []]
    assert opened.locator(".answers-table .answer").all_inner_texts() == ["The answer is empty."]
    box = opened.locator("#examples-view details", has_text="Its 10 kinds and properties")
    assert not box.locator("dd").first.is_visible()
    box.locator("summary").click()
    assert box.locator("dd").all_inner_texts() == [*["<b>x</b>"] * 9, "8"]
