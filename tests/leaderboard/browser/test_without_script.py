"""The site where scripts are forbidden: every page says what it is, and no control promises more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .opened import Opened

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def bare(browser: Any) -> Iterator[Opened]:
    opened = Opened(browser, script=False)
    yield opened
    opened.context.close()
    assert opened.problems() == []


def test_each_page_says_what_it_is(bare: Opened, site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if page.parent.name not in ("models", "datasets")]
    for path in [
        *pages,
        *sorted(site.rglob("models/*.html"))[:1],
        *sorted(site.rglob("datasets/*.html"))[:1],
    ]:
        page = bare.go(path.as_uri()).page
        assert page.locator("h1").count() == 1, path
        assert len(page.locator("main").inner_text()) > 40, path
        assert page.locator("th button").count() == 0, path
        for control in ("select", "button[data-save]", "input[type=range]"):
            assert page.locator(control).filter(visible=True).count() == 0, (path, control)


def test_what_script_would_choose_from_is_all_there(bare: Opened, site: Path, planned: Path) -> None:
    page = bare.go((site / "index.html").as_uri()).page
    assert page.locator("#board tr[data-model]").count() == 5
    assert page.locator("#findings li").count() == 3
    assert not page.locator("#choices").is_visible()
    page.locator("summary", has_text="More").click()
    assert page.locator("details.menu[open] a", has_text="Data set").count() == 3
    bare.go(sorted(site.rglob("models/*.html"))[0].as_uri())
    assert page.locator("[data-panel=dataset]:visible").count() == 4
    assert page.locator("svg.drawn:visible").count() >= 2
    assert page.locator("#chart-performance svg.drawn").is_visible()
    assert page.locator("button[data-save]").count() >= 2
    bare.go((site / "simulated-torr" / "compare.html").as_uri())
    assert page.inner_text("#verdict").startswith("aster-large ")
    assert page.locator("#neighbours li").count() == 4
    assert not page.locator("#examples").is_visible()
    bare.go((planned / "formats.html").as_uri())
    assert page.locator('table[data-view="glance"] tbody tr').count() == 4
