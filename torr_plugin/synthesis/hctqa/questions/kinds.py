"""The fifteen types of questions: what is drawn for each (HCT-QA, Appendix C.1)."""

from __future__ import annotations

import random as random_module
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from ..instance import Function, HctInstance
from .comparing import compared
from .parts import Header, Part
from .plan import Direction, Plan
from .selection import many, one, outer, summed
from .templates import QuestionTemplate

_FUNCTIONS: tuple[Function, ...] = ("sum", "avg", "min", "max")
_DIRECTIONS: tuple[Direction, ...] = ("DESC", "ASC")
_MOST_LINES = 8
_MOST_LINES_BOTH = 5
_MOST_PHRASES = 4
_MOST_PHRASES_BOTH = 2


@dataclass(frozen=True)
class Subject:
    """A table that is asked about."""

    instance: HctInstance
    template: QuestionTemplate

    @cached_property
    def columns(self) -> Header:
        """Its columns."""
        return Header(self.instance.columns, self.template.simplify)

    @cached_property
    def rows(self) -> Header:
        """Its rows."""
        return Header(self.instance.rows, self.template.simplify)

    def shows(self, function: Function, part: Part, *, on_rows: bool) -> bool:
        """Whether the table has an aggregate of this function over exactly these lines."""
        aggregate = self.instance.aggregate
        if aggregate is None or aggregate.function != function:
            return False
        side = aggregate.rows if on_rows else aggregate.columns
        return side != "none" and (self.rows if on_rows else self.columns).is_summed(part)


Random = random_module.Random
Drawing = Callable[[Subject, Random], "Plan | None"]


def draw(kind: int, subject: Subject, random: Random) -> Plan | None:
    """A question of a type, or None where the table is too small for it or has no aggregate to ask for."""
    return _DRAWINGS[kind](subject, random)


def _one_cell(subject: Subject, random: Random) -> Plan:
    return Plan(1, one(subject.columns, random), one(subject.rows, random))


def _column(subject: Subject, random: Random) -> Plan | None:
    rows = many(subject.rows, random, _MOST_LINES, _MOST_PHRASES)
    return None if rows is None else Plan(2, one(subject.columns, random), rows)


def _row(subject: Subject, random: Random) -> Plan | None:
    columns = many(subject.columns, random, _MOST_LINES, _MOST_PHRASES)
    return None if columns is None else Plan(3, columns, one(subject.rows, random))


def _row_expression(subject: Subject, random: Random) -> Plan | None:
    plan = _row(subject, random)
    return plan and _two_functions(replace(plan, kind=4), plan.columns, subject, random, on_rows=False)


def _shown_expression(subject: Subject, random: Random) -> Plan | None:
    aggregate = subject.instance.aggregate
    if aggregate is None or aggregate.columns == "none":
        return None
    columns, rows = summed(subject.columns, random), one(subject.rows, random)
    return Plan(5, columns, rows, (aggregate.function,), shown=(True,))


def _block(subject: Subject, random: Random) -> Plan | None:
    columns = many(subject.columns, random, _MOST_LINES_BOTH, _MOST_PHRASES_BOTH)
    rows = many(subject.rows, random, _MOST_LINES_BOTH, _MOST_PHRASES_BOTH)
    if columns is None and rows is None:
        return None
    return Plan(6, columns or one(subject.columns, random), rows or one(subject.rows, random))


def _column_aggregation(subject: Subject, random: Random) -> Plan | None:
    plan = _column(subject, random)
    return plan and _two_functions(replace(plan, kind=7), plan.rows, subject, random, on_rows=True)


def _two_functions(plan: Plan, part: Part | None, subject: Subject, random: Random, *, on_rows: bool) -> Plan:
    """Two functions of which the table shows neither."""
    hidden = [name for name in _FUNCTIONS if part is None or not subject.shows(name, part, on_rows=on_rows)]
    return replace(plan, functions=tuple(random.sample(hidden, 2)), shown=(False, False))


def _by_column(subject: Subject, random: Random) -> Plan | None:
    plan = _block(subject, random)
    if plan is None or plan.rows is None:
        return None
    functions = tuple(random.sample(_FUNCTIONS, 2))
    shown = tuple([subject.shows(function, plan.rows, on_rows=True) for function in functions])
    names = plan.columns.attributes
    return replace(plan, kind=8, functions=functions, grouped=names, reported=names, shown=shown)


def _by_row(subject: Subject, random: Random) -> Plan:
    rows = outer(subject.rows, random)
    function = random.choice(_FUNCTIONS)
    return Plan(
        9,
        one(subject.columns, random),
        rows,
        (function,),
        rows.attributes,
        shown=(_shows_groups(subject, function),),
    )


def _by_row_reported(subject: Subject, random: Random) -> Plan:
    plan = _by_row(subject, random)
    return replace(plan, kind=10, reported=plan.grouped)


def _by_both(subject: Subject, random: Random) -> Plan:
    plan = _by_row(subject, random)
    columns = many(subject.columns, random, _MOST_LINES_BOTH, _MOST_PHRASES_BOTH) or plan.columns
    names = (*plan.grouped, *columns.attributes)
    return replace(plan, kind=11, columns=columns, grouped=names, reported=names)


def _shows_groups(subject: Subject, function: Function) -> bool:
    """Whether the table has an aggregate of this function for each value of the outermost row attribute."""
    if subject.rows.depth == 1:
        return False
    return subject.shows(function, subject.rows.part(subject.rows.paths(1)[:1]), on_rows=True)


def _ordered(kind: int) -> Drawing:
    def drawing(subject: Subject, random: Random) -> Plan | None:
        rows = outer(subject.rows, random)
        if rows.lines < 2:
            return None
        direction = random.choice(_DIRECTIONS)
        limit = random.randint(2, max(2, min(5, rows.lines - 1))) if kind == 12 else None
        return Plan(kind, one(subject.columns, random), rows, direction=direction, limit=limit)

    return drawing


def _above_or_below(subject: Subject, random: Random) -> Plan:
    comparison = compared(subject.instance, subject.columns, random)
    return Plan(14, comparison.within, comparison=comparison, reported=subject.instance.rows.attributes)


def _nested(subject: Subject, random: Random) -> Plan:
    """The fourteenth question in the fifteenth: the rows it finds, in another column."""
    plan = _above_or_below(subject, random)
    compared_path = plan.columns.paths[0]
    others = [leaf for leaf in subject.instance.columns.leaves if leaf != compared_path]
    columns = subject.columns.part([random.choice(others)]) if others else plan.columns
    return replace(plan, kind=15, columns=columns)


_DRAWINGS: dict[int, Drawing] = {
    1: _one_cell,
    2: _column,
    3: _row,
    4: _row_expression,
    5: _shown_expression,
    6: _block,
    7: _column_aggregation,
    8: _by_column,
    9: _by_row,
    10: _by_row_reported,
    11: _by_both,
    12: _ordered(12),
    13: _ordered(13),
    14: _above_or_below,
    15: _nested,
}
