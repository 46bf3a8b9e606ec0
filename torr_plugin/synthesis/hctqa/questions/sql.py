"""The SQL of a question, on the table ``DBdata`` (HCT-QA, Appendix C.1)."""

from __future__ import annotations

import re
from functools import lru_cache

from ..instance import Path
from ..parameters.checking import VALUE, sql_name
from .parts import Part
from .plan import Comparison, Plan

TABLE = "DBdata"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# SQLite's words that cannot stand as a name
_KEYWORDS = frozenset(
    # a text is read more easily than seventy quoted words
    "add all alter and as autoincrement between case check collate commit constraint create default "  # noqa: SIM905
    "deferrable delete distinct drop else escape except exists foreign from group having if in index insert "
    "intersect into is isnull join limit not notnull null on or order primary references returning select "
    "set table then to transaction union unique update using values when where".split()
)


def write_sql(plan: Plan) -> str:
    """The query that gives a question's answer: columns' conditions, then rows', then the rest."""
    if plan.comparison is not None and plan.kind == 14:
        return _compared(plan.comparison, _columns(plan.reported))
    conditions = [_condition(plan.columns, plan.kind)]
    if plan.comparison is not None:
        names = _columns(plan.reported)
        conditions.append(f"({names}) IN ({_compared(plan.comparison, names)})")
    if plan.rows is not None:
        conditions.append(_condition(plan.rows))
    where = " AND ".join(conditions)
    return f"SELECT {_selected(plan)} FROM {TABLE} WHERE {where}{_ending(plan)}"  # noqa: S608 (texts are quoted)


@lru_cache(maxsize=4096)
def identifier(name: str) -> str:
    """A column's name, quoted only where SQL would not read it else."""
    if _PLAIN.fullmatch(name) and name.lower() not in _KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _column(attribute: str) -> str:
    return identifier(sql_name(attribute))


def _columns(attributes: tuple[str, ...]) -> str:
    return ",".join([_column(attribute) for attribute in attributes])


def _condition(part: Part, kind: int = 0) -> str:
    if len(part.attributes) == 1:
        return f"({_in(part.attributes[0], part.paths)})"
    if kind == 5:
        # an aggregate's values: one prefix, and all the values below it
        fixed = [_equals(name, part.paths[0][index]) for index, name in enumerate(part.attributes[:-1])]
        return " AND ".join([*fixed, f"({_in(part.attributes[-1], part.paths)})"])
    names = [_column(attribute) for attribute in part.attributes]
    terms = [
        "("
        + " AND ".join([f"{name} = {literal(value)}" for name, value in zip(names, path, strict=True)])
        + ")"
        for path in part.paths
    ]
    return f"({' OR '.join(terms)})"


def _equals(attribute: str, value: str) -> str:
    return f"{_column(attribute)} = {literal(value)}"


def _in(attribute: str, paths: tuple[Path, ...]) -> str:
    return f"{_column(attribute)} IN ({','.join([literal(path[-1]) for path in paths])})"


def _selected(plan: Plan) -> str:
    computed = [f"{function}({VALUE})" for function in plan.functions] or [VALUE]
    return ",".join([_column(name) for name in plan.reported] + computed)


def _ending(plan: Plan) -> str:
    grouped = f" GROUP BY {_columns(plan.grouped)}" if plan.grouped else ""
    ordered = f" ORDER BY {VALUE} {plan.direction}" if plan.direction else ""
    limited = f" LIMIT {plan.limit}" if plan.limit is not None else ""
    return grouped + ordered + limited


def _compared(comparison: Comparison, names: str) -> str:
    column = _condition(comparison.within)
    where = f"{column} AND {VALUE} {comparison.operator} {comparison.threshold:f}"
    return f"SELECT {names} FROM {TABLE} WHERE {where}"  # noqa: S608 (texts are quoted)
