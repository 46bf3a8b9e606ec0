"""An answer from one table: the cell at the row and the column that a question names, or a near word."""

from __future__ import annotations

from .matching import best, match, number, words
from .reading import Grid


def cell_answer(grid: Grid, question: str) -> str:
    """The cell at the best row and column; the column is not one whose cell the question itself names."""
    found = match(grid, question)
    row = found.best_row
    given = found.named[row][:1] if found.rows[row] > 0 else ()
    column = best(
        (weight, c) for c, weight in enumerate(found.columns) if c not in given and grid.rows[row][c].strip()
    )
    if column is None:
        column = _unnamed_column(grid, row, given)
    return grid.rows[row][column]


def _unnamed_column(grid: Grid, row: int, given: tuple[int, ...]) -> int:
    """Where no column is named: the first that is neither given nor empty nor a running number."""
    free = [c for c in range(len(grid.columns)) if c not in given and grid.rows[row][c].strip()]
    texts = [c for c in free if number(grid.rows[row][c]) is None]
    return (texts or free or [0])[0]


def window_answer(text: str, question: str, width: int = 12) -> str:
    """The word that follows the question's words most closely, in a table without cells.

    A number is preferred after the words ``how many`` or ``how much``, else a word that the question does not
    hold.
    """
    tokens, asked = text.split(), set(words(question))
    if not tokens:
        return ""
    hits = [bool(asked.intersection(words(token))) for token in tokens]
    wants_number = "how many" in question.lower() or "how much" in question.lower()
    free = [at for at, hit in enumerate(hits) if not hit and words(tokens[at])]
    numbers = [at for at in free if number(tokens[at]) is not None]
    choices = numbers if wants_number and numbers else free or list(range(len(tokens)))
    return tokens[max(choices, key=lambda at: (_closeness(hits, at, width), -at))]


def _closeness(hits: list[bool], at: int, width: int) -> float:
    """The sum of 1 / distance over the hits before a word, at most ``width`` words back."""
    return sum(1 / (at - hit) for hit in range(max(0, at - width), at) if hits[hit])
