"""``torr data tables``, and ``torr data make`` with workbooks that hold several tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.in_process import here
from tests.tables.workbooks.books import rows, saved, together

SALES = (["", "2022", "2023"], ["Apples", 4, 5], ["Pears", 6, 6], ["Bread", 7, 8])
TOWNS = (["Town", "People"], ["Oslo", 7], ["Bergen", 3])
SHOW = ("data", "tables", "tables/sales.xlsx")
MAKE = ("data", "make", "shops", "--tables", "tables", "--questions", "questions.csv")
PLAIN = (["a", "b"], ["c", "d"], ["e", "c"])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a workbook of two sheets, the first with two tables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TORR_DATA", raising=False)  # what is made goes into the folder
    (tmp_path / "tables").mkdir()
    first = together(rows(["Shops"], *SALES), rows(*TOWNS, at=(8, 1)))
    (tmp_path / "tables" / "sales.xlsx").write_bytes(saved(first, rows(*PLAIN)))
    return tmp_path


def test_it_shows_where_tables_are_and_how_sure_their_headers(place: Path) -> None:
    done = here(*SHOW)
    assert done.exit_code == 0, done.stderr
    head, *lines = [line.split() for line in done.stdout.splitlines()]
    assert " ".join(head) == "sheet range header_rows header_columns confidence title"
    assert [line[:4] for line in lines] == [
        ["Sheet", "A2:C5", "1", "1"],
        ["Sheet", "A8:B10", "1", "1"],
        ["Sheet1", "A1:B3", "1", "1"],
    ]
    assert (float(lines[0][4]) > 0.9, lines[0][5:]) == (True, ["Shops"])
    both = here(*SHOW, "tables/sales.xlsx").stdout.splitlines()
    assert (len(both), both[1].split()[0]) == (7, "sales.xlsx")


def test_its_json_has_the_reasons_and_the_text(place: Path) -> None:
    done = here(*SHOW, "--show", "csv", "--json")
    first, second, *_ = json.loads(done.stdout)["tables"]
    keys = ("file", "sheet", "range", "rows", "columns", "header_rows", "title")
    assert {key: first[key] for key in keys} == {
        "file": "tables/sales.xlsx", "sheet": "Sheet", "range": "A2:C5", "rows": 4, "columns": 3,
        "header_rows": 1, "title": "Shops",
    }  # fmt: skip
    assert "columns: a blank corner" in first["reasons"]
    assert second["text"].splitlines()[-1] == "Bergen,3"


def test_it_shows_the_tables_line_by_line_as_they_are_written(place: Path) -> None:
    fills = rows(["Town", "People"], ["All", 10], ["  Oslo\x9b31m", 7])
    Path("towns.xlsx").write_bytes(saved(fills))
    done = here("data", "tables", "towns.xlsx", "--show", "csv")
    assert done.stdout.splitlines()[3:] == ["# header columns: 1", "Town,People", "All,10", "  Oslo?31m,7"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.xlsx",), "none.xlsx: the workbook cannot be read: No such file"),
        (("tables/sales.xlsx", "--show", "markdwn"), "unknown serializer 'markdwn'; did you mean"),
        (
            ("tables/sales.xlsx", "--show", "image"),
            "--show: found image, which draws; expected a format of text",
        ),
        (("old.xls",), "old.xls: it is an old .xls workbook, or protected by a password; expected an .xlsx"),
    ],
)
def test_wrong_input_is_one_line(place: Path, arguments: tuple[str, ...], message: str) -> None:
    (place / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook".encode("utf-16-le"))
    done = here("data", "tables", *arguments)
    assert (done.exit_code, done.stderr.count("\n"), done.stdout) == (2, 1, "")
    assert message in done.stderr


@pytest.mark.parametrize("second", ["", "A8:B10"])
def test_questions_name_a_table_by_its_range_and_guesses_are_said(place: Path, second: str) -> None:
    (place / "questions.csv").write_text(
        "table,sheet,range,question,answer\n"
        "sales,,,How many apples in 2022?,4\n"
        f"sales,,{second},How many people has Oslo?,7\n"
        "sales,Sheet1,,What is beside c?,d\n"
    )
    done = here(*MAKE, "--json")
    assert done.exit_code == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["tables"] == (3 if second else 2)
    sheets, *guess = made["notes"]
    assert sheets.startswith("tables/sales.xlsx: sheet 'Sheet' is read, of 'Sheet', 'Sheet1'")
    if not second:
        several = guess.pop(0)
        assert several.startswith(
            "tables/sales.xlsx: sheet 'Sheet' has 2 tables; the largest is read, A2:C5 (not A8:B10)"
        )
    assert all("are a guess" in note and "torr data tables" in note for note in guess)


def test_a_range_is_for_workbooks(place: Path) -> None:
    (place / "tables" / "plain.csv").write_text("a,b\n1,2\n")
    (place / "questions.csv").write_text("table,range,question,answer\nplain,A1:B2,?,1\n")
    done = here(*MAKE)
    assert (
        "found the sheet or range 'A1:B2'; expected none, for tables/plain.csv is no workbook" in done.stderr
    )


def test_no_question_of_a_workbook_is_lost(place: Path) -> None:
    lines = [
        ["Table", "Question", "Answer"],
        ["sales", "a?", 4],
        [None],
        ["sales", "b?", 5],
        ["sales", "c?", 6],
    ]

    def hide(sheet: Any) -> None:
        sheet.row_dimensions[4].hidden = True

    make = [*MAKE[:-1], "questions.xlsx"]
    (place / "questions.xlsx").write_bytes(saved(together(rows(*lines), hide)))
    assert json.loads(here(*make, "--json").stdout)["asked"] == 3
    (place / "questions.xlsx").write_bytes(saved(rows(*lines, ["Note: more to come"])))
    assert "found 'Note: more to come' above or below the questions; expected" in here(*make).stderr
