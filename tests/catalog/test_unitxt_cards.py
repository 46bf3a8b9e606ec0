"""Our cards beside unitxt's own, example by example, on the same data.

Where the two differ, the difference is named, counted and unitxt's: see ``LOST``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.catalog import load_card, read_examples

from . import tiny, unitxt_cards

pytestmark = [
    pytest.mark.usefixtures("unitxt_alone"),
    # unitxt's loader of CSV leaves its file open
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.mark.full
@pytest.mark.parametrize("split", ["test", "validation"])
@pytest.mark.parametrize("name", ["scigen", "numeric_nlg"])
def test_descriptions_agree(mirror: Path, name: str, split: str) -> None:
    theirs = unitxt_cards.task_instances(name, unitxt_cards.rows_of(mirror, name, split), split)
    unitxt_cards.assert_agree(name, read_examples(load_card(name), split), theirs)


@pytest.mark.full
@pytest.mark.parametrize("split", ["test", "validation", "train"])
def test_a_sample_of_tab_fact_agrees(mirror: Path, split: str) -> None:
    rows = unitxt_cards.rows_of(mirror, "tab_fact", split)
    some = range(0, len(rows), 25)
    theirs = unitxt_cards.task_instances("tab_fact", [rows[at] for at in some], split)
    ours = read_examples(load_card("tab_fact"), split)
    unitxt_cards.assert_agree("tab_fact", [ours[at] for at in some], theirs)


@pytest.mark.release
@pytest.mark.parametrize("split", ["test", "validation", "train"])
def test_all_of_tab_fact_agrees(mirror: Path, split: str) -> None:
    theirs = unitxt_cards.task_instances("tab_fact", unitxt_cards.rows_of(mirror, "tab_fact", split), split)
    unitxt_cards.assert_agree("tab_fact", read_examples(load_card("tab_fact"), split), theirs)


# -- WikiTableQuestions: unitxt reads its files as CSV with quotes, which they are not -----------------------

# what unitxt's reading loses of a text of the data, and how it shows
LOST: Mapping[str, Callable[[str], bool]] = {
    "quotes": lambda text: '"' in text,  # taken away, as if they enclosed a cell
    "escapes": lambda text: "\n" in text or "|" in text,  # left as they stand in the file: \n and \p
}


def bare(text: str) -> str:
    """A text without what unitxt's reading may lose of it."""
    return text.replace("\\n", "\n").replace("\\p", "|").replace('"', "")


def losses(ours: Sequence[str], theirs: Sequence[str]) -> frozenset[str]:
    """Which losses explain all differences of texts; fails where one is left unexplained."""
    if len(ours) != len(theirs):
        # a quote that opens and does not close takes what follows into its cell
        assert any(text.startswith('"') and text.count('"') % 2 for text in ours)
        return frozenset({"rows"})
    named: set[str] = set()
    for own, other in zip(ours, theirs, strict=True):
        if own != other:
            why = {name for name, applies in LOST.items() if applies(own)}
            assert why, (own, other)
            assert bare(own) == bare(other), (own, other)
            named |= why
    return frozenset(named)


def cells(table: Mapping[str, Any]) -> list[str]:
    return [text for line in [table["header"], *table["rows"]] for text in line]


# an open quote swallows the rest of the table: 254 rows become one, and a table too long comes through
SWALLOWED = {"csv/203-csv/45.tsv"}
# an answer with an open quote: the whole file of questions cannot be read
UNREADABLE = "nt-12656"

WIKITQ = {
    "test": (
        3593,
        5,
        {
            "tables": {"escapes": 775, "quotes": 136, "escapes+quotes": 144},
            "questions": {"quotes": 2},
            "answers": {"quotes": 53},
        },
    ),
    "validation": (
        2294,
        0,
        {
            "tables": {"escapes": 537, "quotes": 74, "escapes+quotes": 40, "rows": 9},
            "questions": {},
            "answers": {"quotes": 23},
        },
    ),
}


