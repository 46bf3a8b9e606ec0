"""A small mirror made on the spot, in the hub versions' schemas; words and numbers of our own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Rows = Sequence[Mapping[str, Any]]

WIDE = {"header": ["a", "b"], "rows": [["1", "2"]] * 101, "name": "t/wide.csv"}
SMALL = {"header": ["Boat", "Seats"], "rows": [["Tern", "12"], ["Gull", "7"]], "name": "t/small.csv"}

WIKITQ: Rows = [
    {"id": "q-1", "question": "which boat has more seats?", "answers": ["Tern"], "table": SMALL},
    {"id": "q-2", "question": "which boats are there?", "answers": ["Tern", "Gull"], "table": SMALL},
    {"id": "q-3", "question": "how many rows?", "answers": ["101"], "table": WIDE},
]
TAB_FACT: Rows = [
    {
        "id": number,
        "table_id": "boats.csv",
        "table_text": "boat#seats\ntern#12\ngull#7\n",
        "table_caption": "boats of the bay",
        "statement": statement,
        "label": label,
    }
    for number, (statement, label) in enumerate(
        [("tern have 12 seat", 1), ("gull have more seat than tern", 0)]
    )
]
SCIGEN: Rows = [
    {
        "paper_id": "1",
        "table_caption": "Table 1: Accuracy.",
        "table_column_names": "['Model', 'Acc']",
        "table_content_values": content,
        "text": "The large model is better.",
    }
    for content in ("[]", "[['small', '71.0'], ['[BOLD] large', '83.5']]")
]
NUMERIC_NLG: Rows = [
    {
        "table_id_paper": "P1table_2",
        "caption": "Scores.",
        "table_html_clean": "<table><thead><tr><th></th><th>F1</th></tr></thead>"
        "<tbody><tr><td>ours</td><td>0.8</td></tr></tbody></table>",
        "description": "Ours gets 0.8.",
    }
]
HCTQA: Rows = [
    {
        "dataset_type": kind,
        "table_id": f"psa--{number}",
        "question_id": f"psa--{number}--M0",
        "table_csv_format": ",0,1,2\n0,Port,2020,__\n1,__,In,Out\n2,North,1,2\n3,South,3,4\n",
        "question": "What went in and out of the port North in 2020?",
        "answer": "{1 | 2}",
        "table_properties": '{"Multi Level Column": true, "Row Nesting": ""}',
        "question_properties": '{"Aggregation": false, "Rank Report Top": "2"}',
        "prompt": "[{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'In and out?'}]",
    }
    for number, kind in enumerate(["realWorldHCTs", "syntheticHCTs"])
]

HCTQA_MADE: Rows = [
    {
        "dataset_type": "syntheticHCTs",
        "table_id": "Boats_set1_2",
        "question_id": f"Boats_set1_2--{number}",
        "question_template": f"template {number}",
        "table_html": "<table><tr><th>&nbsp;</th><th>In</th><th>Out</th></tr>"
        "<tr><th>North</th><td>1</td><td>2</td></tr></table>",
        "question": question,
        "answer": answer,
    }
    for number, question, answer in [(1, "What went in?", "{1}"), (3, "What went in and out?", "{1} || {2}")]
]

TABLEBENCH: Rows = [
    {
        "id": f"{qtype}-{number}-{kind}",
        "qtype": qtype,
        "qsubtype": "Counting",
        "instruction_type": kind,
        "table": json.dumps({"columns": ["Boat", "Seats"], "data": [["Tern", number], ["Gull", None]]}),
        "question": f"How many seats has boat {number}?",
        "answer": str(number),
        "answer_formatter": "Write the number as digits.",
        "instruction": "You are asked about boats.",
    }
    for number in range(12)
    for kind in ("DP", "TCoT")
    for qtype in ("DataAnalysis", "FactChecking", "NumericalReasoning")
]
QTSUMM: Rows = [
    {
        "table": {**{key: SMALL[key] for key in ("header", "rows")}, "table_id": "t-1", "title": "Boats"},
        "summary": f"The Tern has 12 seats, the Gull 7 ({number}).",
        "row_ids": [0, 1],
        "example_id": f"e-{number}",
        "query": "How do the boats compare?",
    }
    for number in range(3)
]
TURL: Rows = [
    {
        "table_id": "7-1",
        "page_title": "Boats of the bay",
        "section_title": "Crews",
        "table_caption": "",
        "header": ["Boat", "Captain"],
        "cells": json.dumps(
            [
                [[[0, 0], [11, "Tern"]], [[3, 0], [12, "Gull"]]],
                [[[0, 1], [13, "Ada"]], [[0, 1], [14, "Bo"]], [[2, 1], [15, "Cy"]]],
            ]
        ),
        "annotations": [["boats.ship"], ["people.person", "sports.pro_athlete"]],
    }
]

FINQA_TABLE = [["", "2020", "2019"], ["boats sold", "$ 1,250", "1,000"], ["staff", "12", "9 ( a )"]]
FINQA: Rows = [
    {
        "id": f"BOAT/2020/page_{page}.pdf-{number}",
        "pre_text": ["The year was calm.", "More boats were sold."],
        "post_text": ["( a ) without the captains.", "The bay froze in 2019."],
        "table": table,
        "question": question,
        "answer": answer,
        "program": program,
        "exe_ans": result,
    }
    for page, number, table, question, answer, program, result in [
        (7, 1, FINQA_TABLE, "How did sales grow?", "25%", "subtract(1250, 1000), divide(#0, 1000)", "0.25"),
        (7, 2, FINQA_TABLE, "What was the average staff?", "10.5", "table_average(staff, none)", "10.5"),
        (8, 1, [["only", "a header"]], "What is left?", "1", "add(1, 0)", "1.0"),
        (9, 1, FINQA_TABLE[:2], "Was 2020 better?", "yes", "greater(1250, 1000)", "yes"),
    ]
]

FILES: Mapping[str, Rows] = {
    "finqa/train": FINQA,
    "finqa/validation": FINQA,
    "finqa/test": FINQA,
    "tablebench/test": TABLEBENCH,
    "qtsumm/train": QTSUMM,
    "qtsumm/validation": QTSUMM,
    "qtsumm/test": QTSUMM,
    "turl_col_type/validation": TURL,
    "turl_col_type/test": TURL,
    "wikitq/test": WIKITQ,
    "wikitq/train": WIKITQ[:1],
    "tab_fact/test": TAB_FACT,
    "tab_fact/train": TAB_FACT,
    "scigen/test": SCIGEN,
    "scigen/train": SCIGEN,
    "numeric_nlg/test": NUMERIC_NLG,
    "numeric_nlg/validation": NUMERIC_NLG,
    "hctqa/real": HCTQA,
    "hctqa/synthetic_sample": HCTQA_MADE,
}
REAL = ("hctqa.real", "hctqa.synthetic_published", "numeric_nlg", "scigen", "tab_fact", "wikitq")
TABLEBENCH_CARDS = (
    "tablebench_data_analysis",
    "tablebench_fact_checking",
    "tablebench_numerical_reasoning",
)
MADE = (*TABLEBENCH_CARDS, "qtsumm", "turl_col_type", "finqa")  # of which no real data is at hand
BUNDLED = ("bundled.aggregation", "bundled.cell_lookup", "bundled.fact_verification", "hctqa.synthetic")


def write(folder: Path, files: Mapping[str, Rows] = FILES) -> Path:
    """A mirror at ``folder``."""
    for name, rows in files.items():
        path = folder / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return folder


def turl_list(row: Mapping[str, Any]) -> list[Any]:
    """A row of our mirror as TURL's file has it."""
    return [
        row["table_id"],
        row["page_title"],
        7,
        row["section_title"],
        row["table_caption"],
        row["header"],
        json.loads(row["cells"]),
        row["annotations"],
    ]
