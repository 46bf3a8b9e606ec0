"""Row labels in a rectangle of texts in which a mark stands for what is empty or continues a label."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

MARK = "__"


def is_label(row: Sequence[str]) -> bool:
    """Whether a body row has nothing but a first text: the label of a row group.

    Beside a single other column, an empty text may as well be a value that is missing.
    """
    rest = set(row[1:])
    return row[0] not in ("", MARK) and (rest == {MARK} or (len(row) > 2 and rest <= {"", MARK}))


def nested_columns(grid: Sequence[Sequence[str]], depth: int) -> int:
    """How many leading columns hold labels that go on over several rows, with other labels beside them."""
    width, count = len(grid[0]), 0
    while count < width - 2 and _goes_on(grid[depth:], count) and _holds_labels(grid[depth:], count + 1):
        count += 1
    return count


def _goes_on(body: Sequence[Sequence[str]], column: int) -> bool:
    """Whether in some row the labels of all columns up to this one continue those above."""
    return any(
        set(row[: column + 1]) == {MARK} and not set(row[column + 1 :]) <= {"", MARK} and not is_label(above)
        for above, row in pairwise(body)
    )


def _holds_labels(body: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a column beside one whose labels go on has some too: words, or the same in every group."""
    rows = [row for row in body if not is_label(row)]
    texts = [row[column] for row in rows if row[column] not in ("", MARK)]
    if sum(any(map(str.isalpha, text)) for text in texts) * 2 > len(texts):
        return True
    groups: list[list[str]] = []
    for row in rows:
        if row[column - 1] != MARK or not groups:
            groups.append([])
        groups[-1].append(row[column])
    differ = all(len(set(group)) == len(group) for group in groups)
    return differ and len(groups) > 1 and len(set(texts)) * 2 <= len(texts)


def header_columns(grid: Sequence[Sequence[str]], depth: int, nested: int) -> int:
    """The columns of nested labels and of their innermost children; one where rows are in labelled groups."""
    return nested + 1 if nested else int(any(map(is_label, grid[depth:])))
