"""Answers structural questions from a sheet and the question's words; shares nothing with what makes them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .sheets import Sheet

Placed = tuple[str, int]


def said(text: str) -> str:
    return " ".join(text.split())


def solve(sheet: Sheet, question: str) -> str:
    """The answer, written as the question asks for it."""
    for pattern, answer in ANSWERS:
        found = re.match(pattern, question)
        if found:
            return answer(sheet, *found.groups())
    raise ValueError(f"no such question: {question}")


def once(places: Iterable[Placed]) -> list[str]:
    """The texts of the cells at these places, each cell once, blank ones left out."""
    return [said(text) for text, _ in dict.fromkeys(places) if said(text)]


def body(sheet: Sheet) -> list[list[Placed]]:
    return sheet.lines[sheet.header_rows :]


def header(sheet: Sheet, column: int) -> list[str]:
    return once(line[column] for line in sheet.lines[: sheet.header_rows])


def partition(sheet: Sheet) -> str:
    texts = [said(text) for line in sheet.lines for text, _ in line if said(text)]
    return f"{texts[0]} | {texts[-1]}"


def size(sheet: Sheet) -> str:
    return f"{len(body(sheet))} | {len(sheet.lines[0])}"


def spans(sheet: Sheet) -> list[list[int]]:
    """First and last column of each merged cell."""
    columns: dict[int, list[int]] = {}
    for line in sheet.lines:
        for column, (_, number) in enumerate(line):
            columns.setdefault(number, []).append(column)
    return sorted({(min(each), max(each)) for each in columns.values() if len(each) > 1})  # type: ignore[return-value]


def merged(sheet: Sheet) -> str:
    return " | ".join(map(str, sorted({first for first, _ in spans(sheet)}))) or "None"


def lookup(sheet: Sheet, value: str) -> str:
    places = ((r, c, text) for r, line in enumerate(body(sheet)) for c, (text, _) in enumerate(line))
    return " | ".join(f"({r}, {c})" for r, c, text in places if said(text) == value)


def reverse(sheet: Sheet, row: str, column: str) -> str:
    return said(body(sheet)[int(row)][int(column)][0])


def column_name(sheet: Sheet, column: str) -> str:
    return " | ".join(header(sheet, int(column)))


def column_values(sheet: Sheet, name: str) -> str:
    (column,) = [c for c in range(len(sheet.lines[0])) if " | ".join(header(sheet, c)) == name]
    return " | ".join(once(line[column] for line in body(sheet)))


def row_values(sheet: Sheet, row: str) -> str:
    return " | ".join(once(body(sheet)[int(row)]))


ANSWERS = [
    (r"The text has a table in it\. What does the table's first cell say", partition),
    (r"How many rows has the table", size),
    (r"Which cells of the table are merged", merged),
    (r'Where in the table does a cell say "(.*)"\? Write', lookup),
    (r"What does the cell in row (\d+), column (\d+) of the table say\?", reverse),
    (r"What is the name of column (\d+) of the table\?", column_name),
    (r"What do the header cells above column (\d+) of the table say", column_name),
    (
        r'What do the cells of the column "(.*?)"(?: \(its header from the top down\))? say, from the top',
        column_values,
    ),
    (r"What do the cells of row (\d+) of the table say", row_values),
]
