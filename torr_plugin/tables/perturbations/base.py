"""The interface of a perturbation, and the one that changes nothing."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..table import Table

if TYPE_CHECKING:
    import numpy as np


class Perturbation(ABC):
    """Returns a copy of a table with another layout (or other words).

    ``keeps_content`` promises that the result has the same texts. One that changes words implements
    ``renames``, the changes to make in question and references. One with ``draws = False`` does not use the
    generator and renames nothing: its result depends on the table alone and can be shared by examples. With
    ``pairs_with_original`` its answers are also scored as pairs with those on the original table.
    """

    name: str
    keeps_content: bool = True
    draws: bool = True
    pairs_with_original: bool = False

    @abstractmethod
    def perturb(self, table: Table, rng: np.random.Generator) -> Table:
        """The changed table; all randomness comes from ``rng``."""

    def renames(self, table: Table, rng: np.random.Generator) -> Mapping[str, str]:
        """Old word -> new word, for question and references; empty where words stay."""
        return {}


class Unchanged(Perturbation):
    """Returns the table it is given."""

    name = "none"
    draws = False

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        return table


_LETTER = re.compile(r"\w")
_HEAD = re.compile(r"\w+|\W")


def renamer(renames: Mapping[str, str]) -> Callable[[str], str]:
    """A function that replaces whole words or phrases in a text in one pass, the longest first.

    Words end at anything but a letter, digit or underscore, so that ``age`` leaves ``page`` alone. The time
    does not grow with the number of words, of which the tables of a long document have thousands.
    """
    by_head: dict[str, list[str]] = {}
    for phrase in sorted(filter(None, renames), key=len, reverse=True):
        by_head.setdefault(_HEAD.match(phrase)[0], []).append(phrase)  # type: ignore[index]
    if not by_head:
        return str
    signs = "|".join([re.escape(head) for head in by_head if not _LETTER.match(head)])
    beginning = re.compile(rf"(?<!\w)(?:\w+{'|' if signs else ''}{signs})")

    def renamed(text: str) -> str:
        parts, done, found = [], 0, beginning.search(text)
        while found:
            start, end = found.span()
            for phrase in by_head.get(found[0], ()):
                after = start + len(phrase)
                if text.startswith(phrase, start) and not _LETTER.match(text, after):
                    parts += [text[done:start], renames[phrase]]
                    done = end = after
                    break
            found = beginning.search(text, end)
        return "".join([*parts, text[done:]])

    return renamed
