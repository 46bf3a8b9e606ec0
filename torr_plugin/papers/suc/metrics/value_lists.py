"""Whether an answer says a list: its values in their order, or by names that give it, and nothing else.

In: an answer, and a reference with bars between its values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ....core.texts import normalize
from ....scoring.answers import unescaped, unfenced, unquoted, without_formatting
from ....scoring.listed_values import ListedValue, listed_readings, values_of
from .phrases import after_lead_ins, without_remarks, without_tail
from .places import sizes_of

_MOST_WORDS, _MOST_AROUND = 2000, 120


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
    for listed in listed_readings(text, len(expected)):
        values = [each.value for each in listed]
        if any(each.name for each in listed):
            yield _in_order(listed, expected)
            continue
        yield values[::-1] if is_reversed else values
        labelled = [named for value in values if (named := _labelled(value))]
        if len(labelled) == len(values) > 1:
            yield _in_order(labelled, expected)


# -- what values are called ----------------------------------------------------------------------------------

_LABEL = re.compile(r"([^|:=\n]{1,60})(?:: | ?= ?)(?=\S)")
_DENIAL = re.compile(r"(?i)\b(?:not|no|never|nor|or|wrong|instead)\b|n['’]t\b")  # noqa: RUF001


def _labelled(part: str) -> ListedValue | None:
    """``Rows: 9``, or ``the first cell says Year``."""
    plain = without_formatting(part)
    label = _LABEL.match(plain)
    if label and not _DENIAL.search(label[1]) and re.search(r"[^\W\d_]", label[1]):
        return ListedValue(plain[label.end() :], label[1])
    return next((ListedValue(rest, lead) for lead, rest in after_lead_ins(plain) if rest), None)


def _in_order(entries: Sequence[ListedValue], expected: Sequence[str]) -> list[str]:
    """The values as their names order them: first and last, rows and columns, numbers; else as they stand."""
    kinds: list[Callable[[str], int | None]] = [_end_of, _number_of]
    if len(expected) == 2 and all(value.isdecimal() for value in expected):
        kinds.insert(0, _axis_of)
    for kind in kinds:
        ranks = [rank for entry in entries if (rank := kind(entry.name)) is not None]
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
