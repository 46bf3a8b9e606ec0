"""The fifteen types of questions: what is chosen at random for each (HCT-QA, Appendix C.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cached_property
from random import Random
from typing import Literal

from .instance import Function, HctInstance
from .question_selection import Header, SelectedPart, many, one, outer, summed
from .question_templates import QuestionTemplate

Direction = Literal["DESC", "ASC"]
Operator = Literal["<", ">"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``Value > threshold`` in the columns of ``within``."""

    within: SelectedPart
    operator: Operator
    threshold: Decimal


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """What a question asks (HCT-QA, Appendix C.1).

    Attributes:
        kind: its type, 1 to 15.
        columns: the columns whose values are wanted; for type 14 those that are compared.
        rows: the rows; None if the comparison finds them.
        functions: what is computed, in the question's order.
        grouped: the attributes by which values are grouped.
        reported: the attributes that the answer names, in order.
        direction: of an ordering.
        limit: how many of the ordered values are wanted.
        comparison: what types 14 and 15 look for.
        shown: for each function, whether the table shows the result as an aggregate.
    """

    kind: int
    columns: SelectedPart
    rows: SelectedPart | None = None
    functions: tuple[Function, ...] = ()
    grouped: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()
    direction: Direction | None = None
    limit: int | None = None
    comparison: Comparison | None = None
    shown: tuple[bool, ...] = ()


MOST_FOUND = 20
"""Most rows that a comparison may find."""
_COLUMNS_TRIED = 6
_UNIT = Decimal("0.01")


def draw_comparison(instance: HctInstance, columns: Header, random: Random) -> Comparison:
    """Compare a column with the mean of all the table's values, as the benchmark does.

    If no column has values on either side of the mean, or more than :data:`MOST_FOUND` rows would be found,
    the threshold lies between two values of a column.
    """
    threshold = _mean(instance)
    leaves = instance.columns.leaves
    tried = random.sample(range(len(leaves)), min(len(leaves), _COLUMNS_TRIED))
    for index in tried:
        column = [row[index] for row in instance.values]
        operators = _parting(column, threshold)
        if operators:
            return Comparison(columns.part([leaves[index]]), random.choice(operators), threshold)
    column = [row[tried[0]] for row in instance.values]
    return Comparison(columns.part([leaves[tried[0]]]), *_between(column, random))


def _mean(instance: HctInstance) -> Decimal:
    values = [value for row in instance.values for value in row]
    return _trimmed((sum(values, Decimal(0)) / len(values)).quantize(_UNIT, ROUND_HALF_EVEN))


def _parting(column: Sequence[Decimal], threshold: Decimal) -> list[Operator]:
    above = sum(value > threshold for value in column)
    below = sum(value < threshold for value in column)
    counts: tuple[tuple[Operator, int], ...] = (("<", below), (">", above))
    return [side for side, found in counts if 0 < found < len(column) and found <= MOST_FOUND]


def _between(column: Sequence[Decimal], random: Random) -> tuple[Operator, Decimal]:
    """``lower than`` half way between two neighbours, or than just above the only value."""
    ordered = sorted(column)
    if len(ordered) == 1:
        return "<", _trimmed(ordered[0] + 1)
    found = random.randint(1, min(len(ordered) - 1, MOST_FOUND))
    return "<", _trimmed((ordered[found - 1] + ordered[found]) / 2)


def _trimmed(number: Decimal) -> Decimal:
    written = f"{number + 0:f}"  # adding 0 removes the sign of a zero
    return Decimal(written.rstrip("0").rstrip(".") if "." in written else written)


_FUNCTIONS: tuple[Function, ...] = ("sum", "avg", "min", "max")
_DIRECTIONS: tuple[Direction, ...] = ("DESC", "ASC")
_MOST_LINES = 8
_MOST_LINES_BOTH = 5
_MOST_PHRASES = 4
_MOST_PHRASES_BOTH = 2


@dataclass(frozen=True)
class QuestionSubject:
    """A table and the templates of its questions."""

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

    def shows(self, function: Function, part: SelectedPart, *, on_rows: bool) -> bool:
        """Whether the table has an aggregate of this function over exactly these lines."""
        aggregate = self.instance.aggregate
        if aggregate is None or aggregate.function != function:
            return False
        side = aggregate.rows if on_rows else aggregate.columns
        return side != "none" and (self.rows if on_rows else self.columns).is_summed(part)


Drawing = Callable[[QuestionSubject, Random], "QuestionPlan | None"]


def plan_question(kind: int, subject: QuestionSubject, random: Random) -> QuestionPlan | None:
    """Plan a question of a type; None if the table is too small for it or lacks an aggregate."""
    return _DRAWINGS[kind](subject, random)


def _one_cell(subject: QuestionSubject, random: Random) -> QuestionPlan:
    return QuestionPlan(1, one(subject.columns, random), one(subject.rows, random))


