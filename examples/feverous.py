"""Make a split of the card ``feverous``: claims with the texts and the table of their evidence.

The hub has FEVEROUS's claims alone (Aly et al., NeurIPS Datasets and Benchmarks 2021), whose evidence is ids
of elements of pages. With the claims and the database of pages from https://fever.ai/dataset/feverous.html:

    python examples/feverous.py feverous_dev_challenges.jsonl feverous_wikiv1.db validation.parquet
    python examples/feverous.py feverous_train_challenges.jsonl feverous_wikiv1.db train.parquet

makes the two files of a mirror's folder ``feverous``. A claim is shown the first of its evidence sets that
has cells, or the caption, of one table: that table whole, and the sentences and items of lists that the set
names, each after the title of its page and the headings above it. Links in texts become words. Claims without
such a set are left out, and counted.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from torr_plugin.core.errors import TableError
from torr_plugin.tables.readers.spanned import spanned

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
NO_TABLE = "no evidence set has a table"
SEVERAL_TABLES = "every evidence set with a table has several"
NO_PAGE = "a page, or an element of one, is not in the database"
BAD_TABLE = "a table of the evidence cannot be"
NO_LABEL = "no claim or label"

_CELL = {"column_span": pa.int32(), "is_header": pa.bool_(), "row_span": pa.int32(), "value": pa.string()}
_TEXTS = ("id", "claim", "label", "challenge", "table_id", "source", "caption")
# `table` is nested as ToTTo's; `source` has its page and sections, `table_id` its id; `shown` has the ids of
# the evidence set that table and texts are of, `evidence` those of all sets
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in _TEXTS),
        ("table", pa.list_(pa.list_(pa.struct(_CELL.items())))),
        ("texts", pa.list_(pa.string())),
        ("shown", pa.list_(pa.string())),
        ("evidence", pa.list_(pa.list_(pa.string()))),
    ]
)

_ELEMENT = re.compile(
    r"(?P<page>.+)_(?P<kind>header_cell|cell|item|table_caption|sentence|section|title)(?:_(?P<place>[\d_]+))?",
    re.S,
)
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]]*)\]\]")
_IN_TABLES = ("cell", "header_cell", "table_caption")

Page = Mapping[str, Any]
"""``order``, and under its names sentences (texts), sections (``value``, ``level``), lists and tables."""


def write_feverous(claims: Path, pages: Path, to: Path) -> Counter[str]:
    """Write the file of a mirror that the card ``feverous`` reads.

    Args:
        claims: ``feverous_dev_challenges.jsonl``, say.
        pages: ``feverous_wikiv1.db``: SQLite with a table ``wiki`` of ``id`` and ``data``.
        to: the Parquet file.

    Returns:
        How many claims were left out, by reason.
    """
    left_out: Counter[str] = Counter()
    with closing(sqlite3.connect(f"{pages.resolve().as_uri()}?mode=ro", uri=True)) as database:
        database.execute("SELECT id, data FROM wiki LIMIT 1").fetchone()
        rows = _rows(claims, database, left_out)
        to.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(to, SCHEMA) as writer:
            while some := list(islice(rows, 500)):  # all of them do not fit into memory
                writer.write_table(pa.Table.from_pylist(some, SCHEMA))
    return left_out


def _rows(claims: Path, database: sqlite3.Connection, left_out: Counter[str]) -> Iterator[dict[str, Any]]:
    with claims.open(encoding="utf-8") as lines:
        for line in lines:
            row = _row(json.loads(line), database)
            if isinstance(row, str):
                left_out[row] += 1
            else:
                yield row


def _row(claim: Mapping[str, Any], database: sqlite3.Connection) -> dict[str, Any] | str:
    """The row of a claim, or why it has none (the published file begins with an empty one)."""
    if not claim["claim"] or claim["label"] not in LABELS:
        return NO_LABEL
    sets = [list(map(str, each["content"])) for each in claim["evidence"]]
    tables = [{_table_of(element) for element in each} - {None} for each in sets]
    shown = next((each for each, of_it in zip(sets, tables, strict=True) if len(of_it) == 1), None)
    if shown is None:
        return SEVERAL_TABLES if any(tables) else NO_TABLE
    try:
        found = gold_evidence(shown, lru_cache(maxsize=None)(lambda page: _page(database, page)))
        spanned(found["table"])
    except TableError:
        return BAD_TABLE
    except (KeyError, TypeError, ValueError, AttributeError):
        return NO_PAGE
    return {
        "id": str(claim["id"]),
        "claim": str(claim["claim"]),
        "label": claim["label"],
        "challenge": str(claim.get("challenge") or ""),
        **found,
        "shown": shown,
        "evidence": sets,
    }


def _page(database: sqlite3.Connection, name: str) -> Page:
    for spelling in dict.fromkeys((name, unicodedata.normalize("NFD", name).strip())):
        found = database.execute("SELECT data FROM wiki WHERE id = ?", (spelling,)).fetchone()
        if found is not None:
            return json.loads(found[0])
    raise KeyError(name)


def _table_of(element: str) -> str | None:
    """The table, ``Page_table_0``, of a cell, a header cell or a caption; of no other element."""
    match = _ELEMENT.fullmatch(element)
    if match is None or match["kind"] not in _IN_TABLES:
        return None
    return f"{match['page']}_table_{(match['place'] or '').split('_')[0]}"


def gold_evidence(shown: Sequence[str], page_of: Callable[[str], Page]) -> dict[str, Any]:
    """The table and the texts of an evidence set, as the columns of :data:`SCHEMA` have them.

    Args:
        shown: ids of elements, ``Page_sentence_0``, ``Page_cell_0_4_1``, of one table.
        page_of: gives the page of a name.

    Raises:
        KeyError: no such page, or the page lacks an element.
        TableError: the table has a cell without ``value``, ``is_header``, ``row_span`` or ``column_span``.
    """
    found: dict[str, Any] = {"texts": []}
    for element in dict.fromkeys(shown):
        match = _ELEMENT.fullmatch(element)
        if match is None:
            raise KeyError(element)
        kind, place, page = match["kind"], match["place"] or "", page_of(match["page"])
        if kind == "title":
            continue
        number = place.split("_")[0]
        holder = f"{'table' if kind in _IN_TABLES else 'list' if kind == 'item' else kind}_{number}"
        source = ", ".join([_plain(match["page"]), *_headings(page, holder)])
        content = page[holder]
        if kind == "sentence":
            found["texts"].append(f"- {source}: {_plain(content)}")
        elif kind == "item":
            values = {each["id"]: each["value"] for each in content["list"]}
            found["texts"].append(f"- {source}: {_plain(values[f'item_{place}'])}")
        elif kind in _IN_TABLES and "table" not in found:
            rows = [[_cell(cell) for cell in row] for row in content["table"]]
            found |= {"table_id": _table_of(element), "source": source, "table": rows}
            found["caption"] = _plain(content.get("caption") or "")
    found["texts"] = found["texts"] or ["none"]
    return found


def _cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {
            "column_span": int(cell["column_span"]),
            "is_header": bool(cell["is_header"]),
            "row_span": int(cell["row_span"]),
            "value": _plain(cell["value"]),
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TableError(f"no cell: {str(cell)[:60]!r} ({error})") from None


def _headings(page: Page, place: str) -> list[str]:
    """The headings of the sections that hold an element, from the outermost."""
    above: list[tuple[int, str]] = []
    for name in page["order"]:
        if name == place:
            return [heading for _, heading in above]
        if name.startswith("section_"):
            level = int(page[name].get("level") or 1)
            outer = [each for each in above if each[0] < level]
            above = [*outer, (level, _plain(page[name]["value"]))]
    raise KeyError(place)


def _plain(text: str) -> str:
    """A text with the words of its links in their place."""
    return _LINK.sub(r"\1", text).strip()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: feverous.py CLAIMS.jsonl PAGES.db TO.parquet")
    try:
        left_out = write_feverous(*map(Path, sys.argv[1:]))
    except (OSError, ValueError, KeyError, sqlite3.Error) as error:
        sys.exit(f"feverous.py: {type(error).__name__}: {error}")
    print(f"{sys.argv[3]}: {pq.read_metadata(sys.argv[3]).num_rows:,} claims")  # noqa: T201
    for reason, number in left_out.most_common():
        print(f"left out: {number:,} ({reason})")  # noqa: T201
