"""Figures with their intervals: one notation, and nothing drawn that would look like certainty."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from torr_plugin.analysis import format_interval, format_points
from torr_plugin.analysis.result import Interval
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.views import figure_text

from .made import make_run, with_analysis
from .pages import Page, read, read_script

pytestmark = pytest.mark.full

SOME = Interval(value=-0.05, low=-0.12, high=0.02)


@pytest.mark.parametrize("figure", [SOME, Interval(value=0.25, low=None, high=None)])
def test_value_and_bounds_make_what_the_terminal_says(figure: Interval) -> None:
    texts = figure_text(figure)
    said = format_interval(figure.value, figure.low, figure.high)
    assert f"{texts.value} {texts.bounds}".rstrip() == said


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((-0.06, -0.08, -0.05), ("-6", "-8 to -5")),
        ((-0.0204, -0.0407, -0.0001), ("-2", "-4 to -0.01")),
        ((0.033, 0.001, 0.065), ("+3", "+0.1 to +6")),
        ((0.004, 0.0004, 0.0121), ("+0.4", "+0.04 to +1")),
        ((0.002, -0.02, 0.024), ("0", "-2 to +2")),
        ((0.012, 0.01, 0.014), ("+1.2", "+1.0 to +1.4")),
        ((None, None, None), ("\N{EN DASH}", "")),
    ],
)
def test_points_are_whole_but_an_end_beside_0_does_not_read_as_0(
    found: tuple[float | None, float | None, float | None], said: tuple[str, str]
) -> None:
    assert format_points(*found) == said


def test_an_interval_without_a_width_is_none() -> None:
    assert figure_text(Interval(value=0.5, low=0.5, high=0.5)).bounds == ""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a study with a single example a data set."""
    folder = tmp_path_factory.mktemp("single")
    run = make_run(folder / "run", examples=1)
    with_analysis(run, resamples=20)
    return build_site([run], folder / "site", charts=False).parent


def test_a_single_example_has_an_interval_that_says_how_little_it_knows(site: Path) -> None:
    (path,) = site.glob("data/*/pages/boards.js")
    _, parts = read_script(path.read_text(encoding="utf-8"))
    for html, _ in parts[1:3]:
        rows = [row for row in Page(f"<table>{html}</table>").rows if len(row) > 1]
        assert rows
        assert all("0\N{EN DASH}100" in row[1] for row in rows)


def test_no_sentence_rests_on_a_single_example(site: Path) -> None:
    said = " ".join(read(site / "index.html").text.split())
    assert "No single best model" in said
    assert not any(title in said for title in ("One model is best", "Most robust", "The format matters"))


def test_no_page_writes_one_number_as_an_interval(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 8
    for path in pages:
        said = read(path).text + json.dumps(path.read_text(encoding="utf-8"))
        same = re.search(r"\[(-?\d\.\d+), \1\]|(?<![\d.])(-?\d\.\d+)–\2(?!\d)", said)  # noqa: RUF001
        assert same is None, (path, same)
