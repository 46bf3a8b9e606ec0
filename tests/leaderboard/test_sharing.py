"""What a reader takes along from a page, and which pages the header leads to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import escape

from torr_plugin.core.errors import RecipeError
from torr_plugin.leaderboard.navigation import navigation
from torr_plugin.leaderboard.pages import method
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.sharing import UNKNOWN_SITE, shared
from torr_plugin.leaderboard.site_config import read_config
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.theming import SiteText

from .pages import Page
from .rendered import rendered

HOSTILE = '"><script>alert(1)</script>'


def method_page(study: Study, words: SiteText | None = None) -> str:
    (file,) = method.files(study)
    values = {"study": study, "page": file, "root": "../", **file.values}
    return Renderer(words=words).render(file.template, **values)


def test_every_page_says_how_to_cite_link_and_embed_it_without_script(
    small_study: Study, tmp_path: Path
) -> None:
    out = rendered(method.files, small_study, tmp_path)
    page = (out / small_study.paths.method).read_text(encoding="utf-8")
    (file,) = method.files(small_study)
    given = shared(small_study, file, SiteText())
    for text in (given.cited.plain, given.cited.bibtex, given.address, given.frame):
        assert f">{escape(text)}</pre>" in page
    assert given.address == UNKNOWN_SITE + small_study.paths.method
    assert f'src="{given.address}"' in given.frame, "a path alone would lead nowhere"
    assert f"In place of <code>{UNKNOWN_SITE}</code>" in page
    assert f'<meta name="description" content="{escape(given.description)}">' in page
    assert "og:url" not in page, "the site's address is not known"
    assert Page(page).problems == []


def test_a_published_site_says_its_address(small_study: Study) -> None:
    page = method_page(small_study, SiteText(address="https://example.org/tables/"))
    address = f"https://example.org/tables/{small_study.paths.method}"
    assert f'<meta property="og:url" content="{address}">' in page
    assert f'<link rel="canonical" href="{address}">' in page
    assert f"&lt;iframe src=&#34;{address}&#34;" in page
    assert UNKNOWN_SITE not in page


def test_names_are_text_in_snippets_and_in_the_page(small_study: Study) -> None:
    named = replace(small_study, title=f"a\nstudy {HOSTILE}")
    (file,) = method.files(named)
    given = shared(named, file, SiteText())
    assert "<script" not in given.frame
    assert given.frame.count('"') == 10
    assert "\n" not in given.frame
    assert "<script>alert" not in method_page(named)


def test_the_header_leads_to_what_says_something(small_study: Study) -> None:
    there = {entry.name: entry for entry in navigation(small_study)}
    assert not {"designs", "ratings", "battles", "history"} & set(there)
    assert dict(there["models"].pages or {}) == dict(small_study.paths.models)
    assert [entry.label for entry in there.values()][:4] == ["Overview", "Models", "Data sets", "Formats"]


def test_a_menu_of_one_page_is_that_page(small_study: Study) -> None:
    only = dict(list(small_study.paths.datasets.items())[:1])
    one = replace(small_study, paths=replace(small_study.paths, datasets=only))
    (entry,) = (entry for entry in navigation(one) if entry.name == "datasets")
    assert (entry.label, entry.path, entry.pages) == ("Data set", *only.values(), None)


def test_a_site_s_file_names_its_address(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("")
    path = tmp_path / "site.yaml"
    path.write_text("studies: [{run: scores.csv}]\naddress: https://example.org/tables\n")
    assert read_config(path).words.address == "https://example.org/tables/"
    path.write_text("studies: [{run: scores.csv}]\naddress: javascript:alert(1)\n")
    with pytest.raises(RecipeError, match=r"site.yaml:2: address: "):
        read_config(path)
