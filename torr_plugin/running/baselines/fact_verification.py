"""A label for a statement about a table: does the table hold what the statement says?"""

from __future__ import annotations

import re

from .calculation import calculated, parse_question
from .matching import format_number, is_nested, match, number, selected, words
from .reading import Grid, PromptParts, Reading

_NEAR = 10
_DIGITS = re.compile(r"\d[\d,.]*")
_CLAIM = re.compile(r"\b(?:is|are) -?\d[\d.,]*(?: and -?\d[\d.,]*)?\.?\s*$")
_EXACTLY = re.compile(r"\b(?:exactly|only|there (?:are|were|be)) (\d+)\b", re.IGNORECASE)
_PAIRS = (
    ("entailed", "refuted"),
    ("supported", "refuted"),
    ("entailment", "contradiction"),
    ("yes", "no"),
    ("true", "false"),
    ("correct", "incorrect"),
)
_NEGATION = re.compile(r"\b(?:not|never|no|none|neither|nor|n't|without)\b", re.IGNORECASE)
_SUPERLATIVE = re.compile(
    r"\b(?:highest|most|largest|greatest|maximum|lowest|least|smallest|fewest|minimum)\b", re.IGNORECASE
)
_MAXIMAL = ("highest", "most", "largest", "greatest", "maximum")
_COMPARISON = re.compile(
    r"\b(higher|more|larger|greater|longer|lower|less|fewer|smaller|shorter)\b.*\bthan\b", re.IGNORECASE
)
_GREATER = ("higher", "more", "larger", "greater", "longer")


def labels_of(parts: PromptParts) -> tuple[str, str] | None:
    """How a prompt writes that a statement holds, and that it does not; None where it has no such labels.

    The demonstrations' answers show them, else the instruction.
    """
    answers = {answer.strip(" .").lower(): answer for answer in parts.answers}
    instructed = {word.lower(): word for word in re.findall(r"[A-Za-z]+", parts.instruction)}
    for holds, fails in _PAIRS:
        if answers.keys() <= {holds, fails} if answers else {holds, fails} <= instructed.keys():
            shown = {**instructed, **answers}
            return shown.get(holds, holds), shown.get(fails, fails)
    return None


def label_answer(reading: Reading, labels: tuple[str, str]) -> str:
    """The label of the statement: compared, ranked or looked up in the table; a negation swaps the labels."""
    statement = reading.question
    if reading.grid is None or not reading.grid.rows:
        holds = _covered(statement, reading.table_text)
    else:
        holds = _holds(reading.grid, statement)
    return labels[0 if holds != bool(_NEGATION.search(statement)) else 1]


def _holds(grid: Grid, statement: str) -> bool:
    for judge in (_calculated, _compared_cells, _compared, _counted, _ranked):
        judged = judge(grid, statement)
        if judged is not None:
            return judged
    return _looked_up(grid, statement)


def _calculated(grid: Grid, statement: str) -> bool | None:
    """``The total C of A is 12``, where headers are nested: whether that is the sum."""
    claim = _CLAIM.search(statement)
    results = calculated(grid, statement[: claim.start()]) if claim and is_nested(grid) else []
    if claim is None or not results:
        return None
    return [format_number(result) for result in results] == [
        _plain(found) for found in _DIGITS.findall(claim[0])
    ]


def _plain(found: str) -> str:
    value = number(found)
    return "" if value is None else format_number(value)


def _compared_cells(grid: Grid, statement: str) -> bool | None:
    """``The C of A is greater than the C of B``, where headers are nested: the two cells, compared."""
    comparison = _COMPARISON.search(statement)
    if comparison is None or not is_nested(grid):
        return None
    before, _, after = statement.partition(" than ")
    left, right = selected(grid, before), selected(grid, after)
    return _agrees(comparison[1], left[0], right[0]) if len(left) == len(right) == 1 else None


def _compared(grid: Grid, statement: str) -> bool | None:
    """``A has a higher C than B``: the values of C in the rows that the two halves name."""
    comparison = _COMPARISON.search(statement)
    column = parse_question(grid, statement).column
    if comparison is None or column is None:
        return None
    before, _, after = statement.partition(" than ")
    first, second = (match(grid, half) for half in (before, after))
    if not max(first.rows) or not max(second.rows) or first.best_row == second.best_row:
        return None
    left, right = (number(grid.rows[found.best_row][column]) for found in (first, second))
    return None if left is None or right is None else _agrees(comparison[1], left, right)


def _agrees(comparative: str, left: float, right: float) -> bool:
    return left > right if comparative.lower() in _GREATER else left < right


def _counted(grid: Grid, statement: str) -> bool | None:
    """``C is above 5 for exactly 3 of them``: whether exactly so many rows are within the bound."""
    claim = _EXACTLY.search(statement)
    if claim is None:
        return None
    asked = parse_question(grid, statement.replace(claim[0], " "))
    if asked.bound is None:
        return sum(weight >= max(asked.found.rows) - 1e-9 for weight in asked.found.rows) == int(claim[1])
    return None if asked.column is None else len(asked.rows) == int(claim[1])


def _ranked(grid: Grid, statement: str) -> bool | None:
    """``A has the highest C``: whether no other row has a higher one."""
    superlative, asked = _SUPERLATIVE.search(statement), parse_question(grid, statement)
    if superlative is None or asked.column is None or not max(asked.found.rows):
        return None
    value = asked.numbers.get(asked.found.best_row)
    extreme = max if superlative[0].lower() in _MAXIMAL else min
    return None if value is None else value == extreme(asked.numbers.values())


def _looked_up(grid: Grid, statement: str) -> bool:
    """Whether the row that a statement names holds its numbers, and the table knows most of its words."""
    asked = words(statement)
    numbers = [word for word in asked if word[0].isdigit()]
    found = parse_question(grid, _DIGITS.sub(" ", statement))
    if max(found.found.rows) <= 0:
        found = parse_question(grid, statement)
    row = grid.rows[found.found.best_row]
    if len(numbers) == 1 and found.column is not None:
        return numbers[0] in words(row[found.column])
    known = set(words(" ".join(row))).union(*(words(name) for name in grid.columns), words(grid.title))
    return all(word in known for word in numbers) and sum(word in known for word in asked) * 2 >= len(asked)


def _covered(statement: str, text: str) -> bool:
    """Without cells: whether the statement's numbers stand near its other words."""
    tokens = words(text)
    asked = words(statement)
    hits = [at for at, token in enumerate(tokens) if token in asked and not token[0].isdigit()]
    near = {tokens[at] for hit in hits for at in range(max(0, hit - _NEAR), min(len(tokens), hit + _NEAR))}
    numbers = [word for word in asked if word[0].isdigit()]
    return all(word in near for word in numbers) and sum(word in near for word in asked) * 2 >= len(asked)
