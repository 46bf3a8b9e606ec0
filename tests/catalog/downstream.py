"""A mirror of the downstream tasks of "Table Meets LLM", nested as on the hub; words of our own."""

from __future__ import annotations

import json
import runpy
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

FEVEROUS = Path(__file__).resolve().parents[2] / "examples" / "feverous.py"
write_feverous = runpy.run_path(str(FEVEROUS))["write_feverous"]

TEXT, NUMBER = pa.string(), pa.int32()

HYBRID_QA_SCHEMA = pa.schema(
    [
        ("question_id", TEXT),
        ("question", TEXT),
        ("table_id", TEXT),
        ("answer_text", TEXT),
        ("question_postag", TEXT),
        (
            "table",
            pa.struct(
                [
                    ("url", TEXT),
                    ("title", TEXT),
                    ("header", pa.list_(TEXT)),
                    (
                        "data",
                        pa.list_(
                            pa.struct(
                                [
                                    ("value", TEXT),
                                    ("urls", pa.list_(pa.struct([("url", TEXT), ("summary", TEXT)]))),
                                ]
                            )
                        ),
                    ),
                    ("section_title", TEXT),
                    ("section_text", TEXT),
                    ("uid", TEXT),
                    ("intro", TEXT),
                ]
            ),
        ),
    ]
)
SQA_SCHEMA = pa.schema(
    [
        ("id", TEXT),
        ("annotator", NUMBER),
        ("position", NUMBER),
        ("question", TEXT),
        ("question_and_history", pa.list_(TEXT)),
        ("table_file", TEXT),
        ("table_header", pa.list_(TEXT)),
        ("table_data", pa.list_(pa.list_(TEXT))),
        (
            "answer_coordinates",
            pa.struct([("row_index", pa.list_(NUMBER)), ("column_index", pa.list_(NUMBER))]),
        ),
        ("answer_text", pa.list_(TEXT)),
    ]
)
_SPANNED = pa.struct(
    [("column_span", NUMBER), ("is_header", pa.bool_()), ("row_span", NUMBER), ("value", TEXT)]
)
_SENTENCES = ("original_sentence", "sentence_after_deletion", "sentence_after_ambiguity", "final_sentence")
TOTTO_SCHEMA = pa.schema(
    [
        ("id", NUMBER),
        ("table_page_title", TEXT),
        ("table_webpage_url", TEXT),
        ("table_section_title", TEXT),
        ("table_section_text", TEXT),
        ("table", pa.list_(pa.list_(_SPANNED))),
        ("highlighted_cells", pa.list_(pa.list_(NUMBER))),
        ("example_id", TEXT),
        ("sentence_annotations", pa.struct([(name, pa.list_(TEXT)) for name in _SENTENCES])),
        ("overlap_subset", TEXT),
    ]
)

TERN = "Tern is a ferry of the bay. It was built in Ostmouth in 1921."
GULL = "Gull is a ferry of the lake, and the oldest of all."


def linked(value: str, *links: tuple[str, str]) -> dict[str, Any]:
    return {"value": value, "urls": [{"url": url, "summary": summary} for url, summary in links]}


def hybrid_qa(number: int, question: str = "Where was the boat with 12 seats built?") -> dict[str, Any]:
    cells = [
        linked("Tern", ("/wiki/Tern", TERN)),
        linked("12"),
        linked("Gull", ("/wiki/Gull", GULL), ("/wiki/Tern", TERN)),
        linked("7"),
    ]
    return {
        "question_id": f"h{number}",
        "question": question,
        "table_id": "Boats_0",
        "answer_text": "Ostmouth",
        "question_postag": "WRB",
        "table": {
            "url": "https://en.wikipedia.org/wiki/Boats",
            "title": "Boats of the bay",
            "header": ["Boat", "Seats"],
            "data": cells,
            "section_title": "",
            "section_text": "",
            "uid": "Boats_0",
            "intro": "",
        },
    }


