# ruff: noqa: RUF001 (typographic dashes and the multiplication sign are read as what they look like)
"""Sizes, places, and columns in answers, however they are written: ``R4C2``, ``4 columns and 9 rows``.

In: an answer. Out: its numbers by what they count, or None where it cannot be read as a whole: every sign and
every word must be one that such answers have, and no number may be left over. So an answer that names two
possibilities, or denies one, is not read as one of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, product

from ....scoring.answers import without_formatting
from .index_tokens import (
    LONGEST,
    RANGED,
    Token,
    axes_of,
    is_list,
    marks_of,
    number_in_words,
    numbers_of,
    readings,
)
from .phrases import VOCABULARY

Place = tuple[int, int]
"""The indexes of a row and a column."""


@dataclass(frozen=True, slots=True)
class AxisIndexes:
    """Numbers of one axis: ``rows 4 and 5``."""

    axis: str
    numbers: tuple[int, ...]


def sizes_of(answer: str) -> Place | None:
    """The numbers of rows and of columns; without words the first is that of rows."""
    return next((size for tokens in readings(answer) if (size := _size(tokens))), None)


def places_of(answer: str) -> frozenset[Place] | None:
    """The places in an answer: row and column, or the reverse where the words say so."""
    for text in (answer, _after_subject(answer)):
        uncounted, count = _without_count(text)
        for tokens in readings(uncounted):
            found = _places(tokens)
            if found and count in (None, len(found)):
                return frozenset(found)
    return None


# "in two cells: (4, 2) and (5, 2)"
_PLACES = re.compile(r"(?i)\b(\d{1,3}|[a-z]{3,9}) (?:such |matching )?(?:cells|places|positions|locations)\b")


def _without_count(text: str) -> tuple[str, int | None]:
    """The text without the number of places that it announces, and that number; None where there is none."""
    said = _PLACES.search(text) if len(text) <= LONGEST else None
    if said is None:
        return text, None
    count = int(said[1]) if said[1].isdecimal() else number_in_words(said[1])
    return (text, None) if count is None else (f"{text[: said.start()]} {text[said.end() :]}", count)


def columns_of(answer: str) -> frozenset[int] | None:
    """The indexes of columns in an answer; none of them where it says that there is no merged cell."""
    if says_none(answer):
        return frozenset()
    for tokens in readings(_COUNT.sub(" ", answer) if len(answer) <= LONGEST else answer):
        found = _columns(tokens)
        if found:
            return frozenset(found)
    return None


_NONE = frozenset(("no", "none", "not", "nothing", "null", "isn't", "aren't", "doesn't"))
_NO_MERGED_CELL = VOCABULARY | {"do", "does", "over", "reach", "reaches"}
# "not all cells", "no header cell" do not deny that any cell is merged
_PARTS = "above all below body bottom each first header headers last left right top"
_OF_SOME = frozenset(_PARTS.split())
_NO_AS_REPLY = re.compile(r"\Ano[,.]\s(?=\s*\w)")
_BOTH_AXES = re.compile(r"\b(?:rows?|columns?) or (?=(?:rows?|columns?)\b)")


def says_none(answer: str) -> bool:
    """Whether an answer says, once and without a number, that there is nothing to name."""
    if len(answer) > LONGEST:
        return False
    plain = without_formatting(answer).casefold().replace("’", "'")
    plain = _BOTH_AXES.sub("", _NO_AS_REPLY.sub("", plain.lstrip()))
    words = re.findall(r"[^\W\d_]+(?:'t)?|\d", plain)
    if any(empty in "".join(plain.split()) for empty in ("[]", "{}")):
        return _NO_MERGED_CELL.issuperset(words)
    denials = [word for word in words if word in _NONE]
    if len(denials) != 1 or not _OF_SOME.isdisjoint(words):
        return False
    return all(word in _NONE or word in _NO_MERGED_CELL for word in words)


_COUNT = re.compile(r"(?i)\b(?:\d{1,9}|[a-z]{3,9}) (?:merged |spanning )?cells?\b|\b\d{1,9} columns\b")
# "Harbourshire stands at (4, 2)": what stands there may be said again, but for words that deny it
_SUBJECT = re.compile(
    r"(?is)(.{1,300}?)\b(?:is|are|was|were|stands?|appears?|occurs?|sits?|lies?|found|located) (?:in|at)\b"
)
_DENIAL = re.compile(
    r"(?i)\b(?:not|no|never|nor|neither|either|or|maybe|perhaps|possibly|if|unless|instead|wrong|false)\b|n['’]t\b"
)
_SAYS = re.compile(r"""(?i)\b(?:says|contains|holds|reads|has the value) ?["“'][^"”'\n]{1,200}["”']\.?$""")


def _after_subject(answer: str) -> str:
    if len(answer) > LONGEST:
        return answer
    short = _SAYS.sub("", answer.strip())
    subject = _SUBJECT.match(short)
    if subject is None or _DENIAL.search(subject[1]) or _PAIR.search(subject[1]):
        return short
    return short[subject.end() :]


_PAIR = re.compile(r"\d ?[,|] ?\d|(?i:\brow\b)")


_ROWS_FIRST = frozenset(("nn", "rncn", "nrnc", "rcnn", "nnrc", "nrn", "nnc", "rnn"))
_COLUMNS_FIRST = frozenset(("cnrn", "ncnr", "crnn", "nncr", "ncn", "nnr", "cnn"))


def _size(tokens: Sequence[Token]) -> Place | None:
    axes = axes_of(tokens)
    if axes not in _ROWS_FIRST | _COLUMNS_FIRST or not is_list(tokens):
        return None
    first, second = numbers_of(tokens)
    return (first, second) if axes in _ROWS_FIRST else (second, first)


def _places(tokens: Sequence[Token]) -> set[Place] | None:
    axes = axes_of(tokens)
    if "n" not in axes or not is_list(tokens):
        return None
    if axes in ("rcnn", "crnn"):  # row | column, and the numbers below
        size = _size(tokens)
        return size and {size}
    return _pairs(tokens) if set(axes) == {"n"} else _named_places(tokens)


def _pairs(tokens: Sequence[Token]) -> set[Place] | None:
    """Pairs of numbers without words: in brackets, or with another mark between two pairs than within."""
    bracketed = _bracketed(tokens)
    if bracketed is None:
        return None
    if len(bracketed) > 1:
        return _paired(bracketed)
    marks = marks_of(tokens)[1:-1]
    distinct = dict.fromkeys(marks)
    between_pairs = distinct if len(distinct) > 1 else {}
    for mark in between_pairs:
        split = _split(numbers_of(tokens), [each == mark for each in marks])
        if all(len(part) == 2 for part in split):
            return _paired(split)
    numbers = numbers_of(tokens)
    if between_pairs or len(numbers) % 2 or (len(numbers) > 2 and "" in marks):
        return None
    return _paired([numbers[at : at + 2] for at in range(0, len(numbers), 2)])


def _paired(parts: Sequence[Sequence[int]]) -> set[Place] | None:
    return {(part[0], part[1]) for part in parts} if all(len(part) == 2 for part in parts) else None


def _split(numbers: Sequence[int], ends: Sequence[bool]) -> list[list[int]]:
    """The numbers in parts; ``ends`` says after which of them a part ends."""
    parts = [[numbers[0]]]
    for number, is_new in zip(numbers[1:], ends, strict=True):
        if is_new:
            parts.append([])
        parts[-1].append(number)
    return parts


def _bracketed(tokens: Sequence[Token]) -> list[list[int]] | None:
    """The numbers in each innermost pair of brackets; one list without any; None where some stand outside.

    Brackets around one number each (``[4][2]``) say nothing.
    """
    parts: list[list[int]] = [[]]
    outside, depth = 0, 0
    for token in tokens:
        if token.kind in ("open", "close"):
            depth = max(depth + (1 if token.kind == "open" else -1), 0)
            if parts[-1]:
                parts.append([])
        elif token.kind == "number":
            parts[-1].append(token.number)
            outside += not depth
    filled = [part for part in parts if part]
    if all(len(part) == 1 for part in filled):
        return [[part[0] for part in filled]]
    return None if outside and len(filled) > 1 else filled


def _named_places(tokens: Sequence[Token]) -> set[Place] | None:
    """Places by the words for rows and columns, which stand before their numbers, or all after them."""
    labelled = [token for token in tokens if token.kind in ("number", "row", "column")]
    if labelled[0].kind == "number":
        if any(token.is_plural for token in labelled):  # "4 rows, 2 columns" is a size
            return None
        labelled.reverse()
        if labelled[0].kind == "number":
            return None
        groups = _groups(labelled)[::-1]
    else:
        groups = _groups(labelled)
    merged = [
        AxisIndexes(axis, tuple(number for group in same for number in group.numbers))
        for axis, same in groupby(groups, key=lambda group: group.axis)
    ]
    if any(not group.numbers for group in groups) or len(merged) % 2:
        return None
    pairs = [*zip(merged[::2], merged[1::2], strict=True)]
    if any(first.axis != pairs[0][0].axis for first, _ in pairs):
        return None
    return _products(pairs)


def _products(pairs: Sequence[tuple[AxisIndexes, AxisIndexes]]) -> set[Place] | None:
    """``rows 4 and 5, column 2``: one of the sides has one number; alone, where it has several."""
    found: set[Place] = set()
    for pair in pairs:
        rows, columns = (group.numbers for group in sorted(pair, key=lambda group: group.axis, reverse=True))
        if len(rows) > 1 < len(columns) or (len(rows) * len(columns) > 1 < len(pairs)):
            return None
        found.update(product(rows, columns))
    return found


def _groups(labelled: Sequence[Token]) -> list[AxisIndexes]:
    """Numbers with the word before them."""
    starts = [at for at, token in enumerate(labelled) if token.kind != "number"]
    ends = [*starts[1:], len(labelled)]
    return [
        AxisIndexes(labelled[start].kind, tuple(token.number for token in labelled[start + 1 : end]))
        for start, end in zip(starts, ends, strict=True)
    ]


_WIDEST = 1000
"""A range of more columns is none."""


def _columns(tokens: Sequence[Token]) -> set[int] | None:
    """Indexes, and ranges from a lower to a higher one; of places the columns."""
    if "r" in axes_of(tokens):
        return {column for _, column in _places(tokens) or ()} or None
    numbers = numbers_of(tokens)
    if not numbers or not is_list(tokens, RANGED):
        return None
    found = set(numbers)
    for first, last, mark in zip(numbers, numbers[1:], marks_of(tokens)[1:], strict=False):
        if mark in ("-", "to"):
            if not first < last < first + _WIDEST:
                return None
            found.update(range(first, last))
    return found
