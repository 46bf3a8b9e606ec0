from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.catalog import data_fingerprint, load_card, read_examples
from torr_plugin.catalog import loading as mirror
from torr_plugin.catalog.loading import collecting_rarely, stream_rows
from torr_plugin.core.errors import DataError
from torr_plugin.tables import Cell, Table

from . import tiny
from .conftest import Changed


@pytest.mark.usefixtures("tiny_mirror")
class TestFromATinyMirror:
    def test_wikitq_leaves_large_tables_out_and_joins_answers(self) -> None:
        one, two = read_examples(load_card("wikitq"), "test")
        assert one.table == Table.flat(["Boat", "Seats"], [["Tern", "12"], ["Gull", "7"]])
        assert one.table is two.table
        assert (one.id, one.fields) == ("q-1", {"question": "which boat has more seats?"})
        assert (two.references, two.target) == (("Tern, Gull",), "Tern, Gull")
        assert two.groups == {"table": "t/small.csv"}

    def test_tab_fact_has_words_for_labels_and_ids_with_the_split(self) -> None:
        examples = read_examples(load_card("tab_fact"), "test")
        assert [(each.id, each.target) for each in examples] == [
            ("test-0", "entailed"),
            ("test-1", "refuted"),
        ]
        assert examples[0].table.title == "boats of the bay"
        assert examples[0].groups == {"table": "boats.csv"}
        assert read_examples(load_card("tab_fact"), "train")[0].id == "train-0"

    def test_scigen_is_named_by_row_and_leaves_empty_tables_out(self) -> None:
        (only,) = read_examples(load_card("scigen"), "test")
        assert only.id == "test-1"
        assert only.table.to_unitxt() == {
            "header": ["Model", "Acc"],
            "rows": [["small", "71.0"], ["[BOLD] large", "83.5"]],
        }
        assert only.fields == {"caption": "Table 1: Accuracy."}

    def test_numeric_nlg_reads_html(self) -> None:
        (only,) = read_examples(load_card("numeric_nlg"), "test")
        assert only.table.to_unitxt() == {"header": ["", "F1"], "rows": [["ours", "0.8"]]}
        assert only.groups == {"table": "P1table_2", "paper": "P1"}

    def test_hctqa_takes_real_tables_and_keeps_their_headers(self) -> None:
        (only,) = read_examples(load_card("hctqa.real"), "test")
        assert only.table.rows[0] == (Cell("Port", rowspan=2), Cell("2020", colspan=2))
        assert (only.references, only.target) == (("{1 | 2}",), "1 || 2")
        assert only.groups == {"table": "psa--0", "source": "psa"}


def test_what_is_missing_from_a_mirror_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card = load_card("wikitq")
    monkeypatch.setenv("TORR_DATA", str(tmp_path / "none"))
    with pytest.raises(
        DataError, match=r"expected .*wikitq/test\.parquet, .*; the folder .*none .*does not exist"
    ):
        read_examples(card, "test")
    place = tiny.write(tmp_path / "some", {"scigen/test": tiny.SCIGEN})
    monkeypatch.setenv("TORR_DATA", str(place))
    with pytest.raises(DataError, match=r"split 'test': expected .*; the folder .* has scigen$"):
        read_examples(card, "test")
    with pytest.raises(DataError, match=r"^cards\.wikitq: no split 'tests'; did you mean 'test'"):
        read_examples(card, "tests")


def test_a_missing_column_and_a_damaged_file_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {("answer" if key == "answers" else key): value for key, value in row.items()} for row in tiny.WIKITQ
    ]
    place = tiny.write(tmp_path, {"wikitq/test": rows})
    monkeypatch.setenv("TORR_DATA", str(place))
    message = (
        r"test\.parquet has no column 'answers'; did you mean 'answer'\? "
        r"\(its columns: id, question, answer, table\)"
    )
    with pytest.raises(DataError, match=message):
        read_examples(load_card("wikitq"), "test")
    (place / "wikitq" / "test.parquet").write_bytes(b"no parquet")
    with pytest.raises(DataError, match=r"^cards\.wikitq: split 'test': .*test\.parquet cannot be read: "):
        read_examples(load_card("wikitq"), "test")


RAGGED = {"header": ["a", "b"], "rows": [["1", "2"], ["3"]], "name": "r"}
BAD_ROWS: list[tuple[str, str, dict[str, Any], str]] = [
    ("wikitq", "wikitq/test", {"table": RAGGED}, "example 'q-1': row 1 of the table has 1 cell, expected 2"),
    ("wikitq", "wikitq/test", {"table": {**RAGGED, "rows": []}}, "example 'q-1': the table has no rows"),
    ("wikitq", "wikitq/test", {"table": {**RAGGED, "header": []}}, "example 'q-1': the table has no header"),
    (
        "wikitq",
        "wikitq/test",
        {"question": None},
        "example 'q-1': column 'question' is empty, expected a value",
    ),
    ("wikitq", "wikitq/test", {"id": None}, "row 0: column 'id' is empty"),
    ("wikitq", "wikitq/test", {"answers": []}, "example 'q-1': no reference in column 'answers'"),
    ("wikitq", "wikitq/test", {"answers": ["a", None]}, "column 'answers' has an empty value among its 2"),
    ("wikitq", "wikitq/test", {"table": None}, "column 'table.name' is empty, expected a value"),
    ("wikitq", "wikitq/test", {"id": "q-2"}, "two examples have the id 'q-2'; expected each once"),
    ("tab_fact", "tab_fact/test", {"label": 2}, "column 'label' has 2, expected one of 0, 1"),
    (
        "tab_fact",
        "tab_fact/test",
        {"table_text": "a#b\n1\n"},
        "example 'test-0': row 0 of the table has 1 cell",
    ),
]