def _column(subject: QuestionSubject, random: Random) -> QuestionPlan | None:
    rows = many(subject.rows, random, _MOST_LINES, _MOST_PHRASES)
    return None if rows is None else QuestionPlan(2, one(subject.columns, random), rows)


def _row(subject: QuestionSubject, random: Random) -> QuestionPlan | None:
    columns = many(subject.columns, random, _MOST_LINES, _MOST_PHRASES)
    return None if columns is None else QuestionPlan(3, columns, one(subject.rows, random))


def _row_expression(subject: QuestionSubject, random: Random) -> QuestionPlan | None:
    plan = _row(subject, random)
    return plan and _two_functions(replace(plan, kind=4), plan.columns, subject, random, on_rows=False)


def _shown_expression(subject: QuestionSubject, random: Random) -> QuestionPlan | None:
    aggregate = subject.instance.aggregate
    if aggregate is None or aggregate.columns == "none":
        return None
    columns, rows = summed(subject.columns, random), one(subject.rows, random)
    return QuestionPlan(5, columns, rows, (aggregate.function,), shown=(True,))


def _block(subject: QuestionSubject, random: Random) -> QuestionPlan | None:
    columns = many(subject.columns, random, _MOST_LINES_BOTH, _MOST_PHRASES_BOTH)
    rows = many(subject.rows, random, _MOST_LINES_BOTH, _MOST_PHRASES_BOTH)
    if columns is None and rows is None:
        return None
    return QuestionPlan(6, columns or one(subject.columns, random), rows or one(subject.rows, random))


def _column_aggregation(subject: QuestionSubject, random: Random) -> QuestionPlan | None:
    plan = _column(subject, random)
    return plan and _two_functions(replace(plan, kind=7), plan.rows, subject, random, on_rows=True)


def _two_functions(
    plan: QuestionPlan, part: SelectedPart | None, subject: QuestionSubject, random: Random, *, on_rows: bool
) -> QuestionPlan:
    """Two functions of which the table shows neither."""
    hidden = [name for name in _FUNCTIONS if part is None or not subject.shows(name, part, on_rows=on_rows)]
    return replace(plan, functions=tuple(random.sample(hidden, 2)), shown=(False, False))


def _by_column(subject: QuestionSubject, random: Random) -> QuestionPlan | None:
    plan = _block(subject, random)
    if plan is None or plan.rows is None:
        return None
    functions = tuple(random.sample(_FUNCTIONS, 2))
    shown = tuple([subject.shows(function, plan.rows, on_rows=True) for function in functions])
    names = plan.columns.attributes
    return replace(plan, kind=8, functions=functions, grouped=names, reported=names, shown=shown)


def _by_row(subject: QuestionSubject, random: Random) -> QuestionPlan:
    rows = outer(subject.rows, random)
    function = random.choice(_FUNCTIONS)
    return QuestionPlan(
        9,
        one(subject.columns, random),
        rows,
        (function,),
        rows.attributes,
        shown=(_shows_groups(subject, function),),
    )


def _by_row_reported(subject: QuestionSubject, random: Random) -> QuestionPlan:
    plan = _by_row(subject, random)
    return replace(plan, kind=10, reported=plan.grouped)


def _by_both(subject: QuestionSubject, random: Random) -> QuestionPlan:
    plan = _by_row(subject, random)
    columns = many(subject.columns, random, _MOST_LINES_BOTH, _MOST_PHRASES_BOTH) or plan.columns
    names = (*plan.grouped, *columns.attributes)
    return replace(plan, kind=11, columns=columns, grouped=names, reported=names)


def _shows_groups(subject: QuestionSubject, function: Function) -> bool:
    """Whether the table has an aggregate of this function for each value of the outermost row attribute."""
    if subject.rows.depth == 1:
        return False
    return subject.shows(function, subject.rows.part(subject.rows.paths(1)[:1]), on_rows=True)


def _ordered(kind: int) -> Drawing:
    def drawing(subject: QuestionSubject, random: Random) -> QuestionPlan | None:
        rows = outer(subject.rows, random)
        if rows.lines < 2:
            return None
        direction = random.choice(_DIRECTIONS)
        limit = random.randint(2, max(2, min(5, rows.lines - 1))) if kind == 12 else None
        return QuestionPlan(kind, one(subject.columns, random), rows, direction=direction, limit=limit)

    return drawing


def _above_or_below(subject: QuestionSubject, random: Random) -> QuestionPlan:
    comparison = draw_comparison(subject.instance, subject.columns, random)
    return QuestionPlan(
        14, comparison.within, comparison=comparison, reported=subject.instance.rows.attributes
    )


def _nested(subject: QuestionSubject, random: Random) -> QuestionPlan:
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
