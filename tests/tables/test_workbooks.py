"""Tables as XLSX workbooks and back."""

from __future__ import annotations

import datetime
import io
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.tables.workbooks.books import changed, saved
from torr_plugin.tables import Cell, InputError, SerializationError, Table, TableError, readers
from torr_plugin.tables.workbooks import opening, read_workbook, read_xlsx, to_bytes

PLAIN = Table.flat(["Name", "Age"], [["Sophia", 26], ["Bo", "031"]])
NESTED = Table(
    (
        (Cell("City", 2), Cell("2019", 1, 2)),
        (Cell("m"), Cell("f")),
        (Cell("Oslo"), Cell.of(1), Cell.of(2.5)),
    ),
    header_rows=2,
    header_columns=1,
    title="Visitors",
    notes=("preliminary",),
)


def book(data: bytes) -> Any:
    return openpyxl.load_workbook(io.BytesIO(data))


@pytest.mark.full
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=12))
@example(text="_x000D_")
@example(text="_x005F_x0041_")
@example(text="\x00\x1f\ufffe\n\t")
@example(text="=1+1")
@example(text="#N/A")
@example(text="007")
@example(text="1e5")
@example(text="true")
def test_every_text_comes_back_as_text(text: str) -> None:
    table = Table.flat(["a", "b"], [["c", text], ["d", "e"]])
    again = read_xlsx(to_bytes(table), header_rows=1, header_columns=0)
    assert again.texts_only == table
    assert again.grid[1][1].raw == text


def test_texts_are_stored_as_texts_and_numbers_as_numbers() -> None:
    rows = [["007", 7], ["=1+1", 2.5], ["1e5", -3], ["#N/A", 1.0], ["TRUE", True], ["x", 2**60]]
    sheet = book(to_bytes(Table.flat(["a", "b"], rows))).active
    found = [[(cell.value, cell.data_type) for cell in row] for row in sheet.iter_rows(min_row=2)]
    assert found == [
        [("007", "s"), (7, "n")],
        [("=1+1", "s"), (2.5, "n")],
        [("1e5", "s"), (-3, "n")],
        [("#N/A", "s"), (1, "n")],
        [("TRUE", "s"), ("True", "s")],
        [("x", "s"), (str(2**60), "s")],
    ]


@pytest.mark.parametrize(
    ("value", "text", "shape"),
    [
        (12.5, "12.50", "0.00"),
        (1234567, "1,234,567", "#,##0"),
        (1234.5, "1,234.5", "#,##0.0"),
        (0.25, "25%", "0%"),
        (3.0, "3.0", "0.0"),
        (0.1 + 0.2, "0.30000000000000004", None),
        (2.0, "two", None),
    ],
)
def test_a_number_is_shown_as_its_text(value: float, text: str, shape: str | None) -> None:
    table = Table(((Cell("a"),), (Cell(text, value=value),)))
    data = to_bytes(table)
    place = book(data).active["A2"]
    assert (place.data_type, place.number_format) == (("n", shape) if shape else ("s", "General"))
    (_, (found,)) = read_xlsx(data, header_rows=1).rows
    assert (found.text, found.raw) == (text, value if shape else text)


def test_a_person_finds_title_header_and_notes() -> None:
    sheet = book(to_bytes(NESTED)).active
    assert [sheet["A1"].value, sheet["A3"].value, sheet["B4"].value, sheet["A7"].value] == [
        "Visitors",
        "City",
        "m",
        "preliminary",
    ]
    assert sorted(str(each) for each in sheet.merged_cells.ranges) == ["A3:A4", "B3:C3"]
    assert sheet.freeze_panes == "B5"
    assert [sheet[place].font.bold for place in ("A1", "A3", "B4", "A5", "B5")] == [
        True,
        True,
        True,
        True,
        False,
    ]


