"""Before a release: a million round trips, and every table of three real collections in every format."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pandas as pd
import pytest

from tests.timing import quickly
from torr_plugin.tables import Cell, SerializationError, Table, readers, serializers
from torr_plugin.tables.workbooks import read_workbook

from .test_round_trip import LOSSLESS

pytestmark = pytest.mark.release

ROUND_TRIPS, PARTS = 1_000_000, 20
MINUTES = 20  # of CPU for all round trips

# what some format has a meaning for, and what people write
PIECES = (
    *(
        "a",
        "b",
        "Sophia",
        "Zürich",
        "日本",
        "😀",
        "0",
        "7",
        "012",
        "-3.5",
        "1,234",
        "1e3",
        "50%",
        "no",
        "null",
    ),
    *(" ", "  ", "\t", "\n", "\r", "\r\n", "\u00a0", "\u2028", "\x0b", "\x1f", "\x7f", "\ufeff", "\ufffe"),
    *(
        ",",
        ";",
        ":",
        "|",
        "#",
        "# ",
        '"',
        "'",
        "`",
        "\\",
        "\\n",
        "/",
        "&",
        "&amp;",
        "&#10;",
        "<",
        ">",
        "<br>",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        "- ",
        "---",
        "*",
        "_",
        "~",
        "!",
        "?",
        "=",
        "@",
        "$",
        "%",
        "^",
        "</td>",
        "-->",
        "...",
    ),
)


def a_text(random: Random) -> str:
    return "".join(random.choices(PIECES, k=random.choice((0, 1, 1, 1, 2, 3, 5))))


def a_table(random: Random) -> Table:
    """A table of up to 5 x 4 places, most with merged cells, with headers of any depth, title and notes."""
    height, width = random.randint(1, 5), random.randint(1, 4)
    free = {(r, c) for r in range(height) for c in range(width)}
    merges = random.random() < 2 / 3
    rows: list[list[Cell]] = [[] for _ in range(height)]
    for r in range(height):
        for c in range(width):
            if (r, c) not in free:
                continue
            tall = random.randint(1, height - r) if merges and random.random() < 0.2 else 1
            wide = random.randint(1, width - c) if merges and random.random() < 0.2 else 1
            while any((r, c + step) not in free for step in range(wide)):
                wide -= 1
            free -= {(r + down, c + right) for down in range(tall) for right in range(wide)}
            rows[r].append(Cell(a_text(random), tall, wide))
    return Table(
        tuple(map(tuple, rows)),
        header_rows=random.randint(0, min(height - 1, 3)),
        header_columns=random.randint(0, min(width - 1, 2)),
        title=a_text(random) if random.random() < 0.3 else "",
        notes=tuple([a_text(random) for _ in range(random.choice((0, 0, 0, 1, 2)))]),
    )


@pytest.mark.parametrize("part", range(PARTS))
def test_a_million_round_trips(part: int) -> None:
    """So many tables that all lossless formats together write and read a million."""
    random = Random(part)
    count = -(-ROUND_TRIPS // (PARTS * len(LOSSLESS)))

    def round_trips() -> None:
        for _ in range(count):
            table = a_table(random)
            for name in LOSSLESS:
                serializer = serializers.get(name)
                text = serializer.serialize(table)
                assert serializer.parse(text) == table, (name, text)

    quickly(round_trips, within=MINUTES * 60 / PARTS)


@cache
def collection(name: str, data: Path) -> list[Table]:
    """The tables of WikiTQ's or HiTab's test questions, each once, or of the workbooks of TableEval."""
    if name == "workbooks":
        return list(_workbooks(data / "tableeval_xlsx.zip"))
    frame = pd.read_parquet(data / name / "test.parquet")
    if name == "hitab":
        return [readers.get("hitab")(content) for content in frame["table_content"].unique()]
    found = {table["name"]: table for table in frame["table"]}.values()
    return [readers.get("columns")(table["header"], list(table["rows"])) for table in found]


def _workbooks(path: Path) -> Iterator[Table]:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            yield from [each.table for each in read_workbook(archive.read(name))]


@pytest.mark.parametrize(("name", "tables"), [("wikitq", 421), ("hitab", 498), ("workbooks", 620)])
def test_every_table_in_every_format(name: str, tables: int, shared_data: Path) -> None:
    found = collection(name, shared_data)
    assert len(found) == tables
    refusals = []
    for format_name in serializers.text_names():
        serializer = serializers.get(format_name)
        for table in found:
            try:
                text = serializer.serialize(table)
            except SerializationError as refusal:
                refusals.append(str(refusal))
                continue
            if serializer.lossless:
                assert serializer.parse(text).texts_only == table.texts_only, format_name
    # as unitxt, which takes texts alone in a header
    assert [
        each for each in refusals if not (each.startswith("torr.") and "expected text in every" in each)
    ] == []
    assert len(refusals) <= 7
