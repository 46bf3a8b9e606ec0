"""What is read of workbooks as people make them: indentation, looks, formulas, several tables."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import PatternFill
from openpyxl.styles.colors import Color
from openpyxl.worksheet.table import Table as DeclaredTable

from tests.tables.workbooks.books import bold, filled, indented, rows, saved, together
from torr_plugin.tables import Cell, Table, TableError, readers, serializers
from torr_plugin.tables.table import CellStyle
from torr_plugin.tables.workbooks import ReadingOptions, find_table, read_workbook, read_xlsx, to_bytes

SALES = (["", "2022", "2023"], ["Fruit", 10, 11], ["Apples", 4, 5], ["Pears", 6, 6], ["Bread", 7, 8])


def layout(data: bytes, **options: Any) -> tuple[str, int, int]:
    """Range, header rows and header columns of the only table."""
    (found,) = read_workbook(data, options=ReadingOptions(**options))
    return found.range, found.table.header_rows, found.table.header_columns


def test_indentation_becomes_leading_spaces_that_the_row_tree_reads() -> None:
    table = read_xlsx(saved(together(rows(*SALES), lambda sheet: indented(sheet, A3=1, A4=1, C2=2))))
    assert [line[0].text for line in table.grid] == ["", "Fruit", "  Apples", "  Pears", "Bread"]
    assert [(root.label, [child.label for child in root.children]) for root in table.row_tree.roots] == [
        ("Fruit", ["", "Apples", "Pears"]),
        ("Bread", []),
    ]
    assert table.grid[1][2].text == "11"


def test_bold_and_fill_are_styles_and_notes() -> None:
    def look(sheet: Any) -> None:
        bold(sheet, "A1", "B1", "C1", "A5", "B5")
        filled(sheet, "FFFF00", "B3", "C3", "B4", "C4")
        filled(sheet, "FFFFFF", "B2")

    table = read_xlsx(saved(together(rows(*SALES), look)))
    assert table.grid[2][1].style == CellStyle(fill="#ffff00")
    assert (table.grid[4][1].style, table.grid[1][1].style) == (CellStyle(bold=True), None)
    assert table.notes == ("Cells filled yellow (#ffff00): B3:C4", "Cells in bold: A5:B5")
    assert read_xlsx(saved(together(rows(*SALES), look)), notes_of_style=False).notes == ()


def test_a_look_that_most_cells_have_marks_nothing_and_notes_are_bounded() -> None:
    def look(sheet: Any) -> None:
        for r in range(2, 42):
            filled(sheet, "FF0000", f"B{r}", f"C{r}", f"D{r}")
            filled(sheet, "0000FF", *([f"E{r}"] if r % 2 else []))

    lines = [["a", "b", "c", "d", "e"], *(["x", r, r, r, r] for r in range(40))]
    (note,) = read_xlsx(saved(together(rows(*lines), look))).notes
    assert note.startswith("Cells filled blue (#0000ff): E3, E5, E7")
    assert note.endswith("E25 and 8 more")


def test_colours_of_the_theme_and_of_the_palette() -> None:
    def look(sheet: Any) -> None:
        sheet["B2"].fill = PatternFill("solid", fgColor=Color(theme=4, tint=0.6))
        sheet["B3"].fill = PatternFill("solid", fgColor=Color(indexed=2))
        sheet["B4"].fill = PatternFill("solid", fgColor=Color(theme=99))
        sheet["B5"].fill = PatternFill("gray125")

    table = read_xlsx(saved(together(rows(*SALES), look)))
    assert [line[1].style for line in table.grid[1:]] == [
        CellStyle(fill="#b9cde5"),
        CellStyle(fill="#ff0000"),
        None,
        None,
    ]


def without_values(data: bytes, values: dict[str, str] | None = None) -> bytes:
    """The workbook as a program saves it that computes nothing, or with these values of formulas."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            part = old.read(name).decode()
            for place, value in (values or {}).items():
                shape = ' t="str"' if not value.isdigit() else ""
                pattern = rf'<c r="{place}"[^>]*>(<f>[^<]*</f>)<v ?/?>(</v>)?</c>'
                part = re.sub(pattern, rf'<c r="{place}"{shape}>\1<v>{value}</v></c>', part)
            new.writestr(name, part.encode())
    return out.getvalue()


