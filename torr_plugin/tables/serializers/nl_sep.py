"""Lines with bars between cells: "NL+Sep", the plainest format of Sui et al. (WSDM 2024, section 3.4)."""

from __future__ import annotations

import re

from ...core.errors import ParseError
from ..table import Cell, Table
from ._checks import checked
from ._comments import comments, leading_comments
from ._structure import assemble, describe, laid_out, understand
from .base import Serializer

_ESCAPE = str.maketrans({"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r"})
_CELL = re.compile(r"((?:[^\\|]|\\.)*)(\||\Z)")
_UNESCAPE = re.compile(r"\\(.)")
_NAMED = {"n": "\n", "r": "\r"}


class NlSep(Serializer):
    r"""``Name | Age``, a line a row, the header first; ``\|`` is a bar, ``\n`` a line break in a cell.

    Structure beyond one header row is told in leading ``#`` lines (see ``_structure``); a first cell that
    starts with ``#`` is written ``\#``, so that it is not taken for such a line.
    """

    name = "nl_sep"
    lossless = True

    def serialize(self, table: Table) -> str:  # noqa: D102
        texts = table.texts or [[cell.text for cell in row] for row in laid_out(table)]
        text = "\n".join([" | ".join([each.translate(_ESCAPE) for each in row]) for row in texts])
        text = "\\" + text if text.startswith("#") else text
        return checked(comments(describe(table)) + text, table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        told, start = leading_comments(text)
        lines = text[start:].split("\n")
        return assemble([_cells(line, self.name) for line in lines], understand(told, self.name), self.name)


def _cells(line: str, name: str) -> list[Cell]:
    """The cells of a line; one space belongs to each side of a bar."""
    cells, at, first = [], 0, True
    while True:
        match = _CELL.match(line, at)
        if match is None:
            raise ParseError(
                f"{name}: found {line[:60]!r}; expected cells with | between them, \\ before signs"
            )
        last = match[2] != "|"
        text = match[1] if first else match[1].removeprefix(" ")
        cells.append(Cell(_unescaped(text if last else text.removesuffix(" "))))
        if last:
            return cells
        at, first = match.end(), False


def _unescaped(text: str) -> str:
    return _UNESCAPE.sub(lambda match: _NAMED.get(match[1], match[1]), text)


SERIALIZERS: tuple[Serializer, ...] = (NlSep(),)
