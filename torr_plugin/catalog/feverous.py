"""FEVEROUS as a mirror: claims with the texts and the table of their evidence, out of the published database.

In: the published claims (JSON lines) and the database of Wikipedia's pages (SQLite). Out: a Parquet file for
the card ``feverous``, a row a claim. The hub has the claims alone, whose evidence is ids of elements.
"""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..core.atomic_files import atomic_path
from ..core.errors import DataError, InputError, TableError
from ..tables.readers.spanned import spanned

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
_CELL = pa.struct(
    [
        ("column_span", pa.int32()),
        ("is_header", pa.bool_()),
        ("row_span", pa.int32()),
        ("value", pa.string()),
    ]
)
SCHEMA = pa.schema(
    [
        *(
            (name, pa.string())
            for name in ("id", "claim", "label", "challenge", "table_id", "source", "caption")
        ),
        ("table", pa.list_(pa.list_(_CELL))),
        ("texts", pa.list_(pa.string())),
        ("shown", pa.list_(pa.string())),
        ("evidence", pa.list_(pa.list_(pa.string()))),
    ]
)
"""The columns: ``table`` is nested as ToTTo's; ``source`` has its page and sections, and ``table_id`` its id;
``texts`` are sentences and items of lists, each after its page and sections; ``shown`` has the ids of the
evidence set that these are of, ``evidence`` those of all sets."""

_ELEMENT = re.compile(
    r"(?P<page>.+)_(?P<kind>header_cell|cell|item|table_caption|sentence|section|title)(?:_(?P<place>[\d_]+))?",
    re.S,
)
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]]*)\]\]")
_AT_ONCE = 500
_IN_TABLES = ("cell", "header_cell", "table_caption")

NO_TABLE = "no evidence set has a table"
SEVERAL_TABLES = "every evidence set with a table has several"
NO_PAGE = "a page, or an element of one, is not in the database"
BAD_TABLE = "a table of the evidence cannot be"
NO_LABEL = "no claim or label"


@dataclass(frozen=True)
class FeverousCounts:
    """How many claims were written, and how many were left out for each reason."""

    written: int
    left_out: Mapping[str, int]


def write_feverous(claims: Path, pages: Path, to: Path) -> FeverousCounts:
    """Write the file of a mirror that the card ``feverous`` reads.

    A claim is shown the first of its evidence sets that has cells, or the caption, of one table: that table
    whole, and the sentences and items of lists that the set names, each after the title of its page and the
    headings above it. Links in texts become words. Claims without such a set are left out.

    Args:
        claims: ``feverous_dev_challenges.jsonl``, say.
        pages: ``feverous_wikiv1.db``.
        to: the file to make.

    Raises:
        InputError: a file that cannot be read or written, a line that is no claim, or no claim to write.
    """
    try:
        with closing(_opened(pages)) as database:
            database.execute("SELECT id, data FROM wiki LIMIT 1").fetchone()
            next(_claims(claims), None)  # what is wrong from the start leaves no folder behind
            to.parent.mkdir(parents=True, exist_ok=True)
            with atomic_path(to) as temporary:
                counts = _written(claims, database, temporary)
                if counts.written:
                    return counts
                why = "; ".join(f"{number}: {reason}" for reason, number in counts.left_out.items())
                raise DataError(f"{claims}: no claim can be shown with evidence ({why or 'it is empty'})")
    except sqlite3.Error as error:
        raise InputError(
            f"{pages}: cannot be read as the database of pages ({error}); expected SQLite with a table "
            "'wiki' of 'id' and 'data'"
        ) from None
    except OSError as error:
        raise InputError(f"{error.filename or to}: {error.strerror or error}") from error


def _written(claims: Path, database: sqlite3.Connection, to: Path) -> FeverousCounts:
    left_out: Counter[str] = Counter()
    written, rows = 0, list[dict[str, Any]]()
    with pq.ParquetWriter(to, SCHEMA) as writer:
        for claim in _claims(claims):
            row = _row(claim, database)
            if isinstance(row, str):
                left_out[row] += 1
                continue
            rows.append(row)
            written += 1
            if len(rows) == _AT_ONCE:
                writer.write_table(pa.Table.from_pylist(rows, SCHEMA))
                rows.clear()
        writer.write_table(pa.Table.from_pylist(rows, SCHEMA))
    return FeverousCounts(written, dict(left_out.most_common()))


def _opened(pages: Path) -> sqlite3.Connection:
    if not pages.is_file():
        raise InputError(f"{pages}: no such file; expected the database of pages, feverous_wikiv1.db")
    return sqlite3.connect(f"{pages.resolve().as_uri()}?mode=ro", uri=True)


def _claims(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    claim = json.loads(line)
                except (ValueError, RecursionError):
                    raise InputError(f"{path}: line {number} is no JSON: {line[:40]!r}") from None
                if not isinstance(claim, dict) or not {"id", "claim", "label", "evidence"} <= claim.keys():
                    raise InputError(
                        f"{path}: line {number} is {line[:40]!r}; "
                        "expected an object with id, claim, label, evidence"
                    )
                if not _are_sets(claim["evidence"]):
                    raise InputError(
                        f"{path}: line {number}: evidence is {str(claim['evidence'])[:40]!r}; "
                        "expected a list of objects with 'content', a list of ids"
                    )
                yield claim
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: cannot be read: not UTF-8 (byte {error.start})") from None


def _are_sets(evidence: object) -> bool:
    return isinstance(evidence, list) and all(
        isinstance(each, dict) and isinstance(each.get("content"), list) for each in evidence
    )


def _row(claim: Mapping[str, Any], database: sqlite3.Connection) -> dict[str, Any] | str:
    """The row of a claim, or why it has none (the published file begins with an empty one)."""
    if not claim["claim"] or claim["label"] not in LABELS:
        return NO_LABEL
    sets = [list(map(str, each["content"])) for each in claim["evidence"]]
    tables = [{_table_of(element) for element in each} - {None} for each in sets]
    shown = next((each for each, own in zip(sets, tables, strict=True) if len(own) == 1), None)
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


def _page(database: sqlite3.Connection, name: str) -> Mapping[str, Any]:
    for spelling in dict.fromkeys((name, unicodedata.normalize("NFD", name).strip())):
        found = database.execute("SELECT data FROM wiki WHERE id = ?", (spelling,)).fetchone()
        if found is not None:
            page: Mapping[str, Any] = json.loads(found[0])
            return page
    raise KeyError(name)


def _table_of(element: str) -> str | None:
    """The table, ``Page_table_0``, of a cell, a header cell or a caption; of no other element."""
    match = _ELEMENT.fullmatch(element)
    if match is None or match["kind"] not in _IN_TABLES:
        return None
    return f"{match['page']}_table_{(match['place'] or '').split('_')[0]}"


def gold_evidence(shown: Sequence[str], page_of: Callable[[str], Mapping[str, Any]]) -> dict[str, Any]:
    """The table and the texts of an evidence set, as the columns of :data:`SCHEMA` have them.

    Args:
        shown: ids of elements, ``Page_sentence_0``, ``Page_cell_0_4_1``, of one table.
        page_of: gives the page of a name: ``order``, and under the names in it sentences (texts), sections
            (``value``, ``level``), lists and tables.

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


def _headings(page: Mapping[str, Any], place: str) -> list[str]:
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