def test_equal_tables_give_equal_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    first = to_bytes(NESTED)

    class Later(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime.datetime:
            return datetime.datetime(2040, 1, 1, tzinfo=tz)

    monkeypatch.setattr(datetime, "datetime", Later)
    assert to_bytes(NESTED) == first
    assert b"2040" not in first


def test_a_file_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "table.xlsx"
    path.write_bytes(to_bytes(NESTED))
    read = read_xlsx(path)
    assert read.texts_only == NESTED.texts_only
    assert read == read_xlsx(str(path)) == readers.get("xlsx")(path)
    assert readers.get("xlsx")(path, title="T", notes=["n"]) == read.replace(title="T", notes=("n",))


def test_pandas_reads_what_is_written(tmp_path: Path) -> None:
    import pandas as pd

    (tmp_path / "t.xlsx").write_bytes(to_bytes(PLAIN))
    frame = pd.read_excel(tmp_path / "t.xlsx", dtype=object)
    assert [list(frame.columns), *frame.to_numpy().tolist()] == [
        ["Name", "Age"],
        ["Sophia", 26],
        ["Bo", "031"],
    ]


def test_the_worlds_workbooks() -> None:
    def fill(sheet: Any) -> None:
        sheet["B2"], sheet["C2"], sheet["C3"], sheet["D3"] = "Kind", "Year", 2019, 2020
        sheet["B4"], sheet["C4"], sheet["D4"] = "x", 1234.5, datetime.datetime(2020, 1, 2)
        sheet["B5"], sheet["C5"], sheet["D5"] = True, 0.5, datetime.datetime(2020, 1, 2, 3, 4)
        sheet["C4"].number_format, sheet["C5"].number_format = "#,##0.00", "0%"
        sheet.merge_cells("B2:B3")
        sheet.merge_cells("C2:D2")
        sheet["H99"].number_format = "0%"

    expected = Table(
        (
            (Cell("Kind", 2), Cell("Year", 1, 2)),
            (Cell("2019"), Cell("2020")),
            (Cell("x"), Cell("1,234.50"), Cell("2020-01-02")),
            (Cell("TRUE"), Cell("50%"), Cell("2020-01-02 03:04:00")),
        ),
        header_rows=2,
        header_columns=1,
    )
    data = saved(fill)
    assert read_xlsx(data) == read_xlsx(data, "Sheet")
    assert read_xlsx(data).texts_only == expected
    assert read_xlsx(data, header_rows=1, header_columns=0).texts_only == expected.replace(
        header_rows=1, header_columns=0
    )
    assert (read_xlsx(data).grid[2][1].raw, read_xlsx(data).grid[0][0].raw) == (1234.5, "Kind")


def test_another_sheet_is_read_by_its_name() -> None:
    made = book(to_bytes(NESTED))
    other = made.create_sheet("It's")
    other.append(["a"])
    other.append([1])
    out = io.BytesIO()
    made.save(out)
    assert read_xlsx(out.getvalue()).texts_only == NESTED.texts_only
    assert read_xlsx(out.getvalue(), "It's") == Table.flat(["a"], [[1]])
    with pytest.raises(TableError, match=r"^xlsx: the workbook has no sheet 'x'; it has 'Table', \"It's\""):
        read_xlsx(out.getvalue(), "x")


def formula(sheet: Any) -> None:
    sheet["A1"], sheet["A2"] = "a", "=1+1"


SHEET = "xl/worksheets/sheet1.xml"
MANY_CELLS = b"<row>" + b"<c/><x:c><v/></x:c>" * 1_050_000 + b"</row></sheetData>"
FAR = b'<row r="1048576"><c r="XFD1048576" t="str"><v>x</v></c></row></sheetData>'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"xlsx: it is not an XLSX workbook \(File is not a zip file\)"),
        (b"a,b\n1,2", r"xlsx: it is not an XLSX workbook"),
        (to_bytes(PLAIN)[:-30], "xlsx: it is not an XLSX workbook"),
        (saved(lambda sheet: None), "xlsx: sheet 'Sheet' is empty; expected a table"),
        (saved(formula), "xlsx: cell A2 of sheet 'Sheet' has a formula without its value"),
        (changed(to_bytes(PLAIN), SHEET, lambda part: part[:-40]), "xlsx: it is not an XLSX workbook"),
        (
            changed(to_bytes(PLAIN), SHEET, lambda part: b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + part),
            "xlsx: xl/worksheets/sheet1.xml declares entities, which no workbook does",
        ),
        (
            changed(to_bytes(PLAIN), SHEET, lambda part: part.decode().encode("utf-16")),
            "xlsx: xl/worksheets/sheet1.xml is not written in UTF-8",
        ),
        (
            changed(
                to_bytes(NESTED), SHEET, lambda part: part.replace(b'ref="A3:A4"', b'ref="C3:C4"')
            ),
            "xlsx: the merged range at .* overlaps another",
        ),
        (changed(to_bytes(PLAIN), SHEET, lambda part: part + b" " * 101_000_000), "xlsx: the workbook has "),
        (
            changed(to_bytes(PLAIN), SHEET, lambda part: part.replace(b"</sheetData>", MANY_CELLS)),
            "xlsx: xl/worksheets/sheet1.xml holds 2100010 cells and rows; expected at most 2000000",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}") as caught:
        read_xlsx(data)
    assert "\n" not in str(caught.value)


