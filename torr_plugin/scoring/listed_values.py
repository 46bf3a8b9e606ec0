# ruff: noqa: RUF001 (typographic commas, dashes and bullets are read as what they look like)
"""Answers of several values, however they are listed: with bars, commas or bullets, as JSON, as a table.

In: an answer, and how many values are expected. Out: the ways to read it as so many. Nothing here takes more
than linear time.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from ..core.texts import normalize
from ..tables.quantities import json_as_written
from .answers import unfenced, without_formatting


@dataclass(frozen=True, slots=True)
class ListedValue:
    """A value as it is written, with what JSON or a table calls it; ``name`` is empty where it has none."""

    value: str
    name: str = ""


def parts_of(text: str) -> list[str]:
    """The values of a list as they are written, without quotation marks around them."""
    return [part.strip().strip("\"'`") for part in text.strip().strip("|").split("|")]


def values_of(text: str) -> list[str]:
    """The values of a list: split at bars, those at the ends aside, each in its normal form."""
    return [normalize(part) for part in parts_of(text)]


def value_readings(answer: str, number: int) -> Iterator[list[str]]:
    """The ways to read an answer as so many values without names; see :func:`listed_readings`."""
    for listed in listed_readings(answer, number):
        if not any(each.name for each in listed):
            yield [each.value for each in listed]


def listed_readings(answer: str, number: int) -> Iterator[list[ListedValue]]:
    """The ways to read an answer as so many values.

    JSON and a Markdown table part them, or else bars, where there are any; else line ends (with bullets or
    numbers), tabs, semicolons, commas, ``and``, ``&``, slashes, dashes or arrows. A line that ends in a colon
    before a list only announces it. Brackets around it, and a full stop behind these, do not count.
    """
    text = unfenced(answer).strip()
    text = text[:-1] if text.endswith((").", "].", "}.")) else text
    of_json = _json_values(text)
    listed = _table_values(text) if of_json is None else of_json
    if listed is not None:
        if len(listed) == number:
            yield listed
        # [1,205] is JSON of two values, but may be one
        if len(listed) == number or of_json is None or not _THOUSANDS.search(text):
            return
    # (5) is -5, but [5] is 5
    inner = _without_brackets(text) if number > 1 or text[:1] == "[" else text
    barred = list(map(parts_of, dict.fromkeys((answer, inner))))
    yield from (list(map(ListedValue, parts)) for parts in barred if len(parts) == number)
    if len(barred[0]) > 1:
        return
    forms = (answer, inner, without_formatting(answer))
    for flat, form in {" ".join(form.split()): form for form in forms}.items():
        for values in _splits(form, flat):
            if len(values) == number:
                yield [ListedValue(part) for value in values for part in parts_of(value)]


# -- marks between values ------------------------------------------------------------------------------------

# what people and models write between values; a comma alone also parts the thousands of a number, and a value
# may hold an "and" or an "&" of its own
_WITHIN_A_LINE = tuple(
    map(
        re.compile,
        (
            ";",
            ", (?:and |& )?| and | & ",
            ", (?:and |& )?",
            " and | & ",
            ", (?:and )?| and ",
            ", (?:& )?| & ",
            " / ",
            " [-–—] ",
            " ?[、，] ?",
            " ?(?:→|->|=>) ?",
        ),
    )
)
_COMMA = re.compile(",")
_THOUSANDS = re.compile(r"(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)")
_TAB = re.compile("\t")
_LINE_END = re.compile(r"\n(?:[-*+•·–‣◦▪] )?")
_NUMBERING = re.compile(r"^\(?(\d{1,4})[.)] ")
_INLINE_NUMBERING = re.compile(r"(?:^|[,;]? )(?=\(?\d{1,4}[.)] )")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def _splits(text: str, flat: str) -> Iterator[list[str]]:
    """The text, and it on one line with single spaces, parted in each way, with and without numbers."""
    # single spaces, as patterns for any number of them take hours for very many; a line end before the first
    # value too, so that it loses its bullet as the others do
    lines = "".join(f"\n{' '.join(line.split())}" for line in text.split("\n"))
    inner = _without_brackets(flat)
    yield from _quoted(inner)
    for between, of in (
        (_LINE_END, lines),
        (_INLINE_NUMBERING, flat),
        (_TAB, text),
        *((mark, inner) for mark in _WITHIN_A_LINE),
        *([] if _THOUSANDS.search(inner) else [(_COMMA, inner)]),
    ):
        values = [value for value in between.split(of) if value.strip()]
        if between is _LINE_END and len(values) > 1 and values[0].rstrip("*_ ").endswith(":"):
            values = values[1:]
        bare = without_numbering(values)
        if len(values) > 1 or bare != values or between is _LINE_END:
            yield values
            if bare != values:
                yield bare


def without_numbering(values: list[str]) -> list[str]:
    """The values without ``1.``, ``2.`` before them, if all are numbered so."""
    found = [_NUMBERING.match(value) for value in values]
    if not all(mark and int(mark[1]) == at for at, mark in enumerate(found, 1)):
        return values
    return [value[mark.end() :] for value, mark in zip(values, found, strict=True) if mark]


def _without_brackets(text: str) -> str:
    """The text without brackets around all of it: not of ``(a), (b)``, where others close the first one."""
    opening = text[:1]
    closing = _BRACKETS.get(opening)
    if not closing or not text.endswith(closing):
        return text
    depths = accumulate((sign == opening) - (sign == closing) for sign in text)
    closed = next((at for at, depth in enumerate(depths) if not depth), None)
    return text[1:-1] if closed == len(text) - 1 else text


def _quoted(line: str) -> Iterator[list[str]]:
    """The values of a line with commas between them, where each has quotation marks of its own."""
    for quote in "\"'":
        if quote in line:
            try:
                (row,) = csv.reader([line], quotechar=quote, skipinitialspace=True, strict=True)
            except (csv.Error, ValueError):
                continue
            if line.count(quote) == 2 * len(row):
                yield row


# -- JSON and tables -----------------------------------------------------------------------------------------

_DEEPEST = 4


def _json_values(text: str) -> list[ListedValue] | None:
    """The values of a JSON list or object, by their keys; None for any other text."""
    if text[:1] not in ("[", "{"):
        return None
    try:
        return [*_within(json_as_written(text), "", 0)]
    except (ValueError, RecursionError):
        return None


def _within(found: Any, name: str, depth: int) -> Iterator[ListedValue]:
    if isinstance(found, (Mapping, list)):
        named = found.items() if isinstance(found, Mapping) else ((name, value) for value in found)
        for key, value in named if depth <= _DEEPEST else ():
            yield from _within(value, key, depth + 1)
    elif isinstance(found, str):
        yield from (ListedValue(part.strip(), name) for part in found.split("|"))
    else:
        yield ListedValue(json.dumps(found), name)


_RULE = re.compile(r"[\s:|]*-[\s:|-]*")


def _table_values(text: str) -> list[ListedValue] | None:
    """The cells below the header of a Markdown table of one row, one column, or names and values."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or "|" not in lines[1] or not _RULE.fullmatch(lines[1]):
        return None
    header, *body = (parts_of(line) for line in [lines[0], *lines[2:]])
    if not body:
        return list(map(ListedValue, header))
    if len(body) == 1 and len(body[0]) == len(header) > 1:
        return list(map(ListedValue, body[0], header))
    if all(len(row) == 1 for row in body):
        return [ListedValue(row[0]) for row in body]
    return [ListedValue(row[1], row[0]) for row in body] if _has_pairs(body) else None


def _has_pairs(rows: Sequence[Sequence[str]]) -> bool:
    return all(len(row) == 2 for row in rows)
