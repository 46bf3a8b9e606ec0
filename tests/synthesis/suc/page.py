"""Reads a table and a question out of a prompt with the standard library alone, not the project's readers."""

from __future__ import annotations

import re
from html.parser import HTMLParser

Cell = tuple[str, int, int, bool]
"""Text, rows and columns that it covers, whether it stands in the header."""


class _Rows(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[list[object]]] = []
        self.head, self.text = False, None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "thead":
            self.head = True
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            told = dict(attrs)
            spans = [int(told.get(name) or 1) for name in ("rowspan", "colspan")]
            self.rows[-1].append(["", *spans, self.head])
            self.text = self.rows[-1][-1]

    def handle_endtag(self, tag: str) -> None:
        if tag == "thead":
            self.head = False
        elif tag in ("th", "td"):
            self.text = None

    def handle_data(self, data: str) -> None:
        if self.text is not None:
            self.text[0] += data


def rows_of(prompt: str) -> list[list[Cell]]:
    """The rows of the last table of a prompt, cells as they are written."""
    reader = _Rows()
    reader.feed(prompt[prompt.rindex("<table") :].partition("</table>")[0])
    return [[tuple(cell) for cell in row] for row in reader.rows]  # type: ignore[misc]


def question_of(prompt: str) -> str:
    """The last question of a prompt."""
    return re.findall(r"^Question: (.*)$", prompt, re.MULTILINE)[-1]


def columns_of_merged(rows: list[list[Cell]]) -> set[tuple[int, int]]:
    """First and last column of each cell that covers several places, laid out as browsers do."""
    taken: set[tuple[int, int]] = set()
    found = set()
    for r, row in enumerate(rows):
        c = 0
        for _, down, across, _ in row:
            while (r, c) in taken:
                c += 1
            taken |= {(r + i, c + j) for i in range(down) for j in range(across)}
            if (down, across) != (1, 1):
                found.add((c, c + across - 1))
    return found
