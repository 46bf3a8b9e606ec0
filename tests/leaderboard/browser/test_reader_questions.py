"""What a reader comes to ask, answered in the browser, with the clicks that it takes counted.

Choosing from a list is a click, and so is ticking a row; looking at the page and scrolling down are none.
``-s`` prints the clicks, and the seconds that this machine took.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import OpenPage
from .opened import Opened

pytestmark = pytest.mark.full

WIDTHS = (1400, 390)

_IN_SIGHT = """element => {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.left >= 0 && box.right <= innerWidth + 1;
}"""
_SCREENS = "element => (element.getBoundingClientRect().bottom + scrollY) / innerHeight"


class Reader:
    """Someone who begins at the overview.

    Attributes:
        clicks: so far.
        page: playwright's.
    """

    def __init__(self, opened: Opened) -> None:
        self.page = opened.page
        self.clicks = 0
        self._opened = opened
        self._begun = time.monotonic()
        opened.ready()

    def click(self, found: Any) -> None:
        """Click it, and wait for what follows."""
        found.click()
        self.clicks += 1
        self._opened.ready()

    def choose(self, found: Any, value: str) -> None:
        """Choose from a list."""
        found.select_option(value)
        self.clicks += 1
        self._opened.ready()

    def goes(self, label: str) -> None:
        """By the header's navigation."""
        self.click(self.page.locator("header nav.pages a", has_text=label).first)

    def sees(self, found: Any) -> str:
        """The text, which stands in the window's width; scrolling down shows it, nothing else is needed."""
        found.wait_for()
        assert found.evaluate(_IN_SIGHT), found.evaluate("element => element.outerHTML")[:300]
        return str(found.inner_text())

    def screens(self, found: Any) -> float:
        """How many screens from the top it ends."""
        return float(found.evaluate(_SCREENS))

    def answered(self, question: str, most: int) -> None:
        """The question is answered, in that many clicks at most."""
        seconds = time.monotonic() - self._begun
        width = self.page.viewport_size["width"]
        sys.stdout.write(f"\n{question} at {width} px: {self.clicks} clicks, {seconds:.1f} s")
        assert self.clicks <= most


Visit = Callable[[], Reader]


@pytest.fixture(params=WIDTHS)
def visit(open_page: OpenPage, planned: Path, request: pytest.FixtureRequest) -> Visit:
    return lambda: Reader(open_page(planned / "index.html", width=request.param))


def test_which_models_are_best(visit: Visit) -> None:
    reader = visit()
    group = reader.page.locator("#board tr.group").first
    assert "irst" in reader.sees(group)
    row = reader.page.locator("#board tr[data-model]").first
    assert len(reader.sees(row.locator("th a"))) > 3
    assert reader.screens(row) <= 1
    reader.answered("Which models are best?", 0)


def test_is_one_better_than_another(visit: Visit) -> None:
    reader = visit()
    names = [each.inner_text() for each in reader.page.locator("#board tbody th a").all()[1:3]]
    for row in (1, 2):
        reader.click(reader.page.locator("#board tr[data-model]").nth(row).locator("input.pick"))
    verdict = reader.page.locator("#picked span").first
    said = reader.sees(verdict)
    assert re.search(r"is better, by \d+|no difference shown", said), "in words, whether or not they differ"
    assert "no difference" in said or any(name in said for name in names)
    reader.answered("Is A better than B?", 2)


def test_which_format_and_at_what_price(visit: Visit) -> None:
    reader = visit()
    reader.goes("Formats")
    row = reader.page.locator("#formats tbody tr:not(.group)").first
    assert len(reader.sees(row.locator("th"))) > 1, "the format"
    assert "Tokens" in reader.page.locator("#formats table").first.inner_text()
    reader.answered("Which format, and what does it cost?", 1)


def test_which_format_for_a_model(visit: Visit) -> None:
    reader = visit()
    reader.click(reader.page.locator("#board tbody th a").nth(1))
    assert len(reader.sees(reader.page.locator("#formats tbody tr:not(.group) th").first)) > 1
    reader.answered("Which format for this model?", 1)


def test_an_example_that_flipped_and_why(visit: Visit) -> None:
    reader = visit()
    reader.click(reader.page.locator("#board tbody th a").nth(1))
    reader.click(reader.page.locator("#flips tbody th a").first)
    reader.sees(reader.page.locator("#example-heading"))
    assert reader.page.locator("pre.prompt").count() == 2, "both prompts, side by side"
    reader.answered("An example that flipped, and why?", 2)


def test_may_i_trust_and_cite_it(visit: Visit) -> None:
    reader = visit()
    reader.click(reader.page.locator("details.share summary"))
    panel = reader.page.locator("details.share .panel")
    said = reader.sees(panel)
    assert "May I rely on it?" in said
    assert "scores" in said
    assert "@misc{" in said
    reader.answered("May I trust it, and how do I cite it?", 1)