def test_formulas_have_their_values_or_are_refused() -> None:
    data = saved(rows(["", "a", "b"], ["x", 1, "=B2+1"], ["y", 3, '=IF(B3>9,"high","")']))
    stored = without_values(data, {"C2": "2", "C3": ""})
    assert [line[2].text for line in read_xlsx(stored).grid] == ["b", "2", ""]
    with pytest.raises(
        TableError, match="cell C2 of sheet 'Sheet' has a formula without its value; expected a"
    ):
        read_xlsx(data)


def test_hidden_rows_columns_and_sheets_are_left_out_and_said() -> None:
    def hide(sheet: Any) -> None:
        sheet.row_dimensions[3].hidden = sheet.row_dimensions[4].hidden = True
        sheet.column_dimensions["B"].hidden = True
        sheet.merge_cells("A3:A5")

    data = saved(together(rows(*SALES), hide), lambda sheet: setattr(sheet, "sheet_state", "hidden"))
    (found,) = read_workbook(data)
    assert [[cell.text for cell in line] for line in found.table.grid] == [
        ["", "2023"],
        ["Fruit", "11"],
        ["Apples", "8"],
    ]
    assert found.range == "A1:C5"
    assert found.reasons[-2:] == ("left out: 2 hidden rows", "left out: 1 hidden column")
    everything = read_xlsx(data, hidden=True)
    assert (everything.n_rows, everything.n_columns, everything.grid[2][0].rowspan) == (5, 3, 3)


@pytest.mark.parametrize(
    ("value", "shape", "text"),
    [
        (1234.5, '"$"#,##0.00', "$1,234.50"),
        (datetime.date(2020, 3, 1), "[$-407]d. mmmm yyyy", "1. März 2020"),
    ],
)
def test_numbers_and_dates_are_as_displayed(value: Any, shape: str, text: str) -> None:
    def fill(sheet: Any) -> None:
        rows(["a", "b"], ["x", value])(sheet)
        sheet["B2"].number_format = shape

    assert read_xlsx(saved(fill)).grid[1][1].text == text


@pytest.mark.parametrize("text", ["a\r\nb", "a\rb", "a_x000D_\nb", "a_x000d_b", "a\nb"])
def test_any_line_break_in_a_cell_is_one_newline(text: str) -> None:
    assert read_xlsx(saved(rows(["k", text], ["x", 1]))).grid[0][1].text == "a\nb"


def test_title_remarks_and_notes_are_around_the_table() -> None:
    lines = [
        ["Sales by year"],
        ["(in thousands)"],
        [None],
        *SALES,
        ["Source: the shops"],
        [None],
        ["* estimated"],
    ]
    table = read_xlsx(saved(rows(*lines)))
    assert (table.title, table.notes) == (
        "Sales by year",
        ("(in thousands)", "Source: the shops", "* estimated"),
    )
    assert table.n_rows == 5
    merged = read_xlsx(saved(rows(["T", None, None], *SALES, ["N", None, None], merged=("A1:C1", "A7:C7"))))
    assert (merged.title, merged.notes, merged.n_rows) == ("T", ("N",), 5)


def test_a_title_may_have_its_unit_beside_it() -> None:
    lines = [["利润表", None, "单位:百万元"], ["", "2022", "2023"], ["成本", 4, 5], ["合计", 6, 7]]
    table = read_xlsx(saved(rows(*lines)))
    assert (table.title, table.notes, table.header_rows, table.n_rows) == ("利润表", ("单位:百万元",), 1, 3)


def test_wide_spaces_in_front_count_as_two() -> None:
    lines = [["", "2022"], ["一", 1], ["    二", 2], ["\u3000  三", 3], ["\u3000\u3000\u3000四", 4]]
    table = read_xlsx(saved(rows(*lines)))
    assert [line[0].text for line in table.grid[1:]] == ["一", "    二", "    三", "      四"]


OFFICE = [
    ["Table 4. Shops by region"], ["[In thousands]"], [None], [None, "All", None, "New"],
    [None, "2022", "2023", "2023"],
    ["Total", 10, 12, 3], [None], ["North"], ["  Towns", 4, 5, 1], ["  Land", 1, 1, "(D)"], [None], ["South"],
    ["  Towns", 5, 6, 2], [None], ["(D) Withheld."], ["Source: the office"],
]  # fmt: skip


