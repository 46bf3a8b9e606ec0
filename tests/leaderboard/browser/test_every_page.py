"""What holds of every page of a site, whatever it shows. Pages are found in its folder, not listed here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ...conftest import missing
from ..conftest import OpenPage
from .looking import CHECKS
from .opened import Opened

pytestmark = pytest.mark.site

PagesOf = Callable[[Path], list[Path]]

# Views of a page that are more than what it first shows, as links to them.
VIEWS = {
    "index": ["dataset=towns_qa&kept=1&more=1&sort=robustness", "find=nobody"],
    "compare": ["a=dolomite-7b&b=aster-large&dataset=facts"],
    "formats": ["model=dolomite-7b&dataset=facts"],
    "reliability": ["k=10&n=500&measure=w&target=0.8"],
    "battles": [
        "question=facts%2Ffacts-1&config=torr.html%2Fnone%2Fdefault&first=aster-large&second=borealis-8b",
    ],
    "examples": [
        "dataset=facts&example=facts-1&config=torr.csv%2Ftranspose%2Fdefault",
        "dataset=towns_qa&example=towns_qa-1&model=aster-large"
        "&config=torr.html%2Fnone%2Fdefault&with=torr.df%2Ftranspose%2Fdefault",
        "dataset=facts&q=no+such+word",
    ],
}


def of_each_kind(pages: list[Path]) -> list[Path]:
    """All pages, but of the pages of models and of data sets the first and the last."""
    kinds: dict[str, list[Path]] = defaultdict(list)
    for page in pages:
        kinds[page.parent.name if page.parent.name in ("models", "datasets") else str(page)].append(page)
    return [page for kind in kinds.values() for page in dict.fromkeys((kind[0], kind[-1]))]


@pytest.fixture(scope="module")
def addresses(pages_of: PagesOf, site: Path, several: Path) -> list[str]:
    """Every kind of page, every view of one, and the pages that a site of several studies adds."""
    of_several = [page for page in pages_of(several) if page.parent == several or page.name == "index.html"]
    assert len(of_several) == 3
    found = [page.as_uri() for page in of_each_kind(pages_of(site)) + of_several]
    for name, views in VIEWS.items():
        (page,) = [path for path in pages_of(site) if path.stem == name]
        found += [f"{page.as_uri()}#{view}" for view in views]
    assert len(found) > 20
    return found


def looked_at(browser: Any, address: str) -> Iterator[str]:
    """What is wrong with a page."""
    steady = next(iter(CHECKS))
    narrow = Opened(browser, address, width=360)
    yield from (f"at 360: {steady}: {problem}" for problem in CHECKS[steady](narrow.settle()))
    narrow.context.close()
    opened = Opened(browser, address).settle()
    for name, check in CHECKS.items():
        try:
            yield from (f"{name}: {problem}" for problem in check(opened))
        except Exception as error:  # the other checks look at it all the same
            yield f"{name}: {type(error).__name__}: {str(error)[:300]}"
        if name == steady:  # what is folded at first is looked at from the second check on
            opened.unfold().settle()
    opened.context.close()


def test_of_every_page(browser: Any, addresses: list[str], site: Path) -> None:
    try:
        import axe_playwright_python  # noqa: F401
    except ModuleNotFoundError:
        missing("axe-core is not installed: pip install '.[test]'")
    charts = sum(path.read_text(encoding="utf-8").count('class="drawn"') for path in site.rglob("*.html"))
    assert charts > 10
    problems = [f"{address}: {problem}" for address in addresses for problem in looked_at(browser, address)]
    assert not problems, "\n".join(problems)


@pytest.fixture
def each(open_page: OpenPage, pages_of: PagesOf, site: Path) -> Callable[..., Iterator[Opened]]:
    def pages(**options: Any) -> Iterator[Opened]:
        for page in of_each_kind(pages_of(site)):
            opened = open_page(page, **options)
            yield opened
            opened.context.close()

    return pages


def test_each_says_without_script_what_it_is(each: Any) -> None:
    for opened in each(script=False):
        assert opened.page.locator("h1").count() == 1, opened.page.url
        assert len(opened.page.locator("main").inner_text()) > 40, opened.page.url
        assert opened.page.locator("th button").count() == 0, opened.page.url


def test_titles_tell_pages_apart(pages_of: PagesOf, site: Path) -> None:
    titles = [page.read_text().partition("<title>")[2].partition("</title>")[0] for page in pages_of(site)]
    assert all(titles)
    assert len(set(titles)) == len(titles), sorted(titles)