def test_a_stray_cell_is_left_out() -> None:
    def fill(sheet: Any) -> None:
        for row in (["a", "b"], ["x", 1], ["y", 2]):
            sheet.append(row)

    data = changed(saved(fill), SHEET, lambda part: part.replace(b"</sheetData>", FAR))
    (found,) = read_workbook(data)
    assert (found.range, found.table) == (
        "A1:B3",
        Table.flat(["a", "b"], [["x", 1], ["y", 2]]).replace(header_columns=1),
    )
    assert found.reasons[-1] == "left out: 1 text beside the tables, in XFD1048576"


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"none\.xlsx: the workbook cannot be read: No such file"):
        read_xlsx(tmp_path / "none.xlsx")
    (tmp_path / "text.xlsx").write_text("x")
    with pytest.raises(TableError, match=r"text\.xlsx: it is not an XLSX workbook"):
        read_xlsx(str(tmp_path / "text.xlsx"))
    with pytest.raises(TableError, match=r"^xlsx: the workbook is int; expected a path or bytes"):
        read_xlsx(3)  # type: ignore[arg-type]


@given(st.integers(0, 8000), st.binary(min_size=1, max_size=4))
@settings(max_examples=30)
def test_a_damaged_workbook_is_read_or_refused(at: int, junk: bytes) -> None:
    data = to_bytes(NESTED)
    at %= len(data)
    try:
        read = read_xlsx(data[:at] + junk + data[at + len(junk) :])
    except TableError as error:
        read = str(error)
    assert isinstance(read, Table) or "\n" not in read


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (Table.flat(["a"] * 16_385, [["b"] * 16_385]), "xlsx: the table has 2 rows and 16385 columns"),
        (
            Table.flat(["a"], [["b" * 32_768]]),
            r"xlsx: the text 'b+'\.\.\. has 32768 characters; expected",
        ),
        (Table.flat(["a"], [["\0" * 5_000]]), "xlsx: the text .* has 5000 characters"),
        (Table.flat(["a"], [["\ud800"]]), "xlsx: the cell in row 1, column 0 has the lone surrogate"),
    ],
)
def test_what_a_sheet_cannot_hold_is_refused(table: Table, message: str) -> None:
    with pytest.raises(SerializationError, match=f"^{message}"):
        to_bytes(table)


def test_too_many_places_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MOST_PLACES", 20)
    with pytest.raises(SerializationError, match="and 20 places"):
        to_bytes(Table.flat(list("abc"), [list("123")] * 20))
