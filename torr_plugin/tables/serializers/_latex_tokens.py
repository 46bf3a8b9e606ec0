"""LaTeX as a list of tokens with its brackets matched, in one pass over the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\\(?:[A-Za-z@]+|.|\Z)|%[^\n]*(?:\n[ \t]*)?|[{}&$~\[\]]|[ \t\r\n]+|[^\\%{}&$~\[\] \t\r\n]+", re.S
)


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text: commands, comments, braces, white space, words.

    ``closing`` has for the index of every bracket that is closed the index of the one that closes it.
    """

    items: list[str]
    closing: dict[int, int]

    def skip(self, index: int) -> int:
        """The first index from ``index`` on that is neither white space nor a comment."""
        items = self.items
        while index < len(items) and is_blank(items[index]):
            index += 1
        return index

    def argument(self, index: int) -> tuple[int, int] | None:
        """The inside of the ``{...}`` that begins at ``index``, white space before it passed over."""
        index = self.skip(index)
        if index < len(self.items) and self.items[index] == "{" and index in self.closing:
            return index + 1, self.closing[index]
        return None

    def option(self, index: int) -> tuple[int, int] | None:
        """The inside of the ``[...]`` that begins at ``index``, white space before it passed over."""
        index = self.skip(index)
        if index < len(self.items) and self.items[index] == "[" and index in self.closing:
            return index + 1, self.closing[index]
        return None

    def after(self, index: int, arguments: int) -> int:
        """The index behind so many arguments, and options before each, that begin at ``index``."""
        for _ in range(arguments):
            while option := self.option(index):
                index = option[1] + 1
            argument = self.argument(index)
            if argument is None:
                break
            index = argument[1] + 1
        return index

    def source(self, span: tuple[int, int] | None) -> str:
        """The text of a stretch of tokens without its white space at the ends."""
        return "".join(self.items[span[0] : span[1]]).strip() if span else ""


def is_blank(token: str) -> bool:
    """Whether a token is white space or a comment."""
    return token[0] in " \t\r\n%"


def tokenize(text: str) -> Tokens:
    """All tokens of a text; brackets that nothing closes stay without a partner."""
    items = _TOKEN.findall(text)
    closing: dict[int, int] = {}
    open_: list[int] = []
    for index, item in enumerate(items):
        if item in ("{", "["):
            open_.append(index)
        elif item == "}":
            _close_brace(items, closing, open_, index)
        elif item == "]" and open_ and items[open_[-1]] == "[":
            closing[open_.pop()] = index
    return Tokens(items, closing)


def _close_brace(items: list[str], closing: dict[int, int], open_: list[int], index: int) -> None:
    """A closing brace ends its group, and with it the square brackets left open inside."""
    while open_ and items[open_[-1]] == "[":
        open_.pop()
    if open_:
        closing[open_.pop()] = index
