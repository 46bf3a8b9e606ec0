"""Tables drawn with bars and lines: Markdown, plain or padded, and the boxes of psql."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from ...core.errors import ParseError
from ..table import Cell, Table
from .base import Serializer
from .structure import (
    assemble,
    checked,
    column_names,
    describe,
    laid_out,
    understand,
)

_special = re.compile(r"[\\|\n\r<&]|\A[ \t]|[ \t]\Z").search
_ESCAPES = re.compile(r"[\\|\n\r]|<(?=[bB][rR])|&(?=[#A-Za-z])|\A[ \t]+|[ \t]+\Z")
_AS = {"\n": "<br>", "\r": "&#13;", " ": "&#32;", "\t": "&#9;"}
_UNESCAPES = re.compile(
    r"\\([!-/:-@\[-`{-~])|<br\s*/?>|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);", re.I
)
_CELL = re.compile(r"((?:[^\\|]|\\.|\\\Z)*)(?:\||\Z)", re.DOTALL)
DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
"""The line between a header and its table."""
_COMMENT = re.compile(r"<!-- (.*) -->")
_is_number = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?").fullmatch


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
        lines = [[_escape(cell.text) for cell in row] for row in laid_out(table)]
        if not table.header_rows:
            lines.insert(0, [""] * table.n_columns)
        preamble = [f"<!-- {line} -->" for line in describe(table)]
        return checked("\n".join(preamble + self._drawn(lines)), table, self.name, nul=False)

    def _drawn(self, lines: Sequence[Sequence[str]]) -> list[str]:
        drawn = [f"| {' | '.join(line)} |" for line in lines]
        return [drawn[0], "|" + " --- |" * len(lines[0]), *drawn[1:]]

    def parse(self, text: str) -> Table:  # noqa: D102
        lines = [line.removesuffix("\r") for line in text.split("\n")]
        comments = []
        while lines and (match := _COMMENT.fullmatch(lines[0])):
            comments.append(match[1])
            del lines[0]
        structure = understand(comments, self.name)
        grid = _grid([line for line in lines if line.strip(" \t")], self.name)
        return assemble(grid if structure.header_rows else grid[1:], structure, self.name)


class MarkdownPadded(Markdown):
    """``markdown`` with its columns aligned, as ``to_markdown`` of pandas draws them.

    Columns of numbers are aligned by their decimal points, others at the left. Numbers keep their texts
    (pandas writes ``1.50`` as ``1.5``).
    """

    name = "markdown_padded"
    explanation = (
        "Each line is a row of the table, with bars between its cells, which are padded with spaces; the "
        "header comes first, with a line of hyphens below. A comment above the table says what a grid cannot "
        "show, such as merged cells."
    )

    def _drawn(self, lines: Sequence[Sequence[str]]) -> list[str]:
        columns = [_Column(column) for column in zip(*lines, strict=True)]
        rows = zip(*[column.padded for column in columns], strict=True)
        head, *body = [f"| {' | '.join(row)} |" for row in rows]
        rules = [
            "-" * (column.width + 1) + ":" if column.is_numeric else ":" + "-" * (column.width + 1)
            for column in columns
        ]
        return [head, f"|{'|'.join(rules)}|", *body]


class _Column:
    """A column's texts, the header's first, padded to one width."""

    def __init__(self, texts: Sequence[str]) -> None:
        head, *body = texts
        known = [text for text in body if text]
        self.is_numeric = bool(known) and all(map(_is_number, known))
        if self.is_numeric:
            decimals = [len(text) - text.find(".") - 1 if "." in text else -1 for text in body]
            body = [text + " " * (max(decimals) - own) for text, own in zip(body, decimals, strict=True)]
        self.width = max(len(head) + 2, *map(len, body))
        pad = str.rjust if self.is_numeric else str.ljust
        self.padded = [pad(text, self.width) for text in (head, *body)]


class Psql(Serializer):
    """A box of ``+--+`` and ``|``, as ``psql`` of the package tabulate draws it.

    Headings are joined by a slash, merged cells say their text in every place, and the lines of a cell with
    line breaks stand below each other. The title stands above, notes below.
    """

    name = "psql"
    loses = "which lines are one cell with line breaks, which cells are merged, how headings are nested"
    explanation = (
        "The table is drawn: bars stand between the cells of a row, and lines of hyphens around the header "
        "and the table. A heading over several columns stands in front of each of theirs, a slash between."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        rows = [column_names(table), *[[cell.text for cell in row] for row in table.body]]
        blocks = [[text.split("\n") for text in row] for row in rows]
        lines = [
            [block[number] if number < len(block) else "" for block in row]
            for row in blocks
            for number in range(max(map(len, row)))
        ]
        columns = [_Column(column) for column in zip(*lines, strict=True)]
        drawn = [f"| {' | '.join(row)} |" for row in zip(*[each.padded for each in columns], strict=True)]
        rule = "+".join(["-" * (column.width + 2) for column in columns])
        depth = max(map(len, blocks[0]))
        drawn = [f"+{rule}+", *drawn[:depth], f"|{rule}|", *drawn[depth:], f"+{rule}+"]
        title = [table.title] if table.title else []
        return checked("\n".join([*title, *drawn, *table.notes]), table, self.name)


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


def _escape(text: str) -> str:
    return _ESCAPES.sub(_escaped, text) if _special(text) else text


def _escaped(match: re.Match[str]) -> str:
    found = match[0]
    return "".join([_AS[char] for char in found]) if found[0] in _AS else "\\" + found


def unescape(text: str) -> str:
    """A cell's text without escapes: those of backslashes, ``<br>`` and character references."""
    return _UNESCAPES.sub(_unescaped, text) if "\\" in text or "<" in text or "&" in text else text


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    return "\n" if match[0][0] == "<" else html.unescape(match[0])
