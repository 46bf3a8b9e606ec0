"""Lists of values in answers, however they are written: with bars, commas, or lines, as JSON, in words.

In: an answer, and the values that a reference has. Out: whether the answer says them and nothing else. The
reference guides the reading: a separator other than ``|`` counts only where no value of the reference has it.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....core.texts import normalize
from ....scoring.answers import (
    parts_of,
    unescaped,
    unfenced,
    unquoted,
    values_of,
    without_formatting,
    without_numbering,
)
from .phrases import after_lead_ins, without_remarks, without_tail
from .places import sizes_of

_MOST_WORDS, _MOST_AROUND = 2000, 120

_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """A value, with what the answer calls it: ``first cell`` and ``Year``."""

    label: str
    value: str


def is_list_of(answer: str, reference: str) -> bool:
    """Whether an answer says the values of a reference, in their order or by names that give it."""
    expected = values_of(reference)
    if values_of(answer) == expected:
        return True
    if len(answer) > _longest(reference, len(expected)):
        return False
    if len(expected) == 2 and all(value.isdecimal() for value in expected):
        size = sizes_of(answer)
        if size is not None:
            return [str(number) for number in size] == [value.lstrip("0") or "0" for value in expected]
    return any(
        len(values) == len(expected) and all(map(_is_value, values, expected))
        for text, is_reversed in _bodies(answer, expected)
        for values in _lists(text, expected, is_reversed=is_reversed)
    )


def _longest(reference: str, count: int) -> int:
    """The most characters of an answer in another form than with bars: sentences add no more."""
    return 4 * len(reference) + _MOST_AROUND * count + _MOST_WORDS


def _is_value(written: str, expected: str) -> bool:
    if normalize(written) == expected:
        return True
    return any(
        normalize(unquoted(form)) == expected
        for form in (written, without_formatting(written), unescaped(written))
    )


def _bodies(answer: str, expected: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The texts that may be the list: all of the answer, or that without the words around it.

    With each whether the words before it name the last value before the first one, or columns before rows.
    """
    plain = without_formatting(without_remarks(answer))
    texts = dict.fromkeys((answer.strip(), unfenced(answer).strip(), plain, unquoted(plain)))
    for text in texts:
        yield text, False
        if len(expected) == 1:
            yield from ((shorter, False) for shorter in without_tail(text))
        for lead, rest in after_lead_ins(text):
            yield rest, _names_last_first(lead)
            if rest.startswith(("**", "__")):  # **Answer:** 9
                yield rest[2:].strip(), _names_last_first(lead)


def _names_last_first(lead: str) -> bool:
    words = re.findall(r"[^\W\d_]+", lead.casefold())
    pairs = (("first", "last"), ("rows", "columns"))
    return any(low in words and high in words and words.index(high) < words.index(low) for low, high in pairs)


def _lists(text: str, expected: Sequence[str], *, is_reversed: bool) -> Iterator[list[str]]:
    """The lists that a text can be, each as long as the one expected."""
    count = len(expected)
    if text.endswith((").", "].", "}.")):  # the end of the sentence around a list
        text = text[:-1]
    for read in (_json, _pipe_table):
        entries = read(text)
        if entries and len(entries) == count:
            yield _in_order(entries, expected)
    if count == 1:
        yield [text]
        if text[:1] == "[":
            yield [_without_brackets(text)]
        return
    for parts in _splits(text, expected):
        if len(parts) != count:
            continue
        yield parts[::-1] if is_reversed else parts
        labelled = [entry for part in parts if (entry := _labelled(part))]
        if len(labelled) == count:
            yield _in_order(labelled, expected)


# -- what stands between values ------------------------------------------------------------------------------

