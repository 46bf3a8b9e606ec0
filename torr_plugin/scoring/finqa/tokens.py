"""A program's text as tokens."""

from __future__ import annotations

import re

_AROUND_BRACKETS = re.compile(r"[^()]*\(|\)|[^()]+")


def tokenize(program: str) -> list[str]:
    """The tokens of a program: ``add(1, 2)`` is ``["add(", "1", "2", ")"]``.

    A comma with a space separates; a comma alone belongs to a number (``1,234``) or a name. An operation's
    token ends with its bracket. Spaces are kept, as the official evaluator keeps them. Linear in the text's
    length.
    """
    return [token for part in program.split(", ") for token in _AROUND_BRACKETS.findall(part)]
