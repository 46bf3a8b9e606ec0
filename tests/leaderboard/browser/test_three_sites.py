"""Every kind of page of three sites: the quickstart, ten simulated models, TOON's real answers."""

from __future__ import annotations

import pytest

from ...conftest import missing
from ..shown_everywhere import StudyEverywhere
from .conftest import OpenPage
from .looking import CHECKS
from .test_every_page import kind

pytestmark = pytest.mark.full

BELOW = "element => element.getBoundingClientRect().bottom + scrollY"


@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (768, "dark"), (390, "light")])
def test_axe_finds_nothing_and_no_page_is_wider_than_its_window(
    open_page: OpenPage, everywhere: StudyEverywhere, width: int, theme: str
) -> None:
    try:
        import axe_playwright_python  # noqa: F401
    except ModuleNotFoundError:
        missing("axe-core is not installed: pip install '.[test]'")
    found, opened = [], open_page("about:blank")
    kinds = {kind(page): page for page in sorted(everywhere.site.rglob("*.html"))}
    for page in kinds.values():
        opened.go(page.as_uri(), width=width, theme=theme).settle().unfold()
        found += [f"{page.name}: {problem}" for problem in CHECKS["axe finds nothing"](opened)]
        scrolls = opened.page.evaluate("document.documentElement.scrollWidth")
        found += [f"{page.name} is {scrolls} wide"] if scrolls > width else []
    assert found == []


def test_a_phone_s_first_screen_has_a_finding_and_three_models(
    open_page: OpenPage, everywhere: StudyEverywhere
) -> None:
    page = open_page(everywhere.site / "index.html", width=390).settle().page
    for part in ("#findings li", "#board tr[data-model] >> nth=2"):
        assert page.locator(part).first.evaluate(BELOW) <= 844, part
