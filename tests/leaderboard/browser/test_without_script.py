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
        for control in ("select", "input[type=range]"):
            assert page.locator(control).filter(visible=True).count() == 0, (path, control)


def test_what_script_would_choose_from_is_all_there(bare: Opened, site: Path, planned: Path) -> None:
    page = bare.go((site / "index.html").as_uri()).page
    assert page.locator("#board tr[data-model]").count() == 5
    assert page.locator("#findings li").count() == 3
    assert not page.locator("#choices").is_visible()
    bare.go((site / "simulated-torr" / "method.html").as_uri())
    assert page.locator("#datasets tbody a").count() == 3
    assert page.locator("#reliability").is_visible()
    bare.go((site / "simulated-torr" / "compare.html").as_uri())
    assert page.locator("#compared tbody tr").count() == 5
    bare.go((planned / "formats.html").as_uri())
    assert page.locator("#formats > .scroll tbody tr:not(.group)").count() == 7
