"""Whether the rows of a sample still have what an answer rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torr_plugin.catalog import Example
from torr_plugin.catalog.examples import RowSample
from torr_plugin.prompts.fitting import about_rows
from torr_plugin.tables import Table
from torr_plugin.tables.row_samples import with_rows

TABLE = Table.flat(["town", "ships"], [["Aldin", "1,200"], ["Brekka", "7"], ["Corra", "7"]])
EXAMPLE = Example("q", TABLE, {}, ("7",), "7")


@pytest.mark.parametrize(("kept", "lost"), [([1, 2], False), ([1], True)])
def test_an_answer_in_several_rows_is_there_as_long_as_one_is(kept: list[int], lost: bool) -> None:
    shown = about_rows(EXAMPLE, with_rows(TABLE, kept))
    assert shown is not None
    assert shown.cut == RowSample(len(kept), 3, lost)


def test_numbers_are_compared_in_normal_form() -> None:
    for kept, lost in (([1], False), ([2, 3], True)):
        shown = about_rows(replace(EXAMPLE, references=("1200",)), with_rows(TABLE, kept))
        assert shown is not None
        assert shown.cut == RowSample(len(kept), 3, lost)