def test_a_sheet_of_a_statistical_office() -> None:
    data = saved(rows(*OFFICE, merged=("B4:C4",)))
    (found,) = read_workbook(data)
    table = found.table
    assert (found.range, table.header_rows, table.header_columns) == ("A4:D13", 2, 1)
    assert (table.title, table.notes) == (
        "Table 4. Shops by region",
        ("[In thousands]", "(D) Withheld.", "Source: the office"),
    )
    assert [root.label for root in table.row_tree.roots if root.label] == ["Total", "North", "South"]
    close = [line for line in OFFICE if line != [None]]
    table = read_xlsx(saved(rows(*close, merged=("B3:C3",))))
    assert (table.title, table.notes[0]) == (OFFICE[0][0], OFFICE[1][0])
    assert (table.header_rows, table.n_rows) == (2, 8)


def test_a_whole_sheet_may_be_one_table() -> None:
    other = [[None], [None], ["Town", "People"], ["Oslo", 7]]
    data = saved(rows(["T"], [None], *SALES, *other, [None], ["Source: x"]))
    table = read_xlsx(data, split=False)
    assert (table.title, table.notes, table.n_rows, table.header_rows) == ("T", ("Source: x",), 9, 1)
    assert readers.get("document")(data) == readers.get("xlsx")(data, split=False) == table
    assert readers.get("xlsx")(data, range="A10:B11").n_rows == 2


def test_tables_below_and_beside_each_other_come_apart() -> None:
    other = (["Town", "People"], ["Oslo", 7], ["Bergen", 3])
    sheet = together(rows(*SALES), rows(["Towns"], *other, at=(8, 1)), rows(*other, at=(1, 6)))
    found = read_workbook(saved(sheet, rows(*other), lambda sheet: None))
    assert [(each.sheet, each.range, each.table.title) for each in found] == [
        ("Sheet", "A1:C5", ""),
        ("Sheet", "F1:G3", ""),
        ("Sheet", "A9:B11", "Towns"),
        ("Sheet1", "A1:B3", ""),
    ]
    assert found[0].others == ("F1:G3", "A9:B11")
    assert read_xlsx(saved(sheet)) == found[0].table
    assert read_xlsx(saved(sheet), range="f1:g3") == found[1].table
    assert read_xlsx(saved(sheet), range="G3:F1") == found[1].table


def test_blanks_that_space_out_a_table_do_not_part_it() -> None:
    spaced = [SALES[0], [None], *SALES[1:3], [None], *SALES[3:]]
    assert layout(saved(rows(*spaced))) == ("A1:C7", 1, 1)
    columns = [[line[0], line[1], None, line[2]] for line in SALES]
    assert layout(saved(rows(*columns)))[0] == "A1:D5"


def test_a_declared_table_is_taken_as_declared() -> None:
    def fill(sheet: Any) -> None:
        rows(["x", "y"], ["a", "b"], ["c", "d"], ["total", "z"])(sheet)
        sheet.add_table(DeclaredTable(displayName="T", ref="A1:B3"))

    first, *_ = read_workbook(saved(fill))
    assert (first.range, first.table.header_rows) == ("A1:B3", 1)
    assert "rows: declared as a table" in first.reasons


