"""Tables and templates for tests."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from torr_plugin.papers.hctqa.generator.instance import Aggregate, HctInstance, TableAxis
from torr_plugin.papers.hctqa.generator.question_templates import QuestionTemplate, question_templates

CODES = {
    "Food": ("Category", "Item"),
    "Trade": ("Import-Export",),
    "Years": ("Year",),
    "Quarters": ("Quarter",),
}

_BODY = "of_$Import_Export of__$Item__$Category in__$Quarter==of==$Year"


def entry(**changes: Any) -> dict[str, Any]:
    """One template of the question file, with the benchmark's keys."""
    plain = {f"template_{kind}": [f"What is the amount {_BODY} ?"] for kind in (1, 2, 3, 6)}
    computed = {f"template_{kind}": [f"What is/are_the_$EXPR_amount/amounts {_BODY} ?"] for kind in (4, 5, 7)}
    grouped = {
        f"template_{kind}": [f"What is/are_the_$EXPR_amount/amounts $GROUPBY {_BODY} ?"]
        for kind in (8, 9, 10, 11)
    }
    return {
        "comment1": "tolerated",
        "tableName": "Food trade",
        "rowColCodes": ["Food", "Trade", "Years", "Quarters"],
        "valueMeaning": ["amount of trade"],
        "simplifyNested": [["Category", "Item"]],
        "template_report": ["Please,_report_the_corresponding_$REPORTATTR"],
        **plain,
        **computed,
        **grouped,
        "template_12": [f"What are the top/bottom_$TOPK amounts {_BODY} ?"],
        "template_13": [f"What are the amounts $ORDERBYDESC_decreasing/increasing_values {_BODY} ?"],
        "template_14": [f"What is/are_the_$OPATTR_for_which the amount {_BODY} is_$OPANDVAL ?"],
        **changes,
    }


def template(**changes: Any) -> QuestionTemplate:
    return question_templates([entry(**changes)], "file", CODES, ["Food trade"])["Food trade"]


def instance(**changes: Any) -> HctInstance:
    columns = TableAxis(("Import-Export", "Year"), ((0,), (1,)), tuple(
        (trade, year) for trade in ("Import", "Export") for year in ("2017", "2018")))  # fmt: skip
    rows = TableAxis(
        ("Category", "Item"), ((0, 1),), (("Dairy", "Milk"), ("Dairy", "Butter"), ("Beverage", "Tea"))
    )
    values = tuple(tuple(Decimal(row * 10 + column * 3 + 1) for column in range(4)) for row in range(3))
    made = {
        "table_id": "food_1",
        "family": "Food trade",
        "columns": columns,
        "rows": rows,
        "values": values,
        "aggregate": Aggregate("Total", "sum", "right", "bottom"),
        "row_format": "new",
        "decimals": 0,
    }
    return HctInstance(**{**made, **changes})
