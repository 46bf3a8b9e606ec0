"""Tables drawn as PNG."""

from __future__ import annotations

import io
import struct
import sys
from typing import Any

import pytest
from hypothesis import given, settings

from torr_plugin.tables import Cell, InputError, Table
from torr_plugin.tables import images as _layout
from torr_plugin.tables.images import png
from torr_plugin.tables.strategies import tables

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


def test_indentation_is_seen() -> None:
    assert png(Table.flat(["a"], [["  x"]])) != png(Table.flat(["a"], [["x"]]))


@pytest.mark.parametrize(
    ("table", "ppi", "message"),
    [
        (PLAIN, 1200, "ppi is 1200; expected 36 to 600 pixels per inch"),
        (
            Table.flat(["a"] * 200, [[""] * 200] * 200),
            144,
            "the table has 40200 places; expected at most 20000",
        ),
        (Table.flat(["a"] * 100, [["b" * 40] * 100] * 150), 600, "a picture of the table would have about"),
        (Table.flat(["a"], [["b" * 3000]]), 144, "the cell in row 1, column 0 has 3000 characters; expected"),
        (PLAIN.replace(title="b" * 3000), 144, "the title has 3000 characters"),
        (PLAIN.replace(notes=("", "b" * 3000)), 144, "note 1 has 3000 characters"),
    ],
)
def test_what_is_too_large_is_refused(table: Table, ppi: int, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        png(table, ppi=ppi)


@given(table=tables())
@settings(max_examples=25)
def test_every_table_is_drawn_and_its_estimate_is_no_less_than_the_picture(table: Table) -> None:
    width, height = size(png(table, ppi=72))
    assert min(width, height) > 16
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_layout, "_MOST_PIXELS", width * height * 0.7)
        with pytest.raises(InputError, match="a picture of the table would have"):
            _layout.described(table, borders=True, ppi=72)


def test_without_typst_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(InputError, match=r"pip install '\.\[image\]' in a checkout"):
        png(PLAIN)
