"""What holds of every page of a site, whatever it shows: each kind is opened once and asked everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from ...conftest import missing
from .conftest import OpenPage
from .looking import CHECKS, QUICK_CHECKS, Check, dark
from .opened import Opened

pytestmark = pytest.mark.full

# Where each kind of page is, and links to views of it that are more than what it first shows.
KINDS: dict[tuple[str, str], list[str]] = {
    ("site", "index"): ["show=on+towns_qa&sort=flips"],
    ("site", "models"): [],
    ("site", "datasets"): [],
    ("site", "compare"): ["a=dolomite-7b&b=aster-large"],
    ("site", "formats"): [],
    ("site", "ratings"): [],
    ("site", "battles"): [
        "question=facts%2Ffacts-1&config=torr.html%2Fnone%2Fdefault&first=aster-large&second=borealis-8b",
    ],
    ("site", "examples"): [
        "dataset=facts&q=no+such+word",
        "dataset=towns_qa&example=towns_qa-1&model=aster-large"
        "&config=torr.html%2Fnone%2Fdefault&with=torr.df%2Ftranspose%2Fdefault",
    ],
    ("site", "method"): [],
    ("several", "index"): [],
    ("planned", "method"): [],
    ("designs_site", "formats"): [],
}
# an open example and an open battle are as good as other pages
AS_PAGES = ("&with=", "&second=")
# where axe sees the dark colours too, of maps and of texts; test_themes.py has the contrast of each with each
IN_THE_DARK = ("index", "formats", "examples")


def kind(page: Path) -> str:
    return page.parent.name if page.parent.name in ("models", "datasets") else page.stem


def looked_at(opened: Opened, address: str, checks: Mapping[str, Check]) -> Iterator[str]:
    """What is wrong with a page."""
    steady = next(iter(checks))
    if "#" not in address:
        opened.go(address, width=360).settle()
        yield from (f"at 360: {steady}: {problem}" for problem in checks[steady](opened))
    opened.go(address).settle()
    for name, check in checks.items():
        try:
            yield from (f"{name}: {problem}" for problem in check(opened))
        except Exception as error:  # the other checks look at it all the same
            yield f"{name}: {type(error).__name__}: {str(error)[:300]}"
        if name == steady:  # what is folded at first is looked at from the second check on
            opened.unfold().settle()


@pytest.mark.parametrize(("site_name", "name"), KINDS)
def test_of_every_page(
    open_page: OpenPage, request: pytest.FixtureRequest, site_name: str, name: str
) -> None:
    try:
        import axe_playwright_python  # noqa: F401
    except ModuleNotFoundError:
        missing("axe-core is not installed: pip install '.[test]'")
    folder: Path = request.getfixturevalue(site_name)
    page = min(page for page in folder.rglob("*.html") if kind(page) == name).as_uri()
    looked = {page: CHECKS}
    for view in KINDS[site_name, name]:
        looked[f"{page}#{view}"] = CHECKS if any(part in view for part in AS_PAGES) else QUICK_CHECKS
    opened = open_page("about:blank")
    found = [
        f"{address}: {problem}"
        for address, checks in looked.items()
        for problem in looked_at(opened, address, checks)
    ]
    if name in IN_THE_DARK:
        found += dark(opened)
    assert found == []


def test_no_kind_of_page_is_left_out_and_titles_tell_pages_apart(
    site: Path, several: Path, designs_site: Path
) -> None:
    found = {kind(page) for folder in (site, several, designs_site) for page in folder.rglob("*.html")}
    assert found == {name for _, name in KINDS}
    pages = list(site.rglob("*.html"))
    titles = [page.read_text().partition("<title>")[2].partition("</title>")[0] for page in pages]
    assert all(titles)
    assert len(set(titles)) == len(titles), sorted(titles)
