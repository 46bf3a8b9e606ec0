"""CSV files are read as their writers meant them; what is wrong with a line is said of that line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.own_tables.places import COMMAND, QUESTIONS, made
from tests.cli.in_process import here
from tests.tables.cases import cases
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.own_tables import Tables
from torr_plugin.catalog.own_tables.tables import rows_of
from torr_plugin.catalog.text_files import TextFiles
from torr_plugin.core.errors import DataError
from torr_plugin.tables import Table


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n\x81,1\n", "tables/rivers.csv: cannot be read: it is not text; expected CSV in UTF-8"),
        (b'a,b\n"1,2\n', "tables/rivers.csv:2: not CSV: "),
    ],
)
def test_a_wrong_table(place: Path, content: bytes, message: str) -> None:
    (place / "tables" / "rivers.csv").write_bytes(content)
    done = here(*COMMAND)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"torr: {message}")


@pytest.mark.parametrize(("folder", "said"), [("gone", "no such folder"), ("empty", "holds no table")])
def test_no_tables(place: Path, folder: str, said: str) -> None:
    (place / "empty").mkdir()
    done = here("data", "make", "towns", "--tables", folder, "--questions", "questions.csv")
    assert (done.exit_code, done.stderr.startswith(f"torr: {folder}: {said}")) == (2, True)


@pytest.mark.parametrize(("text", "rows"), [pytest.param(*rest, id=name) for name, *rest in cases("csv.txt")])
def test_the_rows_of_a_file(tmp_path: Path, text: str, rows: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(text.replace("\\t", "\t").replace("\\r", "\r").encode())
    found = [" | ".join([cell.replace("\n", "\\n") for cell in row]) for row in rows_of(path, TextFiles())]
    assert "\n".join(found) == rows


@pytest.mark.parametrize("text", ["sep=\t\na,b\tc\n", "SEP=\t\r\na,b\tc", "\n\na,b\tc\n\n"])
def test_blank_lines_and_a_declared_tab(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    assert rows_of(path, TextFiles()) == [["a,b", "c"]]


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with path.open("wb") as file:
        file.truncate(5_000_000_000)
    with pytest.raises(DataError, match=f"{path}: the file is too large; expected at most 100000000 bytes"):
        rows_of(path, TextFiles())


def test_in_a_tsv_it_is_a_tab_unless_said(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("a,b,c\td\n1,2,3\t4\n")
    assert rows_of(path, TextFiles())[0] == ["a,b,c", "d"]
    path.write_text("sep=,\na,b\n")
    assert rows_of(path, TextFiles()) == [["a", "b"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Fluss;Land;Länge, km\nA;N;1,5\nB;M\nC;O;2,5\n", ":3: found 2 cells; expected 3"),
        ("a;b\n1;2\n3\n", ":3: found 1 cell; expected 2"),
        ("a\tb\n1\t2\t3\n", ":2: found 3 cells; expected 2"),
        ("Name\nA, B\n", ":2: found 2 cells; expected 1"),
        ("sep=;\na;b\n1\n", ":3: found 1 cell; expected 2"),
        ("sep=;\n\n", ": is empty; expected at least a row of headings"),
        (",\n1,2\n", ":1: has no heading; expected the table's headings in its first row"),
    ],
)
def test_a_line_of_another_length_is_said_with_its_number(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        rows_of(path, TextFiles())
    assert str(error.value).startswith(f"{path}{said}")


def test_the_mark_does_not_depend_on_what_comes_late(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a;b\n" + "1;2\n" * 60 + "3\n")
    with pytest.raises(DataError, match=":62: found 1 cell; expected 2"):
        rows_of(path, TextFiles())


def test_rows_of_empty_cells_are_rows_and_blank_lines_are_none(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b\n\n,\n1,2\n"",\n\n')
    assert rows_of(path, TextFiles()) == [["a", "b"], ["", ""], ["1", "2"], ["", ""]]


def test_two_files_of_one_name_are_two_tables(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "tables" / "rivers.tsv").write_text("River\tMouth\nLinden\tGulf\n")
    done = here(*COMMAND)
    assert (done.exit_code, done.stderr) == (
        2,
        "torr: questions.csv: question 1: tables has no table 'rivers'; it has rivers.csv and rivers.tsv; "
        "expected a CSV, TSV, HTML or XLSX file a table, named with its ending\n",
    )
    text = QUESTIONS.replace("q1,rivers,", "q1,rivers.tsv,")
    (place / "questions.csv").write_text(text)
    card = load_card(made(place).card)
    monkeypatch.setenv("TORR_DATA", "data")
    first, second = read_examples(card, "test")
    assert (first.groups["table"], second.groups["table"]) == ("rivers.tsv", "rivers.csv")
    assert [example.table.column_paths[1] for example in (first, second)] == [("Mouth",), ("Country",)]
    assert next(iter(read_examples(card, "train"))).groups["table"] == "ferries"


def test_every_file_has_a_key_of_its_own(tmp_path: Path) -> None:
    names = ["a.csv", "a.tsv", "a.csv.csv", "b.csv", "b.csv.tsv", "c.tsv"]
    for name in names:
        (tmp_path / name).write_text(f"{name}\n1\n")
    tables = Tables(tmp_path)
    assert [tables.called(name, "here") for name in names] == [Table.flat([name], [["1"]]) for name in names]
    assert [tables.key(name) for name in names] == ["a.csv", "a.tsv", "a.csv.csv", "b", "b.csv.tsv", "c"]