@pytest.mark.parametrize(
    "split",
    [pytest.param("test", marks=pytest.mark.full), pytest.param("validation", marks=pytest.mark.release)],
)
def test_wikitq_agrees_but_for_what_unitxt_loses(mirror: Path, tmp_path: Path, split: str) -> None:
    kept, only_unitxt, expected = WIKITQ[split]
    rows = {
        row["id"]: row for row in unitxt_cards.rows_of(mirror, "wikitq", split) if row["id"] != UNREADABLE
    }
    theirs = unitxt_cards.wikitq_examples(tmp_path, list(rows.values()))
    ours = {each.id: each for each in read_examples(load_card("wikitq"), split) if each.id in rows}
    assert len(ours) == kept
    assert not ours.keys() - theirs.keys()
    extra = theirs.keys() - ours.keys()
    assert len(extra) == only_unitxt
    assert {rows[name]["table"]["name"] for name in extra} <= SWALLOWED
    counts: dict[str, Counter[str]] = {part: Counter() for part in expected}
    for name, example in ours.items():
        instance = theirs[name]
        found = example.table.to_unitxt()
        for part, own, other in (
            ("tables", cells(found), cells(instance["context"])),
            ("questions", [example.fields["question"]], [instance["question"]]),
            ("answers", [example.target], [", ".join(instance["answers"])]),
        ):
            counts[part].update(["+".join(sorted(losses(own, other)))])
    assert {part: {why: n for why, n in found.items() if why} for part, found in counts.items()} == expected


@pytest.mark.full
def test_unitxt_cannot_read_the_validation_questions_of_wikitq(mirror: Path, tmp_path: Path) -> None:
    import pandas as pd
    from unitxt.settings_utils import get_settings

    questions = unitxt_cards.write_wikitq(tmp_path, unitxt_cards.rows_of(mirror, "wikitq", "validation"))
    with get_settings().context(loaders_max_retries=1), pytest.raises(pd.errors.ParserError):
        unitxt_cards.loaded("wikitq", {"validation": questions})
    assert UNREADABLE in {each.id for each in read_examples(load_card("wikitq"), "validation")}


# -- sets of which no real data is at hand -------------------------------------------------------------------


def test_qtsumm_agrees(tiny_mirror: Path) -> None:
    theirs = unitxt_cards.task_instances("qtsumm", unitxt_cards.rows_of(tiny_mirror, "qtsumm", "test"))
    ours = read_examples(load_card("qtsumm"), "test")
    unitxt_cards.assert_agree("qtsumm", ours, theirs)
    assert {each.table.title for each in ours} == {"Boats"}


def test_turl_agrees_but_for_the_last_row_that_unitxt_loses(tiny_mirror: Path, tmp_path: Path) -> None:
    path = tmp_path / "test.table_col_type.json"
    path.write_text(json.dumps([tiny.turl_list(row) for row in tiny.TURL]), encoding="utf-8")
    theirs = unitxt_cards.task_instances("turl_col_type", unitxt_cards.turl_rows(path))
    ours = read_examples(load_card("turl_col_type"), "test")
    assert [each.table.to_unitxt()["rows"] for each in ours] == [
        [["Tern", "Ada"], ["", "Cy"], ["Gull", ""]]
    ] * 2
    for instance in theirs:
        assert instance["input_fields"]["table"]["rows"] == [["Tern", "Ada"], ["", "Cy"]]
        instance["input_fields"]["table"]["rows"].append(["Gull", ""])
        break  # both hold the one table
    unitxt_cards.assert_agree("turl_col_type", ours, theirs)
    vocabulary = theirs[0]["input_fields"]["vocab"]
    assert ours[0].fields["types"] == ", ".join(vocabulary)
    assert len(vocabulary) == len(set(vocabulary)) == 255
    assert ours[0].fields["types"] is ours[1].fields["types"]


def test_finqa_agrees(tiny_mirror: Path) -> None:
    rows = [
        {**row, "qa": {key: row[key] for key in ("question", "answer", "program")}}
        for row in unitxt_cards.rows_of(tiny_mirror, "finqa", "test")
    ]
    theirs = unitxt_cards.task_instances("fin_qa", rows)
    assert len(theirs) < len(rows)
    unitxt_cards.assert_agree("finqa", read_examples(load_card("finqa"), "test"), theirs)
