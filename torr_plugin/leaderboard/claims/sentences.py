"""Sentences of a site: words, names and numbers, and the claims that they state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from ...analysis.result import Interval, MarkedBounds
from ..views import interval_text, negated
from .claim import Claim

MOST_NAMES = 3
"""In one list of a sentence."""


@dataclass(frozen=True)
class Phrase:
    """Words of a sentence, a name from the data, or a number with its interval."""

    text: str
    sort: Literal["words", "name", "number"] = "words"


@dataclass(frozen=True)
class Sentence:
    """A sentence with its heading, and where more of it is.

    Attributes:
        title: which follows from what is claimed.
        parts: of the sentence.
        path: from the site's root, or an anchor of the same page.
        more: what is there.
        claims: what it states; each of them holds.
        figure: the number behind it, where the sentence has none.
    """

    title: str
    parts: tuple[Phrase, ...]
    path: str
    more: str
    claims: tuple[Claim, ...] = ()
    figure: str = ""

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return "".join(part.text for part in self.parts)


def phrases(text: str, *inserted: Phrase | Sequence[Phrase]) -> tuple[Phrase, ...]:
    """A text with a phrase, or several, in place of each ``{}``."""
    words = map(Phrase, text.split("{}"))
    found: list[Phrase] = []
    for word, place in zip_longest(words, inserted):
        found += [word] if word.text else []
        found += [] if place is None else [place] if isinstance(place, Phrase) else place
    return tuple(found)


def name(text: str) -> Phrase:
    """A name from the data."""
    return Phrase(text, "name")


def names(found: Sequence[str], noun: str = "other") -> tuple[Phrase, ...]:
    """``a, b and c``; of many the first, and how many more there are."""
    shown = found if len(found) <= MOST_NAMES + 1 else found[:MOST_NAMES]
    left = len(found) - len(shown)
    ends = [name(each) for each in shown]
    ends += [Phrase(f"{left} {noun}s")] if left else []
    return tuple(_joined(ends))


def _joined(ends: Sequence[Phrase]) -> Iterator[Phrase]:
    for place, end in enumerate(ends):
        if place:
            yield Phrase(" and " if place == len(ends) - 1 else ", ")
        yield end


def number(figure: MarkedBounds) -> Phrase:
    """A figure with its interval; a star as in the tables where some scores are missing."""
    return Phrase(interval_text(figure) + ("" if figure.complete else "*"), "number")


def size(figure: Interval) -> Phrase:
    """How large a difference is, whatever its sign."""
    return number(negated(figure) if (figure.value or 0.0) < 0 else figure)


def count_of(part: int, whole: int, noun: str) -> str:
    """``the model``, ``both models``, ``every model``, ``3 of 14 models``."""
    if whole == 1:
        return f"the {noun}"
    if part == whole:
        return f"both {noun}s" if whole == 2 else f"every {noun}"
    return f"{part} of {whole} {noun}s"
