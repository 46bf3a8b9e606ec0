"""Tables drawn as PNG."""

from __future__ import annotations

import io
import struct
import sys
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from torr_plugin.tables import Cell, InputError, Table
from torr_plugin.tables import pictures as _pictures
from torr_plugin.tables.pictures import Image, PictureLimits, page_size, png
from torr_plugin.tables.table import CellStyle
from torr_plugin.testing import tables

PLAIN = Table.flat(["Name", "Age"], [["Sophia", 26], ["Bo", "31"]])
NESTED = Table(
    (
        (Cell("City", 2), Cell("2019", 1, 2)),
        (Cell("m"), Cell("f")),
        (Cell("Oslo"), Cell("1"), Cell("2")),
    ),
    header_rows=2,
    header_columns=1,
)


def size(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def pixels(picture: bytes) -> Any:
    import numpy as np
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(picture)).convert("L")).astype(int)


def rules(picture: bytes, axis: int) -> int:
    """How many lines run through (nearly) the whole table: across for axis 1, down for axis 0."""
    ink = pixels(picture) < 200
    ink = ink[ink.any(axis=1)][:, ink.any(axis=0)]
    through = (ink.mean(axis=axis) > 0.95).astype(int)
    return int((through[1:] > through[:-1]).sum() + through[0])


def test_the_picture_grows_with_the_table_and_its_resolution() -> None:
    width, height = size(png(PLAIN))
    assert size(png(PLAIN, ppi=288)) == pytest.approx((2 * width, 2 * height), abs=2)
    longer = Table.flat(["Name", "Age"], [["Sophia", 26]] * 12)
    assert size(png(longer))[1] > 3 * height
    assert size(png(PLAIN.replace(title="A title")))[1] > height
    assert size(png(PLAIN.replace(notes=("a", "b"))))[1] > size(png(PLAIN.replace(notes=("a",))))[1] > height


def test_rules_are_drawn_where_wanted() -> None:
    assert (rules(png(PLAIN), 1), rules(png(PLAIN), 0)) == (4, 3)
    assert (rules(png(PLAIN, borders=False), 1), rules(png(PLAIN, borders=False), 0)) == (3, 0)
    # two headers of which the first is merged: the rule below "2019" and the one right of "m" are cut short
    assert (rules(png(NESTED), 1), rules(png(NESTED), 0)) == (3, 3)


def test_headers_are_bold_and_shaded() -> None:
    same = Table.flat(["Bo"], [["Bo"]])
    drawn = pixels(png(same, borders=False, ppi=288))
    half = drawn.shape[0] // 2
    assert (drawn[:half] < 128).sum() > 1.1 * (drawn[half:] < 128).sum()
    assert (pixels(png(same)) == 238).sum() > 100


def test_equal_tables_have_equal_pictures_and_others_do_not() -> None:
    assert png(NESTED) == png(NESTED.replace(title=""))
    assert png(NESTED) != png(NESTED.replace(header_columns=0))
    assert png(PLAIN) != png(Table.flat(["Name", "Age"], [["Sophia", 26], ["Bo", "32"]]))


@pytest.mark.parametrize(
    "text",
    [
        "#pagebreak()",
        '#read("/etc/passwd")',
        '#import "@preview/x:1.0.0"',
        "]",
        "$x$",
        "*b*",
        "@x",
        '"',
        "\\",
    ],
)
def test_nothing_in_a_cell_is_code(text: str) -> None:
    """The width of a text is that of its characters, as drawn one by one in a row of narrow cells."""
    picture = png(Table.flat([text], [[text]], title=text, notes=[text]))
    plain = png(Table.flat([text.translate({ord(c): "n" for c in "#@$*]"})], [["n"]], title="n", notes=["n"]))
    assert size(picture)[1] == size(plain)[1]


def test_long_texts_are_wrapped() -> None:
    for text in ("word " * 100, "w" * 500):
        width, height = size(png(Table.flat(["a"], [[text]]), ppi=72))
        assert width < 400
        assert height > 100
    left = pixels(png(Table.flat(["a", "b"], [["w" * 500, ""]]), ppi=72))
    assert (left[40:-12, -20:-12] > 200).all()


def colours(picture: bytes) -> set[tuple[int, int, int]]:
    from PIL import Image as Opened

    counts = Opened.open(io.BytesIO(picture)).convert("RGB").getcolors(2**20) or []
    return {colour for count, colour in counts if count > 40}


def left_ink(picture: bytes) -> list[int]:
    """For each row of a table without rules of one column, where its text begins, in pixels."""
    ink = pixels(picture) < 128
    lines = ink.any(axis=1)
    starts = [y for y in range(1, len(lines)) if lines[y] and not lines[y - 1]]
    ends = [y for y in range(1, len(lines)) if not lines[y] and lines[y - 1]]
    return [int(ink[top:end].any(axis=0).argmax()) for top, end in zip(starts, ends, strict=True)]


def test_indentation_is_seen_also_in_the_lines_that_follow() -> None:
    rows = [[f"{' ' * depth}H"] for depth in (0, 2, 4)] + [["  " + "HHHH " * 20]]
    starts = left_ink(png(Table.flat(["H"], rows).replace(header_rows=0), borders=False))[1:-1]
    assert [start - starts[0] for start in starts[:4]] == pytest.approx([0, 0, 20, 40], abs=1)
    assert len(starts) > 5
    assert [start - starts[0] for start in starts[4:]] == pytest.approx([20] * len(starts[4:]), abs=1)


def test_indentation_without_an_end_is_bounded() -> None:
    assert size(png(Table.flat(["a"], [[" " * 1900 + "x"]])))[0] < 800


