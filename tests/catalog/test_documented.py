"""docs/reference/cards.md says of each card what the card says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from torr_plugin import catalog
from torr_plugin.catalog import card_names
from torr_plugin.core.versions import shipped_folder
from torr_plugin.tables import perturbations
from torr_plugin.workflows.listing import listed as list_names

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "cards.md"
load_card = cache(catalog.load_card)
MARKS = {"required": "✓", "partial": "~", "none": ""}


def lines() -> list[str]:
    return DOCUMENT.read_text(encoding="utf-8").splitlines()


def shipped() -> list[str]:
    return [name for name in card_names(subsets=False) if name in ours()]


@cache
def ours() -> list[str]:
    return [
        name
        for name in card_names()
        if load_card(name).path.is_relative_to(shipped_folder("cards").resolve())
    ]


def what_there_is(name: str) -> str:
    card = load_card(name)
    task = card.tags["task_categories"]
    needs = " | ".join(MARKS[need] for need in card.skills.values())
    kept = [each for each in card.keeps_labels if each != "none"]
    keeps = "all of ToRR's" if set(kept) >= TORR else ", ".join(kept) or "none of them"
    return f"| `{card.dataset}` | {task} | `{card.main_metric}` | {needs} | {card.licence} | {keeps} |"


TORR = {name for name in perturbations.names() if name != "none"} & {
    "shuffle_rows",
    "shuffle_cols",
    "transpose",
    "insert_empty_rows",
}


def source(name: str) -> str | None:
    loader = load_card(name).loader
    if loader.type_ != "load_tables":
        return None
    parts = [*loader.splits.values(), *([loader.files] if loader.files else [])]
    files = ", ".join(dict.fromkeys(f"{loader.mirror}/{each.mirror}" for each in parts))
    columns = ", ".join(dict.fromkeys([*loader.columns, *loader.where]))
    place = loader.hub.path if loader.hub else "a mirror alone"
    return f"| `{name.removeprefix('cards.')}` | {place} | {files} | {columns} |"


def test_every_card_has_its_line_and_no_other_card_has_one() -> None:
    said = lines()
    expected = [what_there_is(name) for name in shipped()]
    start = said.index(next(line for line in said if line.startswith("| data set ")))
    assert said[start + 2 : start + 2 + len(expected) + 1] == [*expected, ""]


def test_every_subset_is_named() -> None:
    subsets = [name.removeprefix("cards.") for name in ours() if name not in shipped()]
    assert subsets
    assert [name for name in subsets if f"`{name}`" not in "\n".join(lines())] == []


def test_every_source_has_its_line() -> None:
    said = lines()
    expected = [line for line in map(source, shipped()) if line is not None]
    start = said.index(next(line for line in said if line.startswith("| card | hub ")))
    assert said[start + 2 : start + 2 + len(expected) + 1] == [*expected, ""]


def test_the_skills_are_those_of_the_papers_table_1() -> None:
    full, partly, none = "required", "partial", "none"
    table = {
        "finqa": (full, full, full),
        "tablebench_data_analysis": (full, full, full),
        "tablebench_numerical_reasoning": (full, full, full),
        "tablebench_fact_checking": (full, full, partly),
        "wikitq": (full, full, partly),
        "tab_fact": (full, full, partly),
        "qtsumm": (full, partly, partly),
        "scigen": (partly, partly, none),
        "numeric_nlg": (partly, partly, none),
        "turl_col_type": (partly, none, none),
    }
    assert {name: tuple(load_card(name).skills.values()) for name in table} == table


def test_every_card_says_why_it_keeps_labels_or_not() -> None:
    for name in shipped():
        notes = " ".join(load_card(name).notes)
        assert re.search(r"^(All perturbations keep|Not \w+:|None but none:)", notes), name


def test_the_list_of_cards_shows_skills_with_partial_ones_in_brackets() -> None:
    listed = {row["name"]: row["skills"] for row in list_names("cards")}
    assert listed["cards.qtsumm"] == "knowledge extraction, (textual reasoning), (numerical reasoning)"
    assert listed["cards.turl_col_type"] == "(knowledge extraction)"
    assert listed["cards.bundled.cell_lookup"] == "knowledge extraction"
    assert all(listed.values())
