"""The value itself, its names, and what importing it costs."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given

from torr_plugin.tables import Cell, InputError, Table, TableError, UnknownNameError, serializers
from torr_plugin.testing import flat_tables, tables


def test_importing_tables_is_light_and_leaves_the_global_generator_alone() -> None:
    code = (
        "import random, sys; state = random.getstate(); import torr_plugin.tables as t; "
        "assert random.getstate() == state; t.serializers.get('html'); t.perturbations.get('transpose'); "
        "heavy = ('numpy', 'pandas', 'lxml', 'pyarrow', 'hypothesis', 'unitxt'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_designs_example() -> None:
    import numpy as np

    from torr_plugin.tables import Table, perturbations, serializers

    t = Table.flat(header=["Name", "Age"], rows=[["Sophia", "26"]])
    text = serializers.get("markdown").serialize(t)
    assert serializers.get("markdown").parse(text) == t
    assert "markdown" in serializers.names()
    turned = perturbations.get("transpose").perturb(t, np.random.default_rng(1))
    assert turned.to_unitxt() == {"header": [" ", "0"], "rows": [["Name", "Sophia"], ["Age", "26"]]}


@given(table=flat_tables(notes=False))
def test_flat_tables_go_to_unitxt_and_back(table: Table) -> None:
    back = Table.from_unitxt(table.to_unitxt())
    assert back == table
    assert repr(back.to_unitxt()) == repr(table.to_unitxt())


@given(table=tables())
def test_tables_are_values(table: Table) -> None:
    copy = pickle.loads(pickle.dumps(table))
    assert copy == table
    assert hash(copy) == hash(table)
    assert len({len(line) for line in table.grid}) == 1
    assert (
        sum(cell.rowspan * cell.colspan for row in table.rows for cell in row)
        == table.n_rows * table.n_columns
    )


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ((), {}, "the table has no rows; expected a header and at least one body row"),
        (((),), {}, "the table has no cells"),
        (((Cell("a"),),), {}, r"the table has no rows below its 1 header row\(s\)"),
        (
            ((Cell("a"),), (Cell("b"), Cell("c"))),
            {},
            "row 1 of the table has 2 cells, expected 1 as in row 0",
        ),
        (
            ((Cell("a"),), (Cell("b"),)),
            {"header_columns": 1},
            r"no columns beside its 1 header column\(s\) of 1",
        ),
        (((Cell("a"),), (Cell("b"),)), {"header_rows": -1}, "header_rows and header_columns are 0 or more"),
        (((Cell("a", 3),), ()), {}, "cell 'a' in row 0 spans 3 rows, but only 2 are left"),
        (((Cell("a", 0),), (Cell("b"),)), {}, r"cell 'a' in row 0 has a span below 1 \(0 x 1\)"),
        (
            ((Cell("a"), Cell("b", 2)), (Cell("c", 1, 2),)),
            {},
            "cell 'c' in row 1 overlaps cell 'b' at column 1",
        ),
        (((Cell("a", 1, 2),), (Cell("c"),)), {}, "row 1 of the table covers 1 columns, expected 2"),
    ],
)
def test_a_table_that_cannot_be(
    rows: tuple[tuple[Cell, ...], ...], options: dict[str, int], message: str
) -> None:
    with pytest.raises(TableError, match=message):
        Table(rows, **options)


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        (["a"], [], "the table has no rows; expected at least one row below the header"),
        (None, [["1"]], "the table has no header; expected at least one column name"),
        ([], [["1"]], "the table has no header; expected at least one column name"),
        (3, [["1"]], "the table's header is '3'; expected a list"),
        (["a"], None, "the table's rows is 'None'; expected a list"),
        (["a"], [["1"], None], "the table's row 1 is 'None'; expected a list"),
        (["a"], [{"a": 1}], "the table's row 0 is \"{'a': 1}\"; expected a list"),
        (["a", "b"], [["1", "2"], ["3"]], "row 1 of the table has 1 cell, expected 2 as in the header"),
    ],
)
def test_a_flat_table_that_cannot_be(header: Any, rows: Any, message: str) -> None:
    with pytest.raises(TableError, match=f"^{message}$"):
        Table.flat(header, rows)
    with pytest.raises(TableError, match=f"^{message}$"):
        Table.from_unitxt({"header": header, "rows": rows})


def test_arrays_and_iterators_are_lists_of_cells() -> None:
    import numpy as np

    expected = Table.flat(["a", "b"], [["1", "x"]])
    assert Table.flat(np.array(["a", "b"]), np.array([["1", "x"]])) == expected
    assert Table.flat(iter(["a", "b"]), iter([iter(["1", "x"])])) == expected


def test_numpys_scalars_are_numbers_and_dates_are_texts() -> None:
    import datetime

    import numpy as np

    values = [np.int64(3), np.float64(0.5), np.bool_(True), datetime.date(2020, 1, 2)]
    raw = Table.flat(list("abcd"), [values]).to_unitxt()["rows"][0]
    assert repr(raw) == "[3, 0.5, True, '2020-01-02']"
    for name in serializers.text_names():
        assert "2020-01-02" in serializers.get(name).serialize(Table.flat(list("abcd"), [values]))


def test_unitxt_fields_are_named_when_missing() -> None:
    with pytest.raises(TableError, match="the table has no field 'rows'"):
        Table.from_unitxt({"header": ["a"]})


def test_unknown_serializer_gives_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown serializer 'markdwon'; did you mean 'markdown'"):
        serializers.get("markdwon")


def test_a_serializers_name_can_be_taken_once() -> None:
    class Mine(serializers.Serializer):
        name = "html"

        def serialize(self, table: Table) -> str:
            return table.title

    with pytest.raises(
        InputError, match="two serializers are called 'html': one from torr-plugin, one from mine; rename one"
    ):
        serializers.register(Mine(), origin="mine")
    with pytest.raises(TableError, match="'html' cannot be read back"):
        Mine().parse("")
