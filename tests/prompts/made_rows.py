"""Small made-up data in the schemas of data sets that no mirror at hand has, full of what trips parsers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

WORDS = ["north", "Løten", "a|b", 'say "yes"', "x, y", "(2004)", "1,024", "", "N", "tab\\N", "d\nnl", "<b>"]


def write_made_mirror(folder: Path, *, uneven: bool = False) -> None:
    """Write finqa, tablebench, qtsumm and turl_col_type as a mirror has them; FinQA's rows even or not."""
    chance = random.Random(5)
    _write(folder / "tablebench" / "test.parquet", list(_tablebench(chance, 150)))
    for split, count in (("train", 40), ("validation", 5), ("test", 25)):
        _write(
            folder / "finqa" / f"{split}.parquet", [_finqa(chance, split, at, uneven) for at in range(count)]
        )
        _write(folder / "qtsumm" / f"{split}.parquet", [_qtsumm(chance, split, at) for at in range(count)])
        _write(
            folder / "turl_col_type" / f"{split}.parquet", [_turl(chance, split, at) for at in range(count)]
        )


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)


def _grid(chance: random.Random, rows: int = 4) -> tuple[list[str], list[list[str]]]:
    width = chance.randint(2, 5)
    header = [f"{chance.choice(WORDS)} {at}" for at in range(width)]
    return header, [[chance.choice(WORDS) for _ in range(width)] for _ in range(chance.randint(1, rows))]


def _tablebench(chance: random.Random, count: int) -> Any:
    kinds = ["DataAnalysis", "FactChecking", "NumericalReasoning"]
    for at in range(count):
        header, body = _grid(chance)
        values: list[list[Any]] = [[chance.choice([each, 3, 2.5]) for each in row] for row in body]
        shown = {
            "id": f"t{at}",
            "qtype": kinds[at % 3],
            "qsubtype": "made",
            "table": json.dumps({"columns": header, "data": values}),
            "question": f"What of {at}? (all)",
            "answer": str(chance.choice([at, "a, b", "Yes"])),
            "answer_formatter": "Write it as {one} number." if at % 2 else "Write it in a word.",
            "instruction": "A long instruction.",
        }
        for kind in ("DP", "TCoT"):
            yield {**shown, "instruction_type": kind}


def _qtsumm(chance: random.Random, split: str, at: int) -> dict[str, Any]:
    header, body = _grid(chance)
    return {
        "example_id": f"{split}-{at}",
        "query": f"Say what there is in {at}",
        "summary": f"There is much (of {at}).",
        "row_ids": [0],
        "table": {"header": header, "rows": body, "table_id": f"{split}-{at // 2}", "title": f"Title {at}"},
    }


def _finqa(chance: random.Random, split: str, at: int, uneven: bool) -> dict[str, Any]:
    header, body = _grid(chance)
    if uneven and at % 3 == 1:
        body = [*body, body[0][:1]]
    return {
        "id": f"{split}/{at}.pdf-1",
        "pre_text": [f"Before {at} (in millions)", "more"],
        "post_text": [chance.choice(WORDS), "more"],
        "table": [header] if at % 11 == 10 else [header, *body],
        "question": f"By how much did it grow in {at}?",
        "program": f"subtract({at}, 1), divide(#0, 1)",
        "answer": f"{at}%",
        "exe_ans": float(at),
    }


def _turl(chance: random.Random, split: str, at: int) -> dict[str, Any]:
    header, body = _grid(chance, 6)
    body.append(body[0])
    cells = [
        [
            [[row, 0], [7, line[column]]]
            for row, line in enumerate([*body, body[0]])
            if row == 1 or line[column]
        ]
        for column in range(len(header))
    ]
    return {
        "table_id": f"{split}{at}",
        "page_title": f"Page {at}",
        "page_id": at,
        "section_title": chance.choice(WORDS),
        "table_caption": chance.choice(WORDS),
        "header": header,
        "cells": json.dumps(cells),
        "annotations": [["people.person", "sports.pro_athlete"][: 1 + at % 2] for _ in header],
    }
