"""A question's properties, by its structure (HCT-QA, Tables 5 and 7; Figure 34 by type).

The keys are those of the benchmark's annotations. Read on the human-centric table: conditions on its row
headers are the row filter, the columns asked are the returned columns; what is computed across columns
(types 4, 5) is an expression, what is computed down rows (types 7 to 11) an aggregation. A number that does
not apply is ``""``, as in the annotations.
"""

from __future__ import annotations

from ..instance import Function
from .parts import Part
from .plan import Plan

Property = bool | int | str
_TYPES: dict[str, Function] = {"Min": "min", "Max": "max", "Sum": "sum", "Avg": "avg"}


def question_properties(plan: Plan, answer_rows: int) -> dict[str, Property]:
    """The 35 properties of a question; ``answer_rows`` is how many rows its answer has."""
    return {
        **_row_filter(plan, answer_rows),
        **_returned_columns(plan),
        "Yes/No": False,
        "Yes/No Scope Single": False,
        "Yes/No Scope Multiple": False,
        **_aggregation(plan),
        **_rank(plan),
    }


def _row_filter(plan: Plan, answer_rows: int) -> dict[str, Property]:
    compared = plan.comparison
    conditions = 1 if compared or plan.rows is None else len(plan.rows.attributes)
    retained = answer_rows if plan.rows is None else plan.rows.lines
    return {
        "Row Filter": True,
        "Row Filter Condition Type Lookup": compared is None,
        "Row Filter Condition Type Expression": compared is not None,
        "Row Filter Involved Columns Single": conditions == 1,
        "Row Filter Involved Columns Multiple": conditions > 1,
        "Row Filter Max Depth Of Involved Columns": _depth(compared.within) if compared else 1,
        "Row Filter Retained Rows Single": retained == 1,
        "Row Filter Retained Rows Multiple": retained > 1,
        "Row Filter Num Of Conditions": conditions,
    }


def _returned_columns(plan: Plan) -> dict[str, Property]:
    expression = plan.kind in (4, 5)
    return {
        "Returned Columns": True,
        "Returned Columns Project On Plain": not expression,
        "Returned Columns Project On Expression": expression,
        "Returned Columns Max Depth Of Involved Columns": 1 if plan.kind == 14 else _depth(plan.columns),
        "Returned Columns Expression In Table Present": expression and any(plan.shown),
        "Returned Columns Expression In Table Not Present": expression and not all(plan.shown),
        "Returned Columns Num Of Output Columns": _outputs(plan),
    }


def _outputs(plan: Plan) -> int:
    """Values in a row of the answer; where cells are asked as they stand, the columns they stand in."""
    if plan.functions:
        return len(plan.reported) + len(plan.functions)
    if plan.comparison:
        return len(plan.reported) + (plan.kind == 15)
    return plan.columns.lines


def _aggregation(plan: Plan) -> dict[str, Property]:
    aggregated = bool(plan.functions) and plan.kind not in (4, 5)
    return {
        "Aggregation": aggregated,
        "Aggregation Aggregation On Plain": aggregated,
        "Aggregation Aggregation On Expression": False,
        **{
            f"Aggregation Aggregation Type {name}": aggregated and function in plan.functions
            for name, function in _TYPES.items()
        },
        "Aggregation Aggregation Type Count": False,
        "Aggregation Grouping Local": aggregated and bool(plan.grouped),
        "Aggregation Grouping Global": aggregated and not plan.grouped,
        "Aggregation Aggregation In Table Present": aggregated and any(plan.shown),
        "Aggregation Aggregation In Table Not Present": aggregated and not all(plan.shown),
        "Aggregation Num Of Aggregations": len(plan.functions) if aggregated else "",
    }


def _rank(plan: Plan) -> dict[str, Property]:
    ranked = plan.direction is not None
    return {
        "Rank": ranked,
        "Rank Rank On Plain": ranked,
        "Rank Rank On Expression": False,
        "Rank Report Top": "" if plan.limit is None else plan.limit,
    }


def _depth(part: Part) -> int:
    return len(part.attributes)
