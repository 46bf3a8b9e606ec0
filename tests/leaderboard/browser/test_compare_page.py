"""Comparing two models in a browser: choosing, swapping, links, and what is shown of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.pages import compare

from ..conftest import Only
from ..rendered import scored
from .conftest import OpenPage
from .opened import address_of

pytestmark = pytest.mark.full


@pytest.fixture
def address(site: Path) -> str:
    (page,) = site.glob("*/compare.html")
    return page.as_uri()


def shown(page: Any, a: str, b: str) -> None:
    """Wait until two models are compared."""
    page.wait_for_function(
        "names => (document.getElementById('differences')?.dataset.shown || '') === names", arg=f"{a}\n{b}"
    )


def overall(page: Any) -> str:
    """The difference in performance over all data sets, with its interval."""
    cell = page.locator('[data-view="performance"] tbody tr').first.locator("td").first
    return f"{cell.locator('.value').inner_text()} {cell.locator('.bounds').inner_text()}"


def test_two_models_are_chosen_swapped_and_linked(open_page: OpenPage, address: str) -> None:
    page = open_page(address).page
    shown(page, "aster-large", "borealis-405b")
    page.get_by_label("compared with").select_option("dolomite-7b")
    shown(page, "aster-large", "dolomite-7b")
    assert address_of(page).endswith("#a=aster-large&b=dolomite-7b")
    difference = overall(page)
    verdict = page.locator("#verdict").inner_text()
    assert verdict.startswith(
        f"aster-large scores higher than dolomite-7b, by {difference[1:].replace('*', '')}"
    )
    page.get_by_role("button", name="Swap the two models").press("Enter")
    shown(page, "dolomite-7b", "aster-large")
    assert overall(page).split()[0] == f"-{difference.split()[0][1:]}"
    turned = page.locator("#verdict").inner_text()
    assert turned.startswith("dolomite-7b scores lower than aster-large, by ")
    assert turned.split(", by ")[1].split(" over ")[0] == verdict.split(", by ")[1].split(" over ")[0]
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
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    shown(page, "borealis-405b", "aster-large")


def test_examples_and_counts_are_those_of_the_scores(
    open_page: OpenPage, address: str, simulated_run: Path
) -> None:
    page = open_page(f"{address}#a=aster-large&b=dolomite-7b&dataset=facts").page
    shown(page, "aster-large", "dolomite-7b")
    scores = pd.read_parquet(simulated_run / "scores.parquet")
    means = scores[scores["dataset"] == "facts"].groupby(["model", "example"])["score"].mean()
    differences = (means["aster-large"] - means["dolomite-7b"]).round(4)
    more, less = int((differences > 0).sum()), int((differences < 0).sum())
    said = f"Of 6 examples in facts, aster-large scores higher on {more} and dolomite-7b on {less}."
    assert page.locator("#examples-caption").inner_text() == said
    sides = page.locator('[data-view="examples"] thead th').evaluate_all(
        "heads => heads.map(head => getComputedStyle(head).textAlign)"
    )
    assert sides[1:] == ["left", "right", "right", "right"], "names, and figures"
    first = page.locator('[data-view="examples"] tbody tr').first
    assert first.locator("a").inner_text() == differences.abs().idxmax()
    link = first.locator("a").get_attribute("href") or ""
    assert "examples.html#dataset=facts&example=facts-" in link
    assert page.get_by_label("Data set", exact=True).input_value() == "facts"
    chosen = (scores["dataset"] == "facts") & (scores["config"] == "torr.html/none/default") & scores["main"]
    own = scores[chosen].pivot_table(index="example", columns="model", values="score", observed=True)
    wished = (own["aster-large"] - own["dolomite-7b"]).mean()
    row = page.locator('[data-view="map"] tbody tr', has_text="html")
    assert float(row.locator("td").first.inner_text()) == pytest.approx(wished, abs=0.0006)
    assert page.locator('[data-view="map"] thead th').count() == 1 + 5, "perturbations beside formats"


def test_examples_that_differ_as_much_and_are_not_listed_are_counted(
    open_page: OpenPage, tmp_path: Path, only: Only
) -> None:
    only(compare)
    for differing, said in ((12, "; 10 of 12 that differ equally"), (10, "")):
        folder = tmp_path / str(differing)
        folder.mkdir()
        scored(folder, lambda model, example, *_: float(example >= differing or model == "a"), "ab")  # noqa: B023
        build_site([folder / "scores.parquet"], folder / "site", charts=False)
        page = open_page(folder / "site" / "scores" / "compare.html").page
        shown(page, "a", "b")
        caption = page.locator('[data-view="examples"] caption')
        assert caption.inner_text() == f"Means over the configurations{said}"
        head = page.locator('[data-view="examples"] thead th').all_inner_texts()
        assert head == ["Example", "a", "b", "Difference"], "of one data set it needs no name"


def test_what_belongs_together_stands_side_by_side_where_it_fits(open_page: OpenPage, address: str) -> None:
    for width, beside in ((1400, True), (768, False)):
        page = open_page(address, width=width).settle().page
        shown(page, "aster-large", "borealis-405b")
        tops = [page.locator(each).bounding_box()["y"] for each in ("#formats", "#examples")]
        assert (tops[0] == tops[1]) == beside
        if beside:
            boxes = page.locator("#differences .side-by-side .scroll")
            assert boxes.count() == 2
            assert boxes.evaluate_all("all => all.every(box => box.scrollWidth <= box.clientWidth)")


def test_verdicts_are_whole_on_a_phone(open_page: OpenPage, address: str) -> None:
    page = open_page(address, width=390).unfold().page
    verdicts = page.locator("#differences td.so")
    assert verdicts.count()
    for verdict in verdicts.all():
        ends = "cell => [cell, cell.closest('.scroll')].map(each => each.getBoundingClientRect().right)"
        inner, outer = verdict.evaluate(ends)
        assert inner <= outer, verdict.inner_text()
