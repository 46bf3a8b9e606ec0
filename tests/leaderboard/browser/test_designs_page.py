"""The page of designs in a browser: its choices, hostile names, and ``+`` in the names of designs."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from torr_plugin.leaderboard import build_site

from ..conftest import OpenPage
from ..hostile import HTML
from ..test_designs_page import scores_of
from .test_every_page import looked_at
from .test_views import WRITTEN, other_and_back

pytestmark = pytest.mark.site

COMPOSED = "self_augmented+suc"


@pytest.fixture(scope="module")
def designs_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of three models, two data sets and three formats, with an injection for a design's name."""
    folder = tmp_path_factory.mktemp("designs")
    scores = scores_of(("html", "xml", "nl_sep"), ("alpha", "beta", HTML[0]))
    renamed = scores["design"].replace("suc_no_marks", HTML[0])
    scores = scores.assign(design=renamed, config=scores["serializer"] + "/none/" + renamed)
    scores.to_parquet(folder / "scores.parquet")
    return build_site([folder / "scores.parquet"], folder / "site", charts=False).parent


def page_file(site: Path, name: str) -> Path:
    (found,) = site.glob(f"*/{name}.html")
    return found


def test_it_is_in_order_at_every_width_and_in_both_themes(browser: Any, designs_site: Path) -> None:
    address = page_file(designs_site, "designs").as_uri()
    for one in (address, f"{address}#model=beta&dataset=size&of=beta&on=size&format=xml&all=size&rows=beta"):
        assert list(looked_at(browser, one)) == []


def test_what_script_writes_is_what_the_page_had(open_page: OpenPage, designs_site: Path) -> None:
    page = open_page(page_file(designs_site, "designs")).unfold().page
    for control, table in (
        ("which-dataset", "choice"),
        ("which-dataset", "glance"),
        ("which-model", "choice"),
        ("changes-model", "changes"),
        ("all-format", "everyone"),
        ("all-dataset", "everyone"),
        ("interaction-dataset", "interaction"),
        ("table-model", "table"),
    ):
        before = page.evaluate(WRITTEN, table)
        assert "<td" in before
        other_and_back(page, control, table)
        assert page.evaluate(WRITTEN, table) == before, table


def test_a_link_shows_the_chosen_model_data_set_and_format(open_page: OpenPage, designs_site: Path) -> None:
    address = f"{page_file(designs_site, 'designs').as_uri()}#of=beta&on=size&format=xml&rows=beta"
    page = open_page(address).page
    page.locator('table[data-view="changes"] caption').filter(has_text="for beta, size").wait_for()
    page.locator('table[data-view="everyone"] caption').filter(has_text="xml, All data sets").wait_for()
    page.locator('table[data-view="table"] caption').filter(has_text="for beta").wait_for()


def test_composed_names_are_safe_in_addresses(open_page: OpenPage, designs_site: Path) -> None:
    config = f"html/none/{COMPOSED}"
    given = f"dataset=size&example=e1&config={quote(config, safe='')}"
    page = open_page(f"{page_file(designs_site, 'examples').as_uri()}#{given}").page
    page.locator("#example-config").wait_for()
    assert page.locator("#example-config").input_value() == config
    page.locator("#example-config").select_option(label="xml/none/suc")
    page.locator("#example-with").select_option(label=config)
    assert page.url.endswith(f"with={quote(config, safe='')}")
    page.reload()
    page.locator("#example-with").wait_for()
    assert page.locator("#example-with").input_value() == config
