"""Choices of what a page shows, and their addresses, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from .conftest import OpenPage
from .opened import address_of

pytestmark = pytest.mark.full

WRITTEN = """name => {
  const table = document.querySelector(`table[data-view="${name}"]`);
  const copy = table.cloneNode(true);
  copy.querySelectorAll("*").forEach(each => each.childNodes.forEach(node => {
    if (node.nodeType === 3 && !node.textContent.trim()) node.remove();
  }));
  copy.normalize();
  // the page writes 4.0 where script writes 4
  return copy.outerHTML.replaceAll("\\n", "").replace(/(="\\d+)\\.0"/g, '$1"');
}"""


def said(page: Any, name: str) -> str:
    text: str = page.locator(f'[data-lines="{name}"]').inner_text()
    return text


def other_and_back(page: Any, control: str, table: str) -> None:
    """Chooses the last of a list, then the first."""
    select = page.locator(f"#{control}")
    caption = page.locator(f'table[data-view="{table}"] caption')
    first = caption.inner_text()
    last = select.locator("option").last.inner_text()
    select.select_option(label=last)
    caption.filter(has_text=last).wait_for()
    select.select_option(index=0)
    caption.filter(has_text=first).wait_for()


# the page of which site, and its controls with the tables that they change
WRITTEN_BY_SCRIPT = {
    ("planned", "formats"): [
        ("which-dataset", "formats"),
        ("which-dataset", "glance"),
        ("which-dataset", "away"),
        ("wins-of", "wins-change"),
        ("which-dataset", "impact"),
        ("every-map", "map"),
    ],
    ("planned", "reliability"): [("curves-dataset", "prompts"), ("variance-dataset", "variance")],
    ("designs_site", "designs"): [
        ("which-dataset", "choice"),
        ("which-model", "choice"),
        ("changes-model", "changes"),
        ("all-dataset", "everyone"),
    ],
}


@pytest.mark.parametrize(("site_name", "name"), WRITTEN_BY_SCRIPT)
def test_what_script_writes_is_what_the_page_had(
    open_page: OpenPage, request: pytest.FixtureRequest, site_name: str, name: str
) -> None:
    (path,) = request.getfixturevalue(site_name).rglob(f"{name}.html")
    page = open_page(path).unfold().page
    for control, table in WRITTEN_BY_SCRIPT[site_name, name]:
        before = page.evaluate(WRITTEN, table)
        assert "<td" in before
        other_and_back(page, control, table)
        assert page.evaluate(WRITTEN, table) == before, table


def test_a_link_shows_the_chosen_model_and_data_set(
    open_page: OpenPage, planned: Path, designs_site: Path
) -> None:
    page = open_page(planned / "formats.html").settle().page
    assert not is_transparent(page.locator(".legend.away span")), "the legend has the colours of the map"
    first = page.locator("#which-model option").first.inner_text()
    model = page.locator("#which-model option").last.inner_text()
    dataset = page.locator("#which-dataset option").last.inner_text()
    page.locator("#which-model").select_option(label=model)
    page.locator("#which-dataset").select_option(label=dataset)
    caption = 'table[data-view="formats"] caption'
    page.locator(caption).filter(has_text=dataset).wait_for()
    address, shown = address_of(page), said(page, "formats")
    assert f"model={quote(model)}" in address
    page = open_page(address).page
    page.locator(caption).filter(has_text=model).filter(has_text=dataset).wait_for()
    assert said(page, "formats") == shown
    model_list = page.locator("#which-model")
    assert model_list.input_value() == model
    model_list.focus()
    page.keyboard.press("Home")
    page.locator(caption).filter(has_text=first).wait_for()
    assert page.evaluate("document.activeElement.id") == "which-model"
    (path,) = designs_site.rglob("designs.html")
    page = open_page(f"{path.as_uri()}#of=beta&on=size").page
    page.locator('table[data-view="changes"] caption').filter(has_text="for beta, size").wait_for()


def is_transparent(found: Any) -> bool:
    colours = found.evaluate_all("all => all.map(each => getComputedStyle(each).backgroundColor)")
    assert colours
    return "rgba(0, 0, 0, 0)" in colours


def test_a_data_set_of_a_model_is_chosen_by_keyboard_and_by_link(open_page: OpenPage, site: Path) -> None:
    path = sorted((site / "simulated-torr" / "models").glob("*.html"))[0]
    page = open_page(path).page
    shown = page.locator("[data-panel=dataset]:visible")
    assert shown.count() == 1
    assert shown.get_attribute("data-name") == "overall"
    page.get_by_label("Data set", exact=True).focus()
    page.keyboard.press("ArrowDown")
    assert shown.get_attribute("data-name") == "towns_qa"
    assert address_of(page).endswith("#dataset=towns_qa")
    for asked, found in (("facts", "facts"), ("constructor", "overall")):
        open_page(f"{path.as_uri()}#dataset={asked}")
        assert shown.get_attribute("data-name") == found


def test_composed_names_of_designs_are_safe_in_addresses(open_page: OpenPage, designs_site: Path) -> None:
    (path,) = designs_site.rglob("examples.html")
    config = "html/none/self_augmented+suc"
    given = f"dataset=size&example=e1&config={quote(config, safe='')}"
    page = open_page(f"{path.as_uri()}#{given}").page
    page.locator("#example-config").wait_for()
    assert page.locator("#example-config").input_value() == config
    page.locator("#example-config").select_option(label="xml/none/suc")
    page.locator("#example-with").select_option(label=config)
    assert page.url.endswith(f"with={quote(config, safe='')}")
    page.reload()
    page.locator("#example-with").wait_for()
    assert page.locator("#example-with").input_value() == config


def test_a_choice_of_a_data_set_shows_its_curves(open_page: OpenPage, planned: Path) -> None:
    page = open_page(planned / "reliability.html").settle().page
    shown = page.locator("[data-panel=curves]:visible figcaption")
    before = shown.all_inner_texts()
    assert before
    page.select_option("#curves-dataset", index=1)
    page.locator('[data-panel=curves][data-name="1"].chosen').first.wait_for()
    assert len(shown.all_inner_texts()) == len(before)
    assert not set(shown.all_inner_texts()) & set(before)
