# ruff: noqa: RUF001 (letters of other scripts)
"""Tables in other encodings than UTF-8, and in Excel workbooks, are read as their owners see them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.catalog.own_tables.places import COMMAND, QUESTIONS, made
from tests.cli.in_process import here
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.own_tables import Tables, TableShape
from torr_plugin.catalog.own_tables import tables as tables_of_a_folder
from torr_plugin.catalog.text_files import TextFiles, detected_encoding
from torr_plugin.core.errors import DataError
from torr_plugin.tables import Table
from torr_plugin.tables.workbooks import OpenedBook, open_book

GERMAN = "Fluss;Land;Länge (km)\nDonau;Österreich;350,5\nRhein;Süddeutschland;1233\n"
RUSSIAN = "Река;Страна;Длина\nВолга;Россия;3531\nДон;Россия;1870\n"
JAPANESE = "川;国;長さ\n信濃川;日本;367\n利根川;日本;322\n"
CHINESE = "城市,人口\n北京市,二千万人\n"
GREEK = "Ποταμός;Χώρα\nΑχελώος;Ελλάδα\n"


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        ("a;b\n", "ascii", "utf-8"),
        (GERMAN, "utf-8", "utf-8"),
        (GERMAN, "utf-8-sig", "utf-8-sig"),
        (GERMAN, "utf-16", "utf-16"),
        (GERMAN, "utf-32", "utf-32"),
        (GERMAN, "latin-1", "cp1252"),
        ("Preis\n5 €\n", "cp1252", "cp1252"),
        ("a;b\n20 °C;±3\n", "latin-1", "cp1252"),
        (RUSSIAN, "cp1251", "cp1251"),
        (GREEK, "cp1253", "cp1253"),
        (JAPANESE, "cp932", "cp932"),
        ("", "utf-8", "utf-8"),
        # a zero byte that came in by mistake does not make it UTF-16
        ("a;b\n1\0;2\n" + "3;4\n" * 20, "utf-8", "utf-8"),
        # cut within a character, or before the first one that is not ASCII, it would be taken for Western
        ("a\n" + CHINESE * 8000, "gb18030", "gb18030"),
        ("name;length\n" * 20_000 + JAPANESE, "cp932", "cp932"),
    ],
)
def test_the_encoding_is_detected(text: str, encoding: str, found: str) -> None:
    data = text.encode(encoding)
    assert detected_encoding(data) == found
    assert data.decode(found) == text


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<meta charset="iso-8859-2">', "iso-8859-2"),
        ("<META CHARSET=koi8-r>", "koi8-r"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">', "cp1251"),
        ("<?xml version='1.0' encoding='iso-8859-7'?>", "iso-8859-7"),
        ("<meta charset=iso-8859-1>", "cp1252"),
        ("<meta charset=shift_jis>", "cp932"),
        ("<meta charset=utf-16>", "utf-8"),
        ("<meta charset=iso-8859-2>", "utf-8"),
    ],
)
def test_a_page_says_its_encoding(tmp_path: Path, head: str, encoding: str) -> None:
    """What is UTF-8 is read so whatever it says."""
    letters = {"iso-8859-2": "Łódź", "cp1252": "€’", "cp932": "日本", "iso-8859-7": "Αθ"}
    word = letters.get(encoding, "Мир")
    path = tmp_path / "x.html"
    path.write_bytes(f"{head}<table><tr><th>a<th>b<tr><td>{word}<td>1</table>".encode(encoding))
    texts = TextFiles()
    table = Tables(tmp_path, texts).called("x", "here")
    assert table.grid[1][0].text == word
    assert texts.notes() == ()


def test_a_long_run_of_letters_is_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"b" * 2_000_000 + "\nL\xe4nge".encode("cp1252"))
    files = TextFiles()
    files.read(tmp_path / "t.csv")
    assert "('Länge')" in files.notes()[0]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_data_set_of_files_that_are_not_utf8(
    place: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    (place / "tables" / "rivers.csv").write_bytes(GERMAN.encode(encoding))
    (place / "questions.csv").write_bytes(QUESTIONS.replace(",", ";").encode(encoding))
    done = here(*COMMAND, "--json")
    assert done.exit_code == 0, done.stderr
    (note,) = json.loads(done.stdout)["notes"]
    name = "utf-16" if encoding != "latin-1" else "cp1252"
    assert note == (
        f"questions.csv ('Südmark'), tables/rivers.csv ('Länge'): not UTF-8; read as {name}; if that is "
        "wrong, name the --encoding"
    )
    monkeypatch.setenv("TORR_DATA", str(place / "data"))
    first, second = read_examples(load_card("towns.json"), "test")
    assert [cell.text for cell in first.table.rows[1]] == ["Donau", "Österreich", "350,5"]
    assert second.references == ("Südmark",)


def test_an_encoding_that_is_named_is_taken(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in [place / "questions.csv", *(place / "tables").iterdir()]:
        path.write_bytes(path.read_text(encoding="utf-8-sig").replace("Südmark", "Łódź").encode("cp1250"))
    assert "if that is wrong, name the --encoding" in " ".join(here(*COMMAND).stderr.split())
    (place / "towns.json").unlink()
    done = here(*COMMAND, "--encoding", "cp1250", "--json")
    assert json.loads(done.stdout)["notes"] == []
    monkeypatch.setenv("TORR_DATA", str(place / "data"))
    assert read_examples(load_card("towns.json"), "test")[1].references == ("Łódź",)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (GERMAN.encode() + b"\xff;\n", "it is not text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it is not text"),
        (b"\xd0\xcf\x11\xe0" + bytes(500), "it is not text"),
    ],
)
def test_damaged_text_and_other_files_are_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "rivers.csv").write_bytes(data)
    with pytest.raises(DataError, match=f"rivers.csv: cannot be read: {reason}; expected CSV in UTF-8"):
        TextFiles().read(tmp_path / "rivers.csv")


@pytest.mark.parametrize("encoding", ["utf-99", "hex"])
def test_an_encoding_that_is_none(encoding: str) -> None:
    with pytest.raises(DataError, match=f"--encoding: found '{encoding}'; expected one such as utf-8"):
        TextFiles(encoding)


def test_an_encoding_that_does_not_fit(place: Path) -> None:
    (place / "tables" / "rivers.csv").write_bytes(GERMAN.encode("latin-1"))
    done = here(*COMMAND, "--encoding", "utf8")
    assert (done.exit_code, done.stderr) == (
        2,
        "torr: tables/rivers.csv: cannot be read: --encoding utf8 does not fit; expected CSV in UTF-8, or "
        "its --encoding\n",
    )


@pytest.fixture
def workbook(place: Path) -> Callable[..., Path]:
    """Writes a workbook: rows, merged areas, and further sheets."""

    def write(
        rows: list[list[Any]], *merged: str, sheets: tuple[str, ...] = (), name: str = "rivers"
    ) -> Path:
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        for area in merged:
            book.active.merge_cells(area)
        for sheet in sheets:
            book.create_sheet(sheet).append(["Note"])
            book[sheet].append([f"of {sheet}"])
        (place / "tables" / f"{name}.csv").unlink(missing_ok=True)
        path = place / "tables" / f"{name}.xlsx"
        book.save(path)
        return path

    return write


HEADS = [["River", "Length", None], [None, "2020", "2021"]]
BODY = [["Heron", 1205, 1206.5], ["Linden", 733, None]]


def test_two_rows_of_merged_headings_stay_as_they_are(
    place: Path, monkeypatch: pytest.MonkeyPatch, workbook: Callable[..., Path]
) -> None:
    workbook([*HEADS, *BODY], "A1:A2", "B1:C1")
    text = QUESTIONS.replace("rivers.csv", "rivers.xlsx")
    (place / "questions.csv").write_text(text)
    card = load_card(made(place).card)
    monkeypatch.setenv("TORR_DATA", str(place / "data"))
    table = read_examples(card, "test")[0].table
    assert table.column_paths == (("River",), ("Length", "2020"), ("Length", "2021"))
    assert [[cell.text for cell in row] for row in table.body] == [
        ["Heron", "1205", "1206.5"],
        ["Linden", "733", ""],
    ]
    shown = read_examples(card, "train")[0].table
    assert (shown.header_rows, shown.column_paths[0]) == (1, ("Line",))
    assert here("data", "verify", "towns.json").exit_code == 0
    done = here("prompts", "towns.yaml", "--limit", "1", "--out", "prompts.jsonl")
    assert done.exit_code == 0, done.stderr
    assert 'colspan=\\"2\\"' in (place / "prompts.jsonl").read_text()


def test_a_heading_over_all_columns_is_the_title(place: Path, workbook: Callable[..., Path]) -> None:
    heads = [["Sales", None, None, None], ["2020", None, "2021", None], ["q1", "q2", "q1", "q2"]]
    workbook([*heads, [1, 2, 3, 4]], "A1:D1", "A2:B2", "C2:D2")
    table = Tables(place / "tables").called("rivers", "here")
    assert (table.title, table.column_paths[2], table.header_rows) == ("Sales", ("2021", "q1"), 2)


def test_the_headers_of_all_tables_can_be_named(place: Path, workbook: Callable[..., Path]) -> None:
    path = workbook([["", "2020", ""], ["", "a", "b"], ["x", "1", "2"]])
    (place / "tables" / "same.csv").write_text(",2020,\n,a,b\nx,1,2\n")
    tables = Tables(place / "tables", TextFiles(), TableShape(2, 1))
    flat = tables.called("same", "here")
    assert (flat.header_rows, flat.header_columns) == (2, 1)
    assert flat.column_paths[1:] == (("2020", "a"), ("2020", "b"))
    assert tables.called(path.name, "here").header_rows == 2


def test_a_sheet_may_be_named_and_several_are_said(place: Path, workbook: Callable[..., Path]) -> None:
    workbook([["River"], ["Heron"]], sheets=("More", "Notes"))
    (place / "questions.csv").write_text(
        "table,sheet,question,answer\nrivers,,?,Heron\nrivers,More,?,of More\n"
    )
    found = made(place)
    assert (found.asked, found.shown) == (1, 1)
    assert found.notes == (
        f"{place}/tables/rivers.xlsx: sheet 'Sheet' is read, of 'Sheet', 'More', 'Notes'; a column 'sheet' "
        "can name another",
    )
    tables = Tables(place / "tables")
    assert tables.called("rivers", "here", "More").texts_only == Table.flat(["Note"], [["of More"]])
    with pytest.raises(
        DataError, match=r"rivers\.xlsx: the workbook has no sheet 'Most'; it has 'Sheet', 'More'"
    ):
        tables.called("rivers", "here", "Most")
    with pytest.raises(
        DataError,
        match=r"here: found the sheet or range 'A'; expected none, for .*ferries\.tsv is no workbook",
    ):
        tables.called("ferries", "here", "A")


def test_questions_may_be_in_a_workbook(place: Path, workbook: Callable[..., Path]) -> None:
    rows = [
        ["Table", "Question", "Answer"],
        ["rivers", "How long?", 1205],
        ["ferries", "Which?", "North"],
        [None],
    ]
    path = workbook(rows, name="questions").rename(place / "questions.xlsx")
    assert here(*COMMAND[:-1], path.name).exit_code == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no archive", "it is not an XLSX workbook"),
        (None, "cell A2 of sheet 'Sheet' has a formula without its value"),
    ],
)
def test_a_wrong_workbook(
    place: Path, workbook: Callable[..., Path], content: bytes | None, said: str
) -> None:
    path = workbook([["River"], ["=1+1"]])
    if content is not None:
        path.write_bytes(content)
    done = here("data", "make", "towns", "--tables", "tables", "--questions", "questions.csv")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"torr: tables/rivers.xlsx: {said}")


def test_lock_files_are_no_tables_and_other_kinds_are_said(place: Path) -> None:
    (place / "tables" / "~$rivers.xlsx").write_bytes(b"lock")
    (place / "tables" / "old.xls").write_bytes(b"old")
    tables = Tables(place / "tables")
    assert isinstance(tables.called("rivers", "here"), Table)
    with pytest.raises(DataError, match=r"here: .* has no table 'old'; it has old\.xls; expected a CSV"):
        tables.called("old", "here")


def test_every_table_of_a_folder(place: Path) -> None:
    """A page's first table with its spans, and each sheet of a workbook that has several."""
    page = "<p>Länder</p><table><tr><th colspan=2>Ort</th></tr><tr><th>A</th><th>B</th></tr>"
    (place / "tables" / "towns.html").write_bytes(
        f"{page}<tr><td>1</td><td>2</td></tr></table>".encode("latin-1")
    )
    book = openpyxl.Workbook()
    for row in (["x", "y"], ["1", "2"]):
        book.active.append(row)
    book.create_sheet("empty")
    book.save(place / "tables" / "book.xlsx")
    tables = Tables(place / "tables")
    found = dict(tables.every())
    assert list(found) == ["book:Sheet", "ferries", "rivers", "towns"]
    assert found["towns"].header_rows == 2
    assert found["towns"].rows[0][0].colspan == 2
    (note,) = tables.notes()
    assert "'empty'" in note
    assert note.endswith("this sheet is left out")
    shaped = Tables(place / "tables", shape=TableShape(header_rows=1))
    assert shaped.called("towns", "line 1").header_rows == 1
    (place / "tables" / "towns.html").write_text("<p>no table</p>")
    with pytest.raises(DataError, match=r"towns\.html: html: "):
        Tables(place / "tables").called("towns", "line 1")


def test_a_workbook_is_opened_once_for_all_of_its_tables(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = openpyxl.Workbook()
    for name in ("one", "two"):
        sheet = book.create_sheet(name)
        for row in (["x", "y"], ["1", "2"], [], [], ["z", "w"], ["3", "4"]):
            sheet.append(row)
    book.save(place / "tables" / "book.xlsx")
    opened: list[Path] = []

    def counted(path: Path) -> OpenedBook:
        opened.append(path)
        return open_book(path)

    monkeypatch.setattr(tables_of_a_folder, "open_book", counted)
    tables = Tables(place / "tables")
    found = [name for name, _ in tables.every() if name.startswith("book")]
    assert found == ["book:one!A1:B2", "book:one!A5:B6", "book:two!A1:B2", "book:two!A5:B6"]
    assert list(tables.notes())
    assert [path.name for path in opened].count("book.xlsx") == 1
