"""Small parameters for tests."""

from __future__ import annotations

import copy
import itertools
from decimal import Decimal
from typing import Any

from torr_plugin.papers.hctqa.generator.instance import Aggregate, HctInstance, TableAxis
from torr_plugin.papers.hctqa.generator.parameters.json_file import validated
from torr_plugin.papers.hctqa.generator.parameters.loading import Parameters, check
from torr_plugin.papers.hctqa.generator.parameters.models import Semantics, TableTemplates

SEMANTICS: dict[str, Any] = {
    "data": [
        {"code": "Shop", "names": ["Aisle", "Good"], "values": [
            {"Fruit": ["Pear", "Plum", "Fig"]}, {"Bread": ["Rye", "Bun"]}, {"Paper": "Note"}]},
        {"code": "Day", "names": ["Day"], "values": ["Mon", "Tue", "Wed", "Thu"]},
        {"code": "Till", "names": ["Till-no"], "values": ["T1", "T2"]},
        {"code": "Hall", "names": ["Hall"], "values": ["North", "South"]},
        {"code": "Sea", "names": ["Sea", "Port"], "values": ["High sea", {"Baltic": ["Riga", "Kiel"]}]},
    ],
    "values": {"int": [0, 100], "realUnit": [0.0, 1.0]},
}  # fmt: skip

TABLES: dict[str, Any] = {
    "replica": 2,
    "shuffle": ["none", "rowscols", "all"],
    "col_row_levels": ["1_1", "2_2"],
    "col_row_name_pos": ["none_none"],
    "col_row_agg_pos": ["none_none", "right_bottom", "left_top"],
    "row_format": ["new", "indent"],
    "tables": [
        {
            "valueName": "Goods sold",
            "values": [1, 500],
            "rowCodes": ["Shop", "Hall"],
            "rowSamples": [[2, 3], 0],
            "colCodes": ["Day", "Till"],
            "colSamples": [[1, 2], [0]],
            "agg_name1": "Total",
        },
        {
            "valueName": "Share of catch",
            "values": "realUnit",
            "rowCodes": ["Sea"],
            "rowSamples": [0],
            "colCodes": ["Day"],
            "colSamples": [[2, 2]],
            "agg_fun1": "avg",
        },
    ],
}


def documents() -> tuple[dict[str, Any], dict[str, Any]]:
    """Copies of both, to be changed."""
    return copy.deepcopy(SEMANTICS), copy.deepcopy(TABLES)


def parameters(words: dict[str, Any] | None = None, tables: dict[str, Any] | None = None) -> Parameters:
    """Both files' documents, checked as the loader checks them; no question templates."""
    read_words = validated(Semantics, words or SEMANTICS, "words.json", kind="attribute", named_by="code")
    read_tables = validated(
        TableTemplates, tables or TABLES, "tables.json", kind="template", named_by="valueName"
    )
    check(read_tables, read_words, "tables.json")
    return Parameters(read_words, read_tables, {}, ".")


def uneven() -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters with an unbalanced hierarchy on either axis and an aggregate whose name says nothing."""
    words, tables = documents()
    words["data"].append(
        {
            "code": "Coast",
            "names": ["Coast", "Bay", "Pier"],
            "values": [
                {"East": [{"Gull Bay": ["P1", "P2"]}, "Long Beach"]},
                {"West": [{"Seal Bay": ["P3", "P4"]}, {"Whale Bay": ["P5", "P6"]}]},
            ],
        }
    )
    coast = {"rowCodes": ["Coast"], "rowSamples": [0], "colCodes": ["Day", "Till"], "colSamples": [[3, 4], 0]}
    turned = {
        "colCodes": ["Coast"],
        "colSamples": [0],
        "rowCodes": ["Day", "Till"],
        "rowSamples": [[3, 4], 0],
    }
    tables["tables"] += [
        {"valueName": "Boats", "values": [100, 900], **coast, "agg_name1": "Whole country"},
        {
            "valueName": "Crews",
            "values": "int",
            "rowCodes": ["Hall"],
            "rowSamples": [0],
            "colCodes": ["Day"],
            "colSamples": [0],
        },
        {"valueName": "Nets", "values": [100, 900], **turned, "agg_name1": "Whole week"},
    ]
    return words, tables


def axis(*attributes: tuple[str, tuple[str, ...]]) -> TableAxis:
    """Independent attributes, all combinations of their values."""
    leaves = tuple(itertools.product(*(values for _, values in attributes)))
    return TableAxis(
        tuple(name for name, _ in attributes), tuple((i,) for i in range(len(attributes))), leaves
    )


def instance(
    columns: TableAxis, rows: TableAxis, aggregate: Aggregate | None = None, **changes: Any
) -> HctInstance:
    """A table with the numbers 1, 2, 3... row by row."""
    width = len(columns.leaves)
    values = tuple(
        tuple(Decimal(row * width + column + 1) for column in range(width)) for row in range(len(rows.leaves))
    )
    given: dict[str, Any] = {"row_format": "new", "decimals": 0, **changes}
    return HctInstance("t", "Family", columns, rows, values, aggregate, **given)
