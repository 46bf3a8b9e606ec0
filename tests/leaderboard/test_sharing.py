"""What a reader takes along from a page, and which pages the header leads to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import escape

from torr_plugin.core.errors import RecipeError
from torr_plugin.leaderboard.citation import study_citation
from torr_plugin.leaderboard.files import PageFile
from torr_plugin.leaderboard.navigation import navigation
from torr_plugin.leaderboard.pages import method, overview
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.sentences import study_findings
from torr_plugin.leaderboard.sharing import UNKNOWN_SITE, shared
from torr_plugin.leaderboard.site_config import read_config
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.theming import SiteText

from .pages import Page
from .rendered import rendered

HOSTILE = '"><script>alert(1)</script>'


def method_page(study: Study, words: SiteText | None = None) -> str:
    (file,) = (each for each in method.files(study) if isinstance(each, PageFile))
    values = {"study": study, "page": file, "root": "../", **file.values}
    return Renderer(words=words).render(file.template, **values)


def test_every_page_says_how_to_cite_and_link_it_without_script(small_study: Study, tmp_path: Path) -> None:
    out = rendered(method.files, small_study, tmp_path)
    page = (out / small_study.paths.method).read_text(encoding="utf-8")
    (file,) = (each for each in method.files(small_study) if isinstance(each, PageFile))
    given = shared(small_study, file, SiteText())
    for text in (given.cited.plain, given.cited.bibtex, given.address):
        assert f">{escape(text)}</pre>" in page
    assert given.address == UNKNOWN_SITE + small_study.paths.method
    assert f"In place of <code>{UNKNOWN_SITE}</code>" in page
    assert f'<meta name="description" content="{escape(given.description)}">' in page
    assert "og:url" not in page, "the site's address is not known"
    assert Page(page).problems == []


def trust_of(study: Study) -> str:
    (file,) = (each for each in method.files(study) if isinstance(each, PageFile))
    return shared(study, file, SiteText()).trust


def test_what_was_not_asked_by_design_is_said_where_one_reads_whether_to_rely_on_it(
    toon: Study, small_study: Study
) -> None:
    assert trust_of(toon).startswith(
        "All 5,316 scores that were asked for are there; 540 more were not asked for, by design. "
    )
    assert "by design" not in trust_of(small_study)


def test_the_study_s_own_description_stands_beside_whether_to_rely_on_it(small_study: Study) -> None:
    page = method_page(replace(small_study, description=f"Simulated: nobody was asked. {HOSTILE}"))
    panel = page[page.index("May I rely on it?") : page.index("Citation")]
    assert "Simulated: nobody was asked." in panel
    assert HOSTILE not in panel
    assert Page(page).problems == []


def test_a_preview_says_what_a_study_found_then_what_it_is(toon: Study) -> None:
    file = next(one for one in overview.files(toon) if isinstance(one, PageFile))
    given = shared(toon, file, SiteText()).description
    first = study_findings(toon)[0].text
    asked = "how well 4 models read tables, on 1 data set and in 6 ways to write a table down"
    assert given == f"{first} toon: {asked}."
    assert "grok-4.5" in first


def test_a_scores_file_is_cited_as_published_on_a_day(
    toon: Study, small_study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it was made is not known."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767322245")
    dated = study_citation(toon)
    assert dated.plain.startswith("toon. 4 models on 1 data set, ")
    assert ", published 2026-01-02; fingerprint" in dated.plain
    assert "year = {2026}" in dated.bibtex
    assert "published" not in study_citation(small_study).plain


def test_a_published_site_says_its_address(small_study: Study) -> None:
    page = method_page(small_study, SiteText(address="https://example.org/tables/"))
    address = f"https://example.org/tables/{small_study.paths.method}"
    assert f'<meta property="og:url" content="{address}">' in page
    assert f'<link rel="canonical" href="{address}">' in page
    assert UNKNOWN_SITE not in page


def test_the_header_leads_to_five_pages(small_study: Study) -> None:
    labels = [label for _, label, _ in navigation(small_study)]
    assert labels == ["Models", "Formats", "Examples", "Compare", "Method & data"]


def test_a_site_s_file_names_its_address(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("")
    path = tmp_path / "site.yaml"
    path.write_text("studies: [{run: scores.csv}]\naddress: https://example.org/tables\n")
    assert read_config(path).words.address == "https://example.org/tables/"
    path.write_text("studies: [{run: scores.csv}]\naddress: javascript:alert(1)\n")
    with pytest.raises(RecipeError, match=r"site.yaml:2: address: "):
        read_config(path)