def sqa(annotator: int, position: int, question: str, answers: list[str]) -> dict[str, Any]:
    return {
        "id": "nt-1",
        "annotator": annotator,
        "position": position,
        "question": question,
        "question_and_history": [question],
        "table_file": "table_csv/203_1.csv",
        "table_header": ["Boat", "Seats", "Seats.1", "Unnamed: 3"],
        "table_data": [
            ["Tern", "12.0", "1", "nan"],
            ["Gull", "7.0", "nan", "old"],
            ["Auk", "7.0", "3", "nan"],
        ],
        "answer_coordinates": {"row_index": [0] * len(answers), "column_index": [0] * len(answers)},
        "answer_text": answers,
    }


SQA = [
    sqa(0, 2, "of these, which comes first in the alphabet?", ["Auk"]),  # not in order in the file
    sqa(0, 0, "which boats are there?", ["Tern", "Gull", "Auk"]),
    sqa(0, 1, "which of them have 7 seats?", ["Gull", "Auk"]),
    sqa(1, 0, "what are their seats?", ["12", "7", "7"]),
]


def cell(value: str, *, head: bool = False, rows: int = 1, columns: int = 1) -> dict[str, Any]:
    return {"column_span": columns, "is_header": head, "row_span": rows, "value": value}


FILMS = [
    [cell("Year", head=True, rows=2), cell("Film", head=True, columns=2)],
    [cell("Title", head=True), cell("Part", head=True)],
    [cell("1996", rows=2), cell("Emma"), cell("Miss Taylor")],
    [cell("Jude"), cell("Sue")],
    [cell("1997", rows=9), cell("Lamb")],  # a span beyond the table, and a row that is short
]


def totto(number: int, highlighted: list[list[int]], sentences: list[str]) -> dict[str, Any]:
    return {
        "id": number,
        "table_page_title": "Ada Rowe",
        "table_webpage_url": f"http://en.wikipedia.org/wiki/Ada_Rowe_{number}",
        "table_section_title": "Film",
        "table_section_text": "",
        "table": FILMS,
        "highlighted_cells": highlighted,
        "example_id": str(7_000_000_000_000_000_000 + number),
        "sentence_annotations": dict.fromkeys(_SENTENCES, sentences),
        "overlap_subset": "True" if number % 2 else "False",
    }


TOTTO = [
    totto(
        1,
        [[2, 1], [2, 2], [3, 0]],
        ["Ada Rowe played Miss Taylor in Emma.", "Rowe was Miss Taylor in Emma, then Sue in Jude."],
    ),
    totto(2, [[2, 0]], ["Her first film came out in 1996."]),
]

PAGES: Mapping[str, Mapping[str, Any]] = {
    "Ada Rowe": {
        "title": "Ada Rowe",
        "order": ["sentence_0", "section_0", "section_1", "table_0", "sentence_1", "list_0"],
        "sentence_0": "Ada Rowe is an [[Actor|actress]] from [[Ostmouth]].",
        "section_0": {"value": "Work", "level": 2},
        "section_1": {"value": "Films", "level": 3},
        "table_0": {
            "type": "table",
            "caption": "Films with [[Ada Rowe]]",
            "table": [
                [{**each, "id": f"cell_0_{r}_{c}"} for c, each in enumerate(row)]
                for r, row in enumerate(FILMS)
            ],
        },
        "sentence_1": "She gave up films in 1999.",
        "list_0": {
            "type": "unordered_list",
            "list": [
                {"id": "item_0_0", "value": "Best newcomer, 1996", "level": 0},
                {"id": "item_0_1", "value": "Order of the [[Bay]], 2004", "level": 0},
            ],
        },
    },
    "Ostmouth": {
        "title": "Ostmouth",
        "order": ["sentence_0", "table_0"],
        "sentence_0": "Ostmouth is a port.",
        "table_0": {
            "type": "infobox",
            "table": [
                [{**cell("Country", head=True), "id": "cell_0_0_0"}, {**cell("Ferland"), "id": "cell_0_0_1"}],
                [{**cell("People", head=True), "id": "cell_0_1_0"}, {**cell("1,205"), "id": "cell_0_1_1"}],
            ],
        },
    },
}


