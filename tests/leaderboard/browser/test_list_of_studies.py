"""The list of many studies in a browser: searching it, and a link to what was sought."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from torr_plugin.leaderboard.pages.overview import MANY, list_of_studies
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import study_of

from .conftest import OpenPage
from .opened import address_of

pytestmark = pytest.mark.full


@pytest.fixture
def many(simulated_run: Path, tmp_path: Path) -> str:
    one = study_of(open_source(simulated_run), set(), alone=False)
    studies = [replace(one, slug=f"s{number}", title=f"study {number}") for number in range(MANY + 1)]
    file, renderer = list_of_studies(studies), Renderer()
    for asset in renderer.assets():
        (tmp_path / "assets").mkdir(exist_ok=True)
        (tmp_path / "assets" / asset.name).write_bytes(asset.read_bytes())
    values = {"study": None, "page": file, "root": "", **file.values}
    (tmp_path / "index.html").write_text(renderer.render(file.template, **values), encoding="utf-8")
    return (tmp_path / "index.html").as_uri()


def test_a_search_leaves_what_fits_and_can_be_linked(open_page: OpenPage, many: str) -> None:
    page = open_page(many).page
    shown = page.locator("#studies > li").filter(visible=True)
    assert shown.count() == MANY + 1
    field = page.get_by_label("Search by study, model or data set")
    field.fill("STUDY 3")
    assert shown.count() == 1
    assert page.locator("#studies-count").inner_text() == f"1 of {MANY + 1} studies"
    assert address_of(page).endswith("#q=STUDY+3")
    open_page(address_of(page))
    assert shown.count() == 1
    field.fill("aster-large towns_qa")
    assert shown.count() == MANY + 1
    field.fill("constructor <b>")
    assert shown.count() == 0
