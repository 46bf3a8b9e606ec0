"""Markdown tables (GitHub's)."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from ...core.errors import ParseError
from ..flattening import flattened
from ..table import Cell, Table
from .base import Serializer
from .structure import Structure, assemble, describe, laid_out, understand
from .texts import checked, plain_row, unitxt_texts

_any_special = re.compile(r"[\\|\n\r<&\t]").search
_special = re.compile(r"[\\|\n\r<&]|\A[ \t]|[ \t]\Z")
_ESCAPES = re.compile(r"[\\|\n\r]|<(?=[bB][rR])|&(?=[#A-Za-z])|\A[ \t]+|[ \t]+\Z")
_AS = {"\n": "<br>", "\r": "&#13;", " ": "&#32;", "\t": "&#9;"}
_UNESCAPES = re.compile(
    r"\\([!-/:-@\[-`{-~])|<br\s*/?>|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);", re.I
)
_CELL = re.compile(r"((?:[^\\|]|\\.|\\\Z)*)(?:\||\Z)", re.DOTALL)
DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
"""The line between a header and its table."""
_COMMENT = re.compile(r"<!-- (.*) -->")


class Markdown(Serializer):
    r"""``| a | b |``; a pipe is ``\|``, a newline ``<br>``; leading comments hold further structure.

    A Markdown table has exactly one header row: further ones follow the delimiter row (a comment has their
    number), and a table without any has an empty one.
    """

    name = "markdown"
    lossless = True
    explanation = (
        "Each line is a row of the table, with bars between its cells; the header comes first, with a "
        "line of hyphens below. A comment above the table says what a grid cannot show, such as merged "
        "cells."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        lines = [_line(row) for row in laid_out(table)]
        width = table.n_columns
        if not table.header_rows:
            lines.insert(0, "|" + "  |" * width)
        lines.insert(1, "|" + " --- |" * width)
        preamble = [f"<!-- {line} -->" for line in describe(table)]
        return checked("\n".join(preamble + lines), table, self.name, nul=False)

    def parse(self, text: str) -> Table:  # noqa: D102
        lines = [line.removesuffix("\r") for line in text.split("\n")]
        comments = []
        while lines and (match := _COMMENT.fullmatch(lines[0])):
            comments.append(match[1])
            del lines[0]
        structure = understand(comments, self.name)
        grid = _grid([line for line in lines if line.strip(" \t")], self.name)
        return assemble(grid if structure.header_rows else grid[1:], structure, self.name)


class TorrMarkdown(Markdown):
    """As unitxt's ``SerializeTableAsMarkdown``: nothing is escaped."""

    name = "torr.markdown"
    lossless = False
    explanation = (
        "Each line is a row of the table, with bars between its cells; the header comes first, with a "
        "line of hyphens below."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = unitxt_texts(table, self.name)
        lines = [f"|{'|'.join(row)}|" for row in rows]
        return "\n".join([f"|{'|'.join(header)}|", f"|{'|'.join(['---'] * len(header))}|", *lines]).strip()

    def parse(self, text: str) -> Table:
        """Read lines ``|a|b|``; a pipe inside a cell begins another cell.

        A line that does not end in a pipe continues in the next one, for cells with newlines.
        """
        rows = [line[1:-1].split("|") for line in _joined(text.split("\n"))]
        if len(rows) < 2 or set(rows[1]) != {"---"}:
            raise ParseError(
                f"{self.name}: the text has no delimiter row; expected |---|---| below the header"
            )
        return assemble([list(map(Cell, row)) for row in (rows[0], *rows[2:])], Structure(), self.name)


def _joined(lines: Sequence[str]) -> list[str]:
    joined: list[str] = []
    for line in lines:
        if joined and not (joined[-1].endswith("|") and len(joined[-1]) > 1):
            joined[-1] += "\n" + line
        elif line.startswith("|"):
            joined.append(line)
    return [line for line in joined if line.endswith("|") and len(line) > 1]


def _grid(lines: Sequence[str], name: str) -> list[list[Cell]]:
    if len(lines) < 2 or not DELIMITER.fullmatch(lines[1]):
        found = repr(lines[1][:60]) if len(lines) > 1 else "no second line"
        raise ParseError(
            f"{name}: the text has {found}; expected a delimiter row such as | --- | --- | below the header"
        )
    return [[Cell(unescape(text)) for text in split_line(line)] for line in (lines[0], *lines[2:])]


def split_line(line: str) -> list[str]:
    """The texts of a row's cells, their escapes left as they are."""
    inner = line.strip(" \t").removeprefix("|")
    cells = [match[1].strip(" \t") for match in _CELL.finditer(inner)]
    # the pattern matches once more, empty, at the end of the line: after the closing pipe, if there is one
    return cells[:-1] if len(cells) > 1 else cells


def _line(row: Sequence[Cell]) -> str:
    inner = plain_row(row, _any_special, " | ")
    if inner is None:
        inner = " | ".join([_escape(cell.text) for cell in row])
    return f"| {inner} |"


def _escape(text: str) -> str:
    return _ESCAPES.sub(_escaped, text) if _special.search(text) else text


def _escaped(match: re.Match[str]) -> str:
    found = match[0]
    return "".join([_AS[char] for char in found]) if found[0] in _AS else "\\" + found


def unescape(text: str) -> str:
    """A cell's text without escapes: those of backslashes, ``<br>`` and character references."""
    return _UNESCAPES.sub(_unescaped, text) if "\\" in text or "<" in text or "&" in text else text


def _unescaped(match: re.Match[str]) -> str:
    found = match[0]
    if match[1]:
        return match[1]
    if found[0] == "<":
        return "\n"

    return html.unescape(found)


class MarkdownPaths(Markdown):
    """One header row of joined paths (``2019 / Male``), and every row with all of its labels.

    Paths replace the empty places and the comment of ``markdown``. No text is lost, but the layout is: it is
    read back as the flat table that it shows.
    """

    name = "markdown_paths"
    lossless = False
    explanation = (
        "Each line is a row of the table, with bars between its cells. Each heading stands with those "
        "above it, a slash between them."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        return super().serialize(flattened(table))
