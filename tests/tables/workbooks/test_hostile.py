"""Workbooks that are too large, locked, old or of another kind are refused in one line."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl.worksheet.table import Table as DeclaredTable

from tests.tables.workbooks.books import changed, rows, saved
from tests.timing import quickly
from torr_plugin.tables import InputError, TableError
from torr_plugin.tables.workbooks import blocks, opening, read_workbook, reading

PLAIN = saved(rows(["a", "b"], ["x", 1], ["y", 2]))
SHEET, STRINGS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


def archive(**parts: bytes) -> bytes:
    """An archive of other parts, their names with / for __ and . for _."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as new:
        for name, part in parts.items():
            new.writestr(name.replace("__", "/").replace("_", "."), part)
    return out.getvalue()


def merged(references: str, data: bytes = PLAIN) -> bytes:
    """The workbook with such merged cells."""
    cells = f"<mergeCells>{references}</mergeCells></worksheet>".encode()
    return changed(data, SHEET, lambda part: part.replace(b"</worksheet>", cells))


def with_strings(strings: bytes) -> bytes:
    """The workbook with such shared texts."""
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    part = f'<Override PartName="/{STRINGS}" ContentType="{kind}"/></Types>'.encode()
    out = io.BytesIO(changed(PLAIN, "[Content_Types].xml", lambda types: types.replace(b"</Types>", part)))
    with zipfile.ZipFile(out, "a") as added:
        added.writestr(STRINGS, b"<sst>" + strings + b"</sst>")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (OLE2, "it is an old .xls workbook, or protected by a password; expected an .xlsx without one"),
        (archive(xl__workbook_bin=b"", x=b""), r"it is no XLSX workbook, but another archive \(.xlsb, .ods"),
        (archive(content_xml=b"<a/>", mimetype=b"x"), "it is no XLSX workbook, but another archive"),
        (merged('<mergeCell ref="A1:XFD1048576"/>'), "xl/worksheets/sheet1.xml merges 17179869184 cells"),
        (with_strings(b"<si>" * 20_000), "it is not an XLSX workbook"),
    ],
    ids=lambda value: value[:50] if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_hostile_or_of_another_kind_is_refused(data: bytes, message: str) -> None:
    def refusal() -> str:
        with pytest.raises(InputError, match=f"^xlsx: {message}") as caught:
            read_workbook(data)
        return str(caught.value)

    assert "\n" not in quickly(refusal)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    with path.open("wb") as file:
        file.truncate(5_000_000_000)
    with pytest.raises(
        TableError, match=f"^{path}: the file is too large; expected at most 100000000 bytes$"
    ):
        quickly(lambda: read_workbook(path), within=1)


def test_deep_and_many_shared_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = with_strings(b"<si>" * 2_000 + b"</si>" * 2_000)
    assert read_workbook(deep)[0].range == "A1:B3"
    monkeypatch.setattr(opening, "_MOST_TAGS", 4_000)
    with pytest.raises(TableError, match=r"sharedStrings.xml has 4002 tags; expected at most 4000"):
        read_workbook(deep)


def test_one_long_text_in_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MOST_LETTERS", 5_000)
    data = saved(rows(*(["a" * 30] * 20 for _ in range(10))))
    with pytest.raises(TableError, match="xlsx: the table has 6000 characters; expected at most 5000"):
        read_workbook(data)


def test_many_merged_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_MOST_MERGED", 20)
    many = "".join(f'<mergeCell ref="D{2 * r}:E{2 * r}"/>' for r in range(1, 22))
    with pytest.raises(TableError, match=r"sheet1\.xml has 21 merged ranges; expected at most 20"):
        read_workbook(merged(many))


def test_merged_cells_that_span_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tall merged cell and a wide one that touch: few cells, a table of many places."""
    low = b'<row r="500"><c r="B500" t="str"><v>y</v></c></row></sheetData>'
    tall = changed(PLAIN, SHEET, lambda part: part.replace(b"</sheetData>", low))
    monkeypatch.setattr(blocks, "MOST_PLACES", 100_000)
    with pytest.raises(TableError, match=r"xlsx: the table covers 3\d{5} places; expected at most 100000"):
        read_workbook(merged('<mergeCell ref="A3:A500"/><mergeCell ref="B500:ZZ500"/>', tall))


def test_hidden_rows_without_cells_stay_hidden() -> None:
    hidden = b"".join(b'<row r="%d" hidden="1"/>' % r for r in range(4, 300))
    last = b'<row r="300"><c r="A300" t="str"><v>z</v></c><c r="B300"><v>3</v></c></row></sheetData>'
    data = changed(PLAIN, SHEET, lambda part: part.replace(b"</sheetData>", hidden + last))
    (found,) = read_workbook(data)
    assert (found.range, found.table.n_rows) == ("A1:B300", 4)
    assert found.reasons[-1] == "left out: 296 hidden rows"


def test_scattered_cells_are_one_block() -> None:
    lines = [["x" if c % 3 == 0 else None for c in range(120)] if r % 2 else [] for r in range(60)]
    (found,) = read_workbook(saved(rows(*lines)))
    assert (found.range, found.table.n_rows) == ("A2:DN60", 59)


@pytest.mark.parametrize(
    "damage",
    [
        lambda sheet: setattr(sheet.views.sheetView[0].pane, "topLeftCell", "foo"),
        lambda sheet: setattr(sheet.tables["Towns"], "ref", "A:B"),
    ],
    ids=["frozen panes", "a declared table"],
)
def test_a_sheet_with_a_damaged_reference_is_named(damage: Callable[[Any], None]) -> None:
    def fill(sheet: Any) -> None:
        rows(["a", "b"], ["x", 1])(sheet)
        sheet.freeze_panes = "A2"
        sheet.add_table(DeclaredTable(displayName="Towns", ref="A1:B2"))
        damage(sheet)

    with pytest.raises(TableError, match=r"^xlsx: sheet 'Sheet' is damaged \(.*\)$"):
        read_workbook(saved(fill))
