"""Our rows as unitxt's own loaders would give them, where the two differ.

Most twins read the hub's columns, which ours are. WikiTQ's reads one file per row from the network, FinQA's
nested objects, TURL's lists of places: their rows are put together here from the mirror's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .rows import Row

Shape = Callable[[Sequence[Row]], "list[dict[str, Any]]"]


def loaded_rows(twin: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows of a split as the loader of unitxt's card ``twin`` would give them, one for each."""
    return _SHAPES.get(twin, _as_they_are)(rows)


def _as_they_are(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [dict(row) for row in rows]


def _tablebench(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """With tables as JSON text, and with the long instruction that the twin removes first of all."""
    return [{**row, "table": _json(row["table"]), "instruction": ""} for row in rows]


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _wikitq(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [
        {
            "utterance": row["question"],
            "targetValue": "|".join(map(_escaped, row["answers"])),
            "context": row["table"].get("name") or "",
            "table_content": _tsv(row["table"]),
        }
        for row in rows
    ]


def _tsv(table: Mapping[str, Any]) -> str:
    r"""The table as the data set's repository has it: cells between tabs, with ``\n``, ``\p`` and ``\\``."""
    lines = ["\t".join(map(_escaped, line)) for line in [table["header"], *table["rows"]]]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("|", "\\p").replace("\t", " ")


def _turl(rows: Sequence[Row]) -> list[dict[str, Any]]:
    from unitxt.loaders import TURLColumnTypeAnnotationLoader

    tables: dict[tuple[str, str], Any] = {}
    made = []
    for row in rows:
        known = (row["cells"], str(row["header"]))
        if known not in tables:
            places = [None] * 5 + [list(row["header"]), json.loads(row["cells"])]
            tables[known] = TURLColumnTypeAnnotationLoader._load_table(places)
        made.append(
            {
                "page_title": row["page_title"],
                "section_title": row["section_title"],
                "table_caption": row["table_caption"],
                "table": tables[known],
                "colname": row["column_name"],
                "annotations": row["column_types"],
            }
        )
    return made


def _finqa(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [{**row, "qa": {name: row[name] for name in ("question", "program", "answer")}} for row in rows]


_SHAPES: dict[str, Shape] = {
    "cards.fin_qa": _finqa,
    "cards.wikitq": _wikitq,
    "cards.turl_col_type": _turl,
    "cards.tablebench_data_analysis": _tablebench,
    "cards.tablebench_fact_checking": _tablebench,
    "cards.tablebench_numerical_reasoning": _tablebench,
}