SIGNS = {
    "merged headings": (
        rows(["k", "y", None], [None, "a", "b"], ["x", "u", "v"], merged=("A1:A2", "B1:C1")), 2, 1,
    ),
    "three rows of them": (
        rows(
            ["k", "y", None, None], [None, "a", None, "b"], [None, "c", "d", "e"],
            ["x", 1, 2, 3], ["z", 1, 2, 3],
            merged=("A1:A3", "B1:D1", "B2:C2"),
        ), 3, 1,
    ),
    "texts over numbers": (rows(["k", "a", "b"], ["(unit)", "kg", "m"], ["x", 1, 2], ["y", 3, 4]), 2, 1),
    "years": (rows(["", 2021, 2022], ["x", 5, 6], ["y", 7, 8]), 1, 1),
    "a group first": (rows(["k", 2021, 2022], ["Fruit"], ["x", 5, 6], ["y", 7, 8]), 1, 1),
    "merged row labels": (
        rows(["g", "k", "v"], ["a", "x", "s"], [None, "y", "t"], ["b", "z", "u"], [None, "w", "v"],
             merged=("A2:A3", "A4:A5")), 1, 2,
    ),
    "no heading": (rows(["g", "x", "s"], [None, "y", "t"], ["h", "z", "u"], merged=("A1:A2",)), 0, 2),
    "bold": (
        together(rows(["k", "s", "t"], ["l", "u", "v"], ["x", "a", "b"], ["y", "c", "d"]),
                 lambda sheet: bold(sheet, "A1", "B1", "C1", "A2", "B2", "C2")), 2, 1,
    ),
    "frozen": (
        together(rows(["k", "s", "t"], ["l", "u", "v"], ["x", "a", "b"], ["y", "c", "d"]),
                 lambda sheet: setattr(sheet, "freeze_panes", "C3")), 2, 2,
    ),
    "a filter": (
        together(rows(["1", "2"], ["3", "4"], ["5", "6"]),
                 lambda sheet: setattr(sheet.auto_filter, "ref", "A1:B3")), 1, 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("sign", SIGNS)
def test_signs_of_headers(sign: str) -> None:
    fill, header_rows, header_columns = SIGNS[sign]
    (found,) = read_workbook(saved(fill))
    assert (found.table.header_rows, found.table.header_columns) == (header_rows, header_columns)
    assert 0 < found.confidence < 1


def test_known_headers_are_certain() -> None:
    given = find_table(saved(rows(*SALES)), options=ReadingOptions(2, 0))
    assert (given.table.header_rows, given.table.header_columns, given.confidence) == (2, 0, 1.0)


@pytest.mark.parametrize("place", ["", "A", "A1:", "A0", "A1:B2:C3", "XFDD1", "A1:B99999999"])
def test_a_range_that_is_none(place: str) -> None:
    with pytest.raises(TableError, match=r"^xlsx: range: found '.*'; expected one such as A3:D20"):
        read_xlsx(saved(rows(*SALES)), range=place)


def test_an_empty_range_or_sheet() -> None:
    with pytest.raises(TableError, match="range K1:L9 of sheet 'Sheet' is empty; expected a table"):
        read_xlsx(saved(rows(*SALES)), range="K1:L9")
    with pytest.raises(TableError, match="all 2 sheets are empty; expected a table"):
        read_workbook(saved(rows(), rows()))


def test_what_we_write_keeps_indentation_and_looks() -> None:
    yellow, bold_cell = CellStyle(fill="#ffcc00"), CellStyle(bold=True)
    table = Table(
        (
            (Cell(""), Cell("a"), Cell("b")),
            (Cell("x"), Cell("1", style=yellow), Cell("2")),
            (Cell("  y"), Cell("3"), Cell("4", style=bold_cell)),
        ),
        header_columns=1,
    )
    again = read_xlsx(to_bytes(table), notes_of_style=False)
    assert again.texts_only == table.texts_only
    assert [[cell.style for cell in row[1:]] for row in again.body] == [[yellow, None], [None, bold_cell]]


def test_row_labels_are_indented_as_spreadsheets_do() -> None:
    table = Table.of_texts([["", "a"], ["x", "1"], ["  y", "2"], ["     z", "3"]], header_columns=1)
    sheet = openpyxl.load_workbook(io.BytesIO(to_bytes(table))).active
    assert [(sheet.cell(r, 1).value, sheet.cell(r, 1).alignment.indent) for r in (2, 3, 4)] == [
        ("x", 0),
        ("y", 1),
        (" z", 2),
    ]


@pytest.fixture(scope="module")
def odd() -> Table:
    """A table with all that a workbook can have."""

    def look(sheet: Any) -> None:
        indented(sheet, A6=1, A7=2)
        filled(sheet, "FFFF00", "C6")
        bold(sheet, "C7")

    lines = [
        ["Sales | of \"all\" shops"], [None], ["", "Year", None], [None, 2021, 2022], ["Fruit"],
        ["Äpfel", 1, "2|3"],
        ["梨", "", "a\nb"], ["Note: <b>&"],
    ]  # fmt: skip
    return read_xlsx(saved(together(rows(*lines, merged=("A3:A4", "B3:C3")), look)))


TEXT_FORMATS = sorted(name for name in serializers.names() if not name.startswith("image"))


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_every_format_of_text_takes_such_a_table(name: str, odd: Table) -> None:
    assert (odd.title, odd.header_rows, odd.header_columns) == ('Sales | of "all" shops', 2, 1)
    assert [line[0].text for line in odd.grid[3:]] == ["  Äpfel", "    梨"]
    serializer = serializers.get(name)
    text = serializer.serialize(odd)
    assert isinstance(text, str)
    if serializer.lossless:
        assert serializer.parse(text).texts_only == odd.texts_only
