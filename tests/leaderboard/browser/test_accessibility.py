"""For readers with a keyboard alone; what holds of every page is in test_every_page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..conftest import OpenPage

pytestmark = pytest.mark.site

PagesOf = Callable[[Path], list[Path]]


def test_tables_sort_by_keyboard(open_page: OpenPage, pages_of: PagesOf, site: Path) -> None:
    sorted_tables = 0
    for path in pages_of(site)[::2]:
        opened = open_page(path)
        opened.settle().unfold()
        table = opened.page.locator("table[data-sortable]").filter(visible=True).first
        if not table.count():
            opened.context.close()
            continue
        header = table.locator("thead th:has(button)").nth(1)
        button = header.locator("button")
        button.focus()
        before = header.get_attribute("aria-sort")
        opened.page.keyboard.press("Enter")
        once = header.get_attribute("aria-sort")
        opened.page.keyboard.press("Space")
        twice = header.get_attribute("aria-sort")
        assert {once, twice} == {"ascending", "descending"}, (path, before, once, twice)
        assert table.locator("[aria-sort=ascending], [aria-sort=descending]").count() == 1, path
        assert opened.page.evaluate("document.activeElement.tagName") == "BUTTON", "the focus stays"
        sorted_tables += 1
        opened.context.close()
    assert sorted_tables >= 2


def test_the_first_tab_skips_to_the_figures(open_page: OpenPage, site: Path) -> None:
    opened = open_page(site / "index.html")
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.className") == "skip"
    box: Any = opened.page.locator("a.skip").bounding_box()
    assert box["y"] >= 0
    opened.page.keyboard.press("Enter")
    opened.page.wait_for_function("document.activeElement.id === 'main'")  # some frames after the press