def claim(number: int, label: str, *sets: list[str], text: str = "") -> dict[str, Any]:
    return {
        "id": number,
        "claim": text or f"Ada Rowe played in {number} films.",
        "label": label,
        "evidence": [
            {"content": each, "context": {name: ["Ada Rowe_title"] for name in each}} for each in sets
        ],
        "annotator_operations": [{"operation": "start", "value": "start", "time": 0.0}],
        "expected_challenge": "Other",
        "challenge": "Numerical Reasoning",
    }


CLAIMS = [
    {"id": "", "claim": "", "label": "", "evidence": [], "challenge": ""},
    claim(1, "SUPPORTS", ["Ada Rowe_sentence_0"], ["Ada Rowe_cell_0_2_1", "Ada Rowe_sentence_0"]),
    claim(2, "REFUTES", ["Ostmouth_cell_0_1_1", "Ada Rowe_item_0_1", "Ada Rowe_sentence_0"]),
    claim(3, "NOT ENOUGH INFO", ["Ostmouth_cell_0_0_1"]),
    claim(4, "SUPPORTS", ["Ada Rowe_sentence_1"]),
    claim(6, "SUPPORTS", ["Ada Rowe_cell_0_2_1", "Ostmouth_cell_0_0_1"]),
    claim(5, "SUPPORTS", ["Nobody_cell_0_0_0"]),
]


def write_pages(path: Path, pages: Mapping[str, Mapping[str, Any]] = PAGES) -> Path:
    """The published database: table ``wiki``, a page's name and its JSON."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE wiki (id TEXT PRIMARY KEY, data json)")
        database.executemany(
            "INSERT INTO wiki VALUES (?, ?)", [(name, json.dumps(page)) for name, page in pages.items()]
        )
    return path


def write_claims(path: Path, claims: Sequence[Mapping[str, Any]] = CLAIMS) -> Path:
    """The published claims, a line each."""
    path.write_text("".join(json.dumps(each) + "\n" for each in claims), encoding="utf-8")
    return path


def write(
    folder: Path, name: str, splits: Sequence[str], rows: Sequence[Mapping[str, Any]], schema: pa.Schema
) -> None:
    """A data set's files of a mirror."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    for split in splits:
        pq.write_table(pa.Table.from_pylist(list(rows), schema), folder / name / f"{split}.parquet")


def elsewhere(rows: Any) -> Any:
    """The same rows about other tables and pages, for demonstrations."""
    text = json.dumps(rows)
    for old, new in {
        "Boats_0": "Ferries_0",
        "203_1": "203_2",
        "Ada Rowe": "Bo Lund",
        "Ada_Rowe": "Bo_Lund",
    }.items():
        text = text.replace(old, new)
    return json.loads(text.replace("Ostmouth_", "Westmouth_").replace('"Ostmouth"', '"Westmouth"'))


def write_all(folder: Path) -> Path:
    """A mirror of the four data sets; train is about tables of its own."""
    asked = [hybrid_qa(1), hybrid_qa(2, "Which boat is older?")]
    for name, test, rows, schema in [
        ("hybrid_qa", "validation", asked, HYBRID_QA_SCHEMA),
        ("sqa", "test", SQA, SQA_SCHEMA),
        ("totto", "validation", TOTTO, TOTTO_SCHEMA),
    ]:
        write(folder, name, (test,), rows, schema)
        write(folder, name, ("train",), elsewhere(rows), schema)
    for split, claims, pages in [
        ("validation", CLAIMS, PAGES),
        ("train", elsewhere(CLAIMS), elsewhere(PAGES)),
    ]:
        database = write_pages(folder / f"{split}.db", pages)
        published = write_claims(folder / f"{split}.jsonl", claims)
        write_feverous(published, database, folder / "feverous" / f"{split}.parquet")
    return folder