def test_fills_are_drawn_with_text_that_can_be_read() -> None:
    fills = {"#1f4e79": "white", "#ffff00": "black", "#c00000": "white", "#eeeeee": "black"}
    for fill, ink in fills.items():
        cell = Cell("WWWW", style=CellStyle(fill=fill))
        found = colours(png(Table(((cell,),), header_rows=0), ppi=288))
        assert tuple(bytes.fromhex(fill[1:])) in found
        assert (min(map(sum, found)) < 10) == (ink == "black")


def test_a_fill_covers_the_whole_of_a_merged_cell() -> None:
    merged = Cell("", 2, 2, style=CellStyle(fill="#336699"))
    rows = ((merged, Cell("x")), (Cell("y"),), (Cell("a"), Cell("b"), Cell("c")))
    from PIL import Image as Opened

    drawn = Opened.open(io.BytesIO(png(Table(rows, header_rows=0), ppi=72))).convert("RGB")
    assert {drawn.getpixel((x, y)) for x in range(10, 30) for y in range(10, 35)} == {(0x33, 0x66, 0x99)}


def test_bold_cells_have_more_ink() -> None:
    plain, bold = (
        (pixels(png(Table(((Cell("MMMM", style=style),),), header_rows=0), borders=False)) < 128).sum()
        for style in (None, CellStyle(bold=True))
    )
    assert bold > 1.1 * plain


@pytest.mark.parametrize(
    ("table", "ppi", "message"),
    [
        (PLAIN, 1200, "ppi is 1200; expected 36 to 600 pixels per inch"),
        (
            Table.flat(["a"] * 200, [[""] * 200] * 200),
            144,
            "the table has 40200 places and notes; expected at most 20000",
        ),
        (Table.flat(["a"] * 40, [["b" * 40] * 40] * 40), 600, "a picture of the table would have about"),
        (Table.flat(["a"], [["b" * 100_000]]), 144, "the cell in row 1, column 0 has 100000 characters; exp"),
        (PLAIN.replace(title="b" * 6000), 144, "the title has 6000 characters"),
        (PLAIN.replace(notes=("", "b" * 6000)), 144, "note 1 has 6000 characters"),
        (PLAIN.replace(notes=("n",) * 20_000), 144, "the table has 20006 places and notes"),
        (
            Table(((Cell("a", style=CellStyle(fill="red")),),), header_rows=0),
            144,
            "the cell in row 0, column 0 has the fill 'red'; expected a colour such as #ffcc00",
        ),
    ],
)
def test_what_is_too_large_or_wrong_is_refused(table: Table, ppi: int, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        png(table, ppi=ppi)


@given(table=tables())
@settings(max_examples=8)
def test_every_table_is_drawn_as_large_as_it_was_measured(table: Table) -> None:
    with patch.object(_pictures, "_check_letters"):
        drawn = png(table, ppi=72)
    assert size(drawn) == pytest.approx(page_size(_pictures._data(table, borders=True)), abs=1)


LACKING = "\u1782"  # a Khmer letter; the box in its place is what any letter gets that no font has


def test_letters_that_no_font_has_are_said_and_not_drawn_as_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    own = _pictures._query

    def query(template: bytes, data: Any) -> Any:  # whatever fonts the machine has
        return own(
            template,
            ["\ufffe" if each == LACKING else each for each in data] if isinstance(data, list) else data,
        )

    monkeypatch.setattr(_pictures, "_query", query)
    png(Table.flat(["Ünïcödé", "Жук"], [["שלום", "Ωμέγα ★ → 😀"]]))
    with pytest.raises(InputError, match=f"^no font on this machine has the letters '{LACKING}', wh"):
        png(Table.flat(["a"], [[f"x{LACKING}"]]))


def test_without_typst_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(InputError, match=r"pip install '\.\[image\]' in a checkout"):
        png(PLAIN)


def numbers(n_rows: int, n_columns: int) -> Table:
    return Table.flat(
        [f"Column {c}" for c in range(n_columns)],
        [[f"{r}.{c}" for c in range(n_columns)] for r in range(n_rows)],
        title="Numbers",
        notes=["of no meaning"],
    )


def test_a_small_table_has_comfortable_text() -> None:
    assert Image().draw(PLAIN) == png(PLAIN, ppi=144)


def test_a_larger_table_has_smaller_text() -> None:
    width, height = size(Image(PictureLimits(most_pixels=150_000)).draw(numbers(10, 4)))
    assert 0.98 * 150_000 < width * height <= 150_000


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            numbers(150, 5),
            "the table does not fit into a picture of at most 1568 pixels a side and 1,1",
        ),
        (numbers(1, 80), "the table does not fit into a picture of at most 1568 pixels a side and 1,1"),
        (Table.flat(["a"], [["x\n" * 900]]), "the table does not fit into a picture"),
        (numbers(1, 20_000), "the table has 40001 places and notes; expected at most 20000 for pictures"),
        (PLAIN.replace(notes=("n",) * 1_000), "the table does not fit into a picture"),
    ],
)
def test_a_table_that_is_too_large_for_a_picture_is_refused(table: Table, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        Image().draw(table)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"longest_side": 100}, "pictures: longest_side is 100; expected 476 to 20000"),
        ({"most_pixels": 5}, "pictures: most_pixels is 5; expected 40000"),
        ({"least_text": 100}, "pictures: least_text is 100; expected 6 to 40"),
    ],
)
def test_limits_out_of_range_are_refused(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        PictureLimits(**wrong)


def test_other_limits_take_other_tables() -> None:
    table = numbers(12, 5)
    with pytest.raises(InputError, match="at most 500 pixels a side and 100,000 in all"):
        Image(PictureLimits(longest_side=500, most_pixels=100_000)).draw(table)
    assert Image(PictureLimits(longest_side=4000, most_pixels=16_000_000)).draw(table) == png(table, ppi=144)