@pytest.mark.parametrize(("card", "file", "change", "message"), BAD_ROWS, ids=[case[3] for case in BAD_ROWS])
def test_a_bad_row_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    card: str,
    file: str,
    change: dict[str, Any],
    message: str,
) -> None:
    first, *others = tiny.FILES[file]
    monkeypatch.setenv("TORR_DATA", str(tiny.write(tmp_path, {file: [{**first, **change}, *others]})))
    with pytest.raises(DataError) as caught:
        read_examples(load_card(card), "test")
    assert str(caught.value).startswith(f"cards.{card}: split 'test'")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("tiny_mirror")
def test_a_card_that_reads_wrongly_is_told_so(changed_card: Changed) -> None:
    path = changed_card(
        "wikitq", {"preprocess_steps.0.table.columns": {"header": "table.header", "rows": "table.row"}}
    )
    with pytest.raises(DataError, match=r"no column 'table\.row'; did you mean 'rows'\?"):
        read_examples(load_card(path), "test")
    path = changed_card("wikitq", {"preprocess_steps.0.table.values": {"seperator": ";"}})
    with pytest.raises(DataError, match=r"reader 'columns' cannot read this: .*'seperator'"):
        read_examples(load_card(path), "test")
    path = changed_card("wikitq", {"preprocess_steps.0.inputs.question": "answers"})
    with pytest.raises(DataError, match=r"column 'answers' has 2 values, expected one"):
        read_examples(load_card(path), "test")
    path = changed_card("wikitq", {"preprocess_steps.0.inputs.question": "question.text"})
    with pytest.raises(DataError, match=r"column 'question\.text': found '.*', expected a struct with"):
        read_examples(load_card(path), "test")


def test_examples_are_read_once_and_cannot_be_changed_by_a_caller(
    tiny_mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = load_card("wikitq")
    first = read_examples(card, "test")
    first.clear()
    again = read_examples(card, "test")
    assert len(again) == 2
    assert again[0] is read_examples(card, "test")[0]
    other = tiny.write(tiny_mirror.parent / "other", {"wikitq/test": tiny.WIKITQ[:1]})
    monkeypatch.setenv("TORR_DATA", str(other))
    assert len(read_examples(card, "test")) == 1


def test_the_data_fingerprint_changes_with_the_data_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = load_card("wikitq")
    small = {"header": ["Boat", "Seats"], "rows": [["Tern", "12"], ["Gull", "7"]], "name": "t/small.csv"}

    def of(name: str, rows: tiny.Rows) -> str:
        monkeypatch.setenv("TORR_DATA", str(tiny.write(tmp_path / name, {"wikitq/test": rows})))
        return data_fingerprint(card, "test")

    original = of("original", tiny.WIKITQ)
    assert of("copy", tiny.WIKITQ) == original
    one, two = dict(tiny.WIKITQ[0]), dict(tiny.WIKITQ[1])
    changed = [
        [two, one],
        [one],
        [{**one, "question": "?"}, two],
        [{**one, "answers": ["Gull"]}, two],
        [{**one, "table": {**small, "rows": [["Tern", "1"], ["2Gull", "7"]]}}, two],
    ]
    prints = [of(str(number), rows) for number, rows in enumerate(changed)]
    assert len({original, *prints}) == 1 + len(changed)


def test_rows_are_read_little_by_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "ROWS_AT_ONCE", 1)
    card = load_card("wikitq")
    place = tiny.write(tmp_path, {"wikitq/test": tiny.WIKITQ})
    monkeypatch.setenv("TORR_DATA", str(place))
    rows = stream_rows(card.loader, "test", card.name)
    assert next(rows)["id"] == tiny.WIKITQ[0]["id"]
    assert [row["id"] for row in rows] == [row["id"] for row in tiny.WIKITQ[1:]]


def test_damage_below_the_head_of_a_file_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tiny.write(tmp_path, {"wikitq/test": tiny.WIKITQ})
    monkeypatch.setenv("TORR_DATA", str(place))
    path = place / "wikitq" / "test.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + bytes(200) + whole[204:])
    with pytest.raises(DataError, match=r"^cards\.wikitq: split 'test': .*test\.parquet cannot be read: "):
        read_examples(load_card("wikitq"), "test")


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_before_once_a_split_is_read(changed_card: Changed, enabled: bool) -> None:
    wrong = changed_card("bundled/cell_lookup", {"preprocess_steps.0.inputs.question": "no_such_column"})
    before = gc.get_threshold()
    (gc.enable if enabled else gc.disable)()
    try:
        read_examples(load_card("bundled.aggregation"), "test")
        with pytest.raises(DataError, match="no_such_column"):
            read_examples(load_card(wrong), "test")
        assert gc.isenabled() == enabled
        assert gc.get_threshold() == before
    finally:
        gc.enable()


def test_what_refers_to_itself_is_freed_while_a_split_is_read() -> None:
    """As the objects of a workbook do: a split of workbooks would fill the memory."""
    with collecting_rarely():
        first = set[int]()
        freed = weakref.ref(first)
        cycle: list[object] = [first]
        cycle.append(cycle)
        del first, cycle
        kept = [[] for _ in range(250_000)]  # type: ignore[var-annotated]
        assert freed() is None
    assert kept
