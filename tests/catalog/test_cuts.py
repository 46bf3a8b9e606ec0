"""Whether the rows of a sample still have what an answer rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torr_plugin.catalog import Example
from torr_plugin.catalog.cuts import RowSample, about_rows, rows_of_cells
from torr_plugin.core.errors import InputError
from torr_plugin.tables import Table
from torr_plugin.tables.row_samples import with_rows

TABLE = Table.flat(["town", "ships"], [["Aldin", "1,200"], ["Brekka", "7"], ["Corra", "7"]])
EXAMPLE = Example("q", TABLE, {}, ("7",), "7")


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        ("{'top': {'a': {'(0, 1)': 'ships'}}, 'answer': {'(2, 1)': 7.0, '(3,1)': 7}}", {0, 2, 3}),
        ([[2, 0], [2, 1]], {2}),
        ("[(3, 1)]", {3}),
        ({"left": ["(1, 0)"]}, {1}),
        ("{'a': {}}", None),
        ("", None),
        (None, None),
        ([], None),
    ],
)
def test_places_are_read_in_any_nesting(value: object, rows: set[int] | None) -> None:
    assert rows_of_cells(value) == rows


@pytest.mark.parametrize("value", ["{'a': ", "x.y", "[" * 500, "open('x')"])
def test_what_python_does_not_read_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="the cells of the answer"):
        rows_of_cells(value)


@pytest.mark.parametrize(
    ("answer_rows", "kept", "lost"),
    [
        (None, [1, 2], False),  # a 7 is still there
        (None, [1], True),
        ({0, 2}, [2], False),
        ({2, 3}, [1, 2], True),
        ({0}, [1], False),  # the header stays
    ],
)
def test_named_rows_count_before_texts(answer_rows: set[int] | None, kept: list[int], lost: bool) -> None:
    example = replace(EXAMPLE, answer_rows=None if answer_rows is None else frozenset(answer_rows))
    shown = about_rows(example, with_rows(TABLE, kept), kept)
    assert shown is not None
    assert shown.cut == RowSample(len(kept), 3, lost)


def test_numbers_are_compared_in_normal_form() -> None:
    for kept, lost in (([1], False), ([2, 3], True)):
        shown = about_rows(replace(EXAMPLE, references=("1200",)), with_rows(TABLE, kept), kept)
        assert shown is not None
        assert shown.cut == RowSample(len(kept), 3, lost)
