"""``torr.*`` against unitxt itself, on real tables and on drawn ones."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from torr_plugin.tables import Cell, SerializationError, Table, perturbations, readers, serializers
from torr_plugin.testing import flat_tables

NAMES = ["concat", "csv", "df", "html", "indexed_row_major", "json", "markdown"]
Write = Callable[[dict[str, Any]], str]


@pytest.fixture(scope="module")
def unitxt() -> dict[str, Write]:
    """unitxt's serializers by our names; importing it seeds the global generator, which is put back."""
    state = random.getstate()
    from unitxt import struct_data_operators as operators
    from unitxt.serializers import TableSerializer

    random.setstate(state)
    classes = {
        "concat": operators.SerializeTableAsConcatenation,
        "df": operators.SerializeTableAsDFLoader,
        "html": operators.SerializeTableAsHTML,
        "indexed_row_major": operators.SerializeTableAsIndexedRowMajor,
        "json": operators.SerializeTableAsJson,
        "markdown": operators.SerializeTableAsMarkdown,
    }
    writers: dict[str, Write] = {name: made().serialize_table for name, made in classes.items()}
    csv = TableSerializer()
    writers["csv"] = lambda table: csv.serialize(table, {})
    writers["transpose"] = operators.TransposeTable().transpose_table
    return writers


def quietly(write: Write, table: dict[str, Any]) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas on columns whose names still repeat
        return write(table)


@pytest.fixture(scope="module")
def real_tables(shared_data: Path) -> list[Table]:
    import pyarrow.parquet as pq

    found: dict[str, Table] = {}
    for row in pq.read_table(shared_data / "wikitq" / "test.parquet", columns=["table"]).to_pylist():
        found.setdefault("wikitq " + row["table"]["name"], row["table"])
    facts = pq.read_table(
        shared_data / "tab_fact" / "test.parquet", columns=["table_id", "table_text"]
    ).to_pylist()
    tables = [readers.get("columns")(table["header"], table["rows"]) for table in found.values()]
    tables += [
        readers.get("delimited")(text)
        for text in list({row["table_id"]: row["table_text"] for row in facts}.values())[:250]
    ]
    for row in pq.read_table(shared_data / "scigen" / "test.parquet").to_pylist()[:150]:
        tables.append(readers.get("literal")(row["table_column_names"], row["table_content_values"]))
    assert len(tables) >= 500
    return tables


@pytest.fixture(scope="module")
def some_tables(real_tables: list[Table]) -> list[Table]:
    """A few of every data set."""
    return real_tables[::12]


def assert_same(tables: list[Table], name: str, unitxt: dict[str, Write]) -> None:
    """The texts of the tables are unitxt's, as they are and transposed."""
    serializer, transpose = serializers.get(f"torr.{name}"), perturbations.get("transpose")
    for table in tables:
        given = table.to_unitxt()
        assert serializer.serialize(table) == quietly(unitxt[name], given)
        turned = unitxt["transpose"](given)
        assert serializer.serialize(transpose.perturb(table, np.random.default_rng(0))) == quietly(
            unitxt[name], turned
        )


@pytest.mark.parametrize("name", NAMES)
def test_real_tables(name: str, some_tables: list[Table], unitxt: dict[str, Write]) -> None:
    assert_same(some_tables, name, unitxt)


@pytest.mark.release
@pytest.mark.parametrize("name", NAMES)
def test_all_real_tables(name: str, real_tables: list[Table], unitxt: dict[str, Write]) -> None:
    assert_same(real_tables, name, unitxt)


@pytest.mark.parametrize("name", [name for name in serializers.names() if serializers.get(name).lossless])
def test_real_tables_come_back(name: str, some_tables: list[Table]) -> None:
    serializer = serializers.get(name)
    assert all(
        serializer.parse(serializer.serialize(table)).texts_only == table.texts_only for table in some_tables
    )


@given(table=flat_tables(notes=False))
@settings(max_examples=40)
def test_any_flat_table(table: Table, unitxt: dict[str, Write]) -> None:
    # pandas 3 reads an absent text as NaN, and unitxt's bytes with it; ours are those of pandas 2
    columns = zip(*[[cell.raw for cell in row] for row in table.rows[1:]], strict=True)
    other = any(None in column and any(isinstance(value, str) for value in column) for column in columns)
    for name in NAMES:
        if name != "df" or not other:
            ours = serializers.get(f"torr.{name}").serialize(table)
            assert ours == quietly(unitxt[name], table.to_unitxt()), name


@pytest.mark.parametrize(
    "column",
    [
        [2**64, 0.5],
        [float("nan"), 1.0, -(2**63) - 1],
        [2**63, 0.5],
        [-1, 2**63, 0.5],
        [-1, 2**63 - 1, 0.5],
        [2**64, None],
        [2**63, None, 1],
        [2**64, 1],
    ],
)
def test_whole_numbers_beyond_64_bits(column: list[float | None], unitxt: dict[str, Write]) -> None:
    table = Table.flat(["a", "b"], [[value, "x"] for value in column])
    assert serializers.get("torr.df").serialize(table) == quietly(unitxt["df"], table.to_unitxt())


@pytest.mark.parametrize("name", NAMES)
def test_no_header_is_refused(name: str) -> None:
    table = Table(((Cell("a"), Cell("b")),), header_rows=0)
    with pytest.raises(
        SerializationError, match=rf"^torr\.{name}: the table has no header; expected a header row"
    ):
        serializers.get(f"torr.{name}").serialize(table)


@pytest.mark.parametrize("name", NAMES)
def test_a_header_that_is_no_text_is_refused(name: str) -> None:
    table = Table.flat(["a", 2019], [["x", "y"]])
    with pytest.raises(SerializationError, match=rf"^torr\.{name}: the header has 2019, expected text"):
        serializers.get(f"torr.{name}").serialize(table)


def test_merged_headers_become_paths() -> None:
    top = (Cell("y", 2), Cell("2019", 1, 2))
    table = Table((top, (Cell("m"), Cell("f")), tuple(map(Cell, "123"))), header_rows=2)
    assert (
        serializers.get("torr.markdown").serialize(table) == "|y|2019 / m|2019 / f|\n|---|---|---|\n|1|2|3|"
    )