_SEPARATORS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(between), re.compile(within))
    for between, within in (
        (r"\|", r"\|"),
        (r"\n", r"\n"),
        (r"\t", r"\t"),
        (r";", r";"),
        (r", and |, | and ", r",|\band\b"),
        (r", ", r", |,$"),
        (r",", r","),
        (r" and | & ", r"\band\b|&"),
        (r" / ", r"/"),
        (r" [-–—] ", r"(?:^| )[-–—](?: |$)"),  # noqa: RUF001
        (r" ?(?:→|->|=>) ?", r"→|->|=>"),
    )
)
_THOUSANDS = re.compile(r"(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def _splits(text: str, expected: Sequence[str]) -> Iterator[list[str]]:
    """The text parted by each separator that no expected value has in it."""
    lines = [" ".join(line.split(" ")).strip() for line in text.replace("\t", "\0").split("\n")]
    flat = "\n".join(line for line in (" ".join(each.split()) for each in lines) if line).replace("\0", "\t")
    for inner in dict.fromkeys((flat, _without_brackets(flat))):
        if '"' in inner or "'" in inner:
            yield from _quoted(inner)
        for between, within in _SEPARATORS:
            if any(within.search(value) for value in expected) or not between.search(inner):
                continue
            if between.pattern == "," and _THOUSANDS.search(inner):
                continue
            parts = [part.strip() for part in between.split(inner.strip("|"))]
            yield without_numbering(parts)


def _without_brackets(text: str) -> str:
    closing = _BRACKETS.get(text[:1])
    inner = text[1:-1]
    return inner if closing and text.endswith(closing) and closing not in inner else text


def _quoted(text: str) -> Iterator[list[str]]:
    """The values of a line with commas between them, and quotation marks around those that hold one."""
    if "\n" in text:
        return
    for quote in "\"'":
        try:
            (row,) = csv.reader([text], quotechar=quote, skipinitialspace=True, strict=True)
        except (csv.Error, ValueError):
            continue
        if text.count(quote) == 2 * len(row):  # each value has its own
            yield row


# -- what values are called ----------------------------------------------------------------------------------

_LABEL = re.compile(r"([^|:=\n]{1,60})(?:: | ?= ?)(?=\S)")
_DENIAL = re.compile(r"(?i)\b(?:not|no|never|nor|or|wrong|instead)\b|n['’]t\b")  # noqa: RUF001


def _labelled(part: str) -> Entry | None:
    """``Rows: 9``, or ``the first cell says Year``."""
    plain = without_formatting(part)
    label = _LABEL.match(plain)
    if label and not _DENIAL.search(label[1]) and re.search(r"[^\W\d_]", label[1]):
        return Entry(label[1], plain[label.end() :])
    return next((Entry(lead, rest) for lead, rest in after_lead_ins(plain) if rest), None)


def _in_order(entries: Sequence[Entry], expected: Sequence[str]) -> list[str]:
    """The values as their names order them: first and last, rows and columns, numbers; else as they stand."""
    kinds: list[Callable[[str], int | None]] = [_end_of, _number_of]
    if len(expected) == 2 and all(value.isdecimal() for value in expected):
        kinds.insert(0, _axis_of)
    for kind in kinds:
        ranks = [rank for entry in entries if (rank := kind(entry.label)) is not None]
        if len(set(ranks)) == len(entries):
            return [
                entry.value for _, entry in sorted(zip(ranks, entries, strict=True), key=lambda each: each[0])
            ]
    return [entry.value for entry in entries]


def _words(label: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", label.casefold()))


def _rank(words: set[str], low: set[str], high: set[str]) -> int | None:
    """0 where a label has a word of the first kind, 1 of the second; None where it has both or neither."""
    is_low, is_high = bool(words & low), bool(words & high)
    return None if is_low == is_high else int(is_high)


def _end_of(label: str) -> int | None:
    return _rank(_words(label), {"first", "start", "begin", "beginning"}, {"last", "end", "ending", "final"})


def _axis_of(label: str) -> int | None:
    return _rank(_words(label), {"r", "row", "rows"}, {"c", "col", "cols", "column", "columns"})


def _number_of(label: str) -> int | None:
    numbers = re.findall(r"\d{1,9}", label[:100])
    return int(numbers[0]) if len(numbers) == 1 else None


# -- JSON and tables -----------------------------------------------------------------------------------------


def _json(text: str) -> list[Entry] | None:
    """The values of a list or an object."""
    if text[:1] not in ("[", "{"):
        return None
    try:
        found = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return [*_entries(found, "", 0)]


def _entries(found: Any, label: str, depth: int) -> Iterator[Entry]:
    if depth > _DEEPEST:
        return
    if isinstance(found, Mapping):
        for key, value in found.items():
            yield from _entries(value, key, depth + 1)
    elif isinstance(found, list):
        for value in found:
            yield from _entries(value, label, depth + 1)
    elif isinstance(found, str) and depth and "|" in found:
        yield from (Entry(label, part) for part in parts_of(found))
    else:
        yield Entry(label, found if isinstance(found, str) else json.dumps(found))


_RULE = re.compile(r"[\s:|]*-[\s:|-]*")


def _pipe_table(text: str) -> list[Entry] | None:
    """The cells below the header of a Markdown table of one row, one column, or names and values."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not _RULE.fullmatch(lines[1]) or "|" not in lines[1]:
        return None
    header, *body = (parts_of(line) for line in [lines[0], *lines[2:]])
    if not body:
        return [Entry("", cell) for cell in header]
    if len(body) == 1 and len(body[0]) == len(header):
        return [Entry(name, cell) for name, cell in zip(header, body[0], strict=True)]
    if all(len(row) == 1 for row in body):
        return [Entry("", row[0]) for row in body]
    return [Entry(row[0], row[1]) for row in body] if all(len(row) == 2 for row in body) else None
