"""Large tables cut into parts: nothing is lost, doubled or cut without a word."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables import Cell, InputError, Table
from torr_plugin.tables.pictures import PictureLimits
from torr_plugin.tables.pictures.layout import page_of
from torr_plugin.tables.pictures.tiles import CONTINUED, TablePart, _cut, parts_of
from torr_plugin.tables.table import CellStyle
from torr_plugin.testing import hierarchical_tables, tables


def ranges(data: st.DataObject, first: int, last: int) -> list[tuple[int, int]]:
    """Random cuts of the lines ``first..last``."""
    inner = data.draw(st.sets(st.integers(first + 1, last - 1), max_size=2)) if last - first > 1 else set()
    edges = sorted({first, last, *inner})
    return list(pairwise(edges))


@given(table=st.one_of(tables(), hierarchical_tables()), data=st.data())
@settings(max_examples=12)
def test_the_parts_show_every_place_once_with_its_text(table: Table, data: st.DataObject) -> None:
    bands = ranges(data, table.header_rows, table.n_rows)
    strips = ranges(data, table.header_columns, table.n_columns)
    for band in bands:
        for strip in strips:
            part = _cut(table, band, strip)
            assert (part.header_rows, part.header_columns) == (table.header_rows, table.header_columns)
            height, width = band[1] - band[0], strip[1] - strip[0]
            for r in [*range(-height, 0), *range(table.header_rows)]:
                for c in [*range(-width, 0), *range(table.header_columns)]:
                    row = r if r >= 0 else band[1] + r
                    column = c if c >= 0 else strip[1] + c
                    shown, whole = part.grid[r][c], table.grid[row][column]
                    assert shown.text.removesuffix(CONTINUED) == whole.text.removesuffix(CONTINUED)
                    begins = table.origins[row][column] >= (band[0], 0) or row < table.header_rows
                    if shown.text != whole.text:
                        assert not begins or table.origins[row][column][1] < strip[0]
            assert bool(part.title) == bool(table.title and (band, strip) == (bands[0], strips[0]))
            assert bool(part.notes) == bool(table.notes and (band, strip) == (bands[-1], strips[-1]))


def parts(table: Table, **limits: int) -> list[TablePart]:
    small = {"longest_side": 420, "most_pixels": 90_000, "least_text": 12, "most_pictures": 50}
    return parts_of(table, page_of(table), PictureLimits(**{**small, **limits}))


def texts(part: TablePart) -> list[list[str]]:
    return [[cell.text for cell in row] for row in part.table.rows]


def test_header_rows_and_labels_are_repeated_and_parts_are_named_in_reading_order() -> None:
    table = Table.flat(
        ["Name", *(f"Column {c}" for c in range(8))],
        [[f"Row {r}", *(f"{r}.{c}" for c in range(8))] for r in range(20)],
        title="T",
        notes=["N"],
    ).replace(header_columns=1)
    found = parts(table)
    assert [part.words for part in found[:3]] == [
        "rows 1 to 9 of 20, columns 1 to 5 of 8",
        "rows 1 to 9 of 20, columns 6 to 8 of 8",
        "rows 10 to 19 of 20, columns 1 to 5 of 8",
    ]
    assert texts(found[1])[:2] == [
        ["Name", "Column 5", "Column 6", "Column 7"],
        ["Row 0", "0.5", "0.6", "0.7"],
    ]
    assert texts(found[3])[:2] == [
        ["Name", "Column 5", "Column 6", "Column 7"],
        ["Row 9", "9.5", "9.6", "9.7"],
    ]
    assert [part.table.title for part in found] == ["T", *[""] * 5]
    assert [part.table.notes for part in found] == [*[()] * 5, ("N",)]


def test_without_row_labels_the_first_column_is_repeated() -> None:
    table = Table.flat([f"Column {c}" for c in range(8)], [[f"0.{c}" for c in range(8)]])
    first, second = parts(table)
    assert texts(first)[0] == [f"Column {c}" for c in range(6)]
    assert texts(second)[0] == ["Column 0", "Column 6", "Column 7"]
    assert second.words == "columns 7 to 8 of 8"


GROUPED = Table(
    (
        (Cell("Place"), Cell("n")),
        (Cell("Norway", style=CellStyle(bold=True)), Cell("0")),
        *((Cell(f"  Town {n}"), Cell(f"{n}")) for n in range(30)),
    ),
    header_columns=1,
)


def test_a_part_inside_a_group_begins_with_the_group_s_label() -> None:
    first, *later = parts(GROUPED)
    assert later
    assert texts(first)[1] == ["Norway", "0"]
    for part in later:
        assert texts(part)[1] == ["Norway (continued)", ""]
        assert part.table.rows[1][0].style == CellStyle(bold=True)
        assert texts(part)[2][0].startswith("  Town")


def test_a_marked_label_has_room() -> None:
    """Beside a label column that the mark widens, a strip of columns is narrower than it could be."""
    rows = [(Cell("Norway"),), *((Cell(f"  Town {n}"),) for n in range(30))]
    head = (Cell("Place"), *(Cell(f"Column {c}") for c in range(6)))
    table = Table((head, *((label, *[Cell("1")] * 6) for (label,) in rows)), header_columns=1)
    page = page_of(table)
    limits = {"longest_side": int((sum(page.columns) + 17) * 1.2), "most_pixels": 90_000}
    found = parts(table, **limits)
    assert any("Norway (continued)" in row for part in found for row in texts(part))
    assert {part.words.partition(", ")[2] for part in found} == {"columns 1 to 4 of 6", "columns 5 to 6 of 6"}


def test_a_label_is_not_the_last_row_of_a_part() -> None:
    groups = [
        row
        for group in range(8)
        for row in [[f"Group {group}", ""], *([f"  Town {group}.{n}", "1"] for n in range(3))]
    ]
    for part in parts(Table.flat(["Place", "n"], groups).replace(header_columns=1))[:-1]:
        assert texts(part)[-1][0].startswith("  Town")


def test_cuts_keep_merged_cells_whole_where_they_can() -> None:
    rows = [
        row
        for group in range(8)
        for row in [(Cell(f"Group {group}", 3), Cell("x")), (Cell("y"),), (Cell("z"),)]
    ]
    table = Table(((Cell("a"), Cell("b")), *rows), header_columns=1)
    found = parts(table)
    assert len(found) > 1
    assert not any(CONTINUED in cell.text for part in found for row in part.table.rows for cell in row)


def test_a_merged_cell_longer_than_a_picture_is_cut_with_a_word() -> None:
    table = Table(
        (
            (Cell("a"), Cell("b")),
            (Cell("All", 30), Cell("0")),
            *((Cell(str(n)),) for n in range(1, 30)),
        ),
        header_columns=1,
    )
    first, *later = parts(table)
    assert first.table.rows[1][0].text == "All"
    assert {part.table.rows[1][0].text for part in later} == {"All (continued)"}
    assert sum(part.table.rows[1][0].rowspan for part in (first, *later)) == 30


def test_a_header_wider_than_a_picture_is_cut_with_a_word() -> None:
    table = Table(
        (
            (Cell("Sales of all kinds", 1, 9),),
            tuple(Cell(f"Quarter {n}") for n in range(9)),
            (Cell("1"),) * 9,
        ),
        header_rows=2,
    )
    first, *later = parts(table)
    assert first.table.rows[0][0].text == "Sales of all kinds"
    for part in later:  # the first column is repeated beside what follows
        assert [cell.text for cell in part.table.rows[0]] == [
            "Sales of all kinds",
            "Sales of all kinds (continued)",
        ]


def test_every_part_fits() -> None:
    limits = PictureLimits(longest_side=420, most_pixels=100_000, least_text=12, most_pictures=50)
    for table in (GROUPED, GROUPED.replace(notes=("a note of some length " * 4,) * 5, title="A title")):
        for part in parts_of(table, page_of(table), limits):
            assert limits.holds(part.page.width, part.page.height)


def test_what_takes_too_many_pictures_is_refused() -> None:
    with pytest.raises(
        InputError, match="takes more than 1 pictures of at most 420 pixels a side and 90,000"
    ):
        parts(GROUPED, most_pictures=1)
    wide = Table.flat(["word " * 20] * 4, [["x"] * 4]).replace(header_columns=3)
    with pytest.raises(
        InputError, match="column 3 of the table, with what is repeated beside it, does not fit"
    ):
        parts(wide)
