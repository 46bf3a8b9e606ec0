"""Ten questions with which a reader comes, answered in the browser; the clicks and words that it takes.

Choosing from a list is a click, and so is ticking a row; looking at the page and scrolling down are none.
Words are those that stand before what is clicked, or before the answer's end, on each page of the way.
``-s`` prints them.
"""

from __future__ import annotations

import re
import sys
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
# of the element and of what stands before it in the header and in the page, as far as it is visible
_WORDS = """element => {
  const parts = [document.querySelector("header"), document.querySelector("main")];
  const reached = node => element.contains(node) ||
    (node.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
  let text = "";
  for (const part of parts) {
    const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const around = node.parentElement;
      const shown = around.checkVisibility() && !around.closest(".unseen, option, script");
      if (shown && reached(node)) text += " " + node.data;
    }
  }
  return (text.match(/\\S+/g) || []).length;
}"""
_SCREENS = "element => (element.getBoundingClientRect().bottom + scrollY) / innerHeight"


class Reader:
    """Someone who begins at the overview.

    Attributes:
        clicks: so far.
        words: so far, of the pages before this one, and of this one up to the answer.
        page: playwright's.
    """

    def __init__(self, opened: Opened) -> None:
        self.page = opened.page
        self.clicks = self.words = 0
        self._opened, self._read = opened, 0
        opened.ready()

    def click(self, found: Any) -> None:
        """Click it, and wait for what follows."""
        before = self.page.url.partition("#")[0]
        self._reads(found)
        found.click()
        self.clicks += 1
        self._opened.ready()
        if self.page.url.partition("#")[0] != before:
            self.words, self._read = self.words + self._read, 0

    def _reads(self, found: Any) -> None:
        self._read = max(self._read, int(found.evaluate(_WORDS)))

    def goes(self, label: str) -> None:
        """By the header's navigation."""
        self.click(self.page.locator("header nav.pages a", has_text=label).first)

    def sees(self, found: Any) -> str:
        """The text, which stands in the window's width; scrolling down shows it, nothing else is needed."""
        found.wait_for()
        self._reads(found)
        assert found.evaluate(_IN_SIGHT), found.evaluate("element => element.outerHTML")[:300]
        return str(found.inner_text())

    def screens(self, found: Any) -> float:
        """How many screens from the top it ends."""
        return float(found.evaluate(_SCREENS))

    def answered(self, question: str, most: int) -> None:
        """The question is answered, in that many clicks at most."""
        width = self.page.viewport_size["width"]
        words = self.words + self._read
        sys.stdout.write(f"\n{question} at {width} px: {self.clicks} clicks, {words} words")
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
    assert re.search(r"is better, by \d+|No difference shown", said), "in words, whether or not they differ"
    assert "No difference" in said or any(name in said for name in names)
    reader.answered("Is A better than B?", 2)


def test_which_format_for_a_model(visit: Visit) -> None:
    reader = visit()
    reader.click(reader.page.locator("#board tbody th a").nth(1))
    assert len(reader.sees(reader.page.locator("#formats tbody tr:not(.group) th").first)) > 1
    reader.answered("Which format should I use for A?", 1)


def test_is_a_cheaper_format_as_good(visit: Visit) -> None:
    """The formats that are not shown to be worse stand first, each with its tokens."""
    reader = visit()
    reader.goes("Formats")
    assert reader.page.locator("#formats tr.group").first.inner_text().startswith(("Best", "None", "Too few"))
    row = reader.page.locator("#formats tbody tr:not(.group)").first
    assert len(reader.sees(row.locator("th"))) > 1, "the format"
    assert re.search(r"\d", reader.sees(row.locator("td").last))
    assert "Tokens" in reader.page.locator("#formats table").first.inner_text()
    reader.answered("Is a cheaper format as good?", 1)


def test_what_changes_of_the_layout_cost(visit: Visit) -> None:
    reader = visit()
    finding = reader.page.locator("#findings li", has=reader.page.locator("h2", has_text="ayout"))
    assert re.search(r"costs|No layout change", reader.sees(finding.locator("p")))
    reader.answered("What do changes of the layout cost?", 0)


def test_an_answer_that_flipped(visit: Visit) -> None:
    reader = visit()
    reader.goes("Examples")
    reader.click(reader.page.locator("#examples-rows tr th a").first)
    reader.sees(reader.page.locator("#configuration-heading"))
    assert reader.page.locator("pre.prompt").count() == 2, "both prompts, side by side"
    reader.answered("Show me an answer that flipped", 2)


def test_which_data_set_is_hardest(visit: Visit) -> None:
    reader = visit()
    reader.goes("Method")
    rows = reader.page.locator("#datasets tbody tr")
    shares = [int(re.sub(r"\D", "", row.locator("td.right").inner_text())) for row in rows.all()]
    hardest = rows.nth(shares.index(min(shares)))
    assert reader.sees(hardest.locator("td.right")).endswith("%")
    reader.answered("Which data set is hardest?", 1)


def test_how_many_questions(visit: Visit) -> None:
    reader = visit()
    assert re.search(r"24 questions on 2 data sets", reader.sees(reader.page.locator(".what-was-asked")))
    reader.answered("How many questions were asked?", 0)


def test_the_scores_to_take_along(visit: Visit) -> None:
    reader = visit()
    reader.goes("Method")
    link = reader.page.locator("#downloads a", has_text="scores.parquet")
    reader.sees(link)
    with reader.page.expect_download() as begun:
        reader.click(link)
    assert begun.value.suggested_filename == "scores.parquet"
    reader.answered("May I have the scores?", 2)


def test_may_i_trust_and_cite_it(visit: Visit) -> None:
    reader = visit()
    reader.click(reader.page.locator("details.share summary"))
    panel = reader.page.locator("details.share .panel")
    said = reader.sees(panel)
    assert "May I rely on it?" in said
    assert "scores" in said
    assert "@misc{" in said
    reader.answered("May I trust it, and how do I cite it?", 1)


def test_how_to_add_a_model(visit: Visit) -> None:
    reader = visit()
    tool = reader.page.locator("header a.tool", has_text="Add a model")
    reader.click(tool) if tool.is_visible() else reader.goes("Method")
    lines = reader.sees(reader.page.locator("#add-a-model pre")).splitlines()
    assert [line.split()[0] for line in lines] == ["pip", "torr", "torr", "tar"]
    reader.answered("How do I add my model?", 1)
