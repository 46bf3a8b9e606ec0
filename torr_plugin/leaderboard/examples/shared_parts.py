"""Parts of prompts that several examples share, demonstrations above all: each is on the site once.

A part ends with a blank line. Where prompts have several demonstrations from a small pool, most of their text
is such parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .shortening import Shown

LEAST = 40
"""Characters of a part that is worth a number in its place."""
MOST = 2_000_000
"""Characters of shared parts that a page loads to show an example."""

_END = "\n\n"


@dataclass(frozen=True)
class SharedParts:
    """The parts that texts of two examples or more have: part -> its place in the file of this number."""

    number: int = -1
    places: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, number: int, texts: Iterable[tuple[int, str]]) -> SharedParts:
        """The shared ones of texts, each with the number of its example; at most ``MOST`` characters."""
        first: dict[int, int] = {}  # by their hashes: all parts together are as long as all texts
        shared = cls(number)
        left = MOST
        for example, text in texts:
            for part in _parts(text):
                if len(part) < LEAST or first.setdefault(hash(part), example) == example:
                    continue
                if part not in shared.places and len(part) <= left:
                    shared.places[part] = len(shared.places)
                    left -= len(part)
        return shared

    def numbered(self, text: Shown) -> Any:
        """A text with the places of its shared parts, in lists, where they stood; itself if it has none."""
        if isinstance(text, str) and len(text) < LEAST:
            return text
        found: list[Any] = []
        for piece in (text,) if isinstance(text, str) else text:
            for part in (piece,) if isinstance(piece, int) else _parts(piece):
                value: Any = [self.places[part]] if part in self.places else part
                if found and type(found[-1]) is type(value) and not isinstance(value, int):
                    found[-1] += value
                else:
                    found.append(value)
        return found if any(isinstance(part, list) for part in found) else text


def _parts(text: str) -> list[str]:
    """The parts of a text, with their ends."""
    *ended, last = text.split(_END)
    parts = [part + _END for part in ended]
    parts.append(last)
    return parts


def characters(texts: Sequence[Any]) -> int:
    """How long texts of :meth:`SharedParts.numbered` are without what they share."""
    pieces = (piece for text in texts for piece in ((text,) if isinstance(text, str) else text))
    return sum(len(piece) for piece in pieces if isinstance(piece, str))
