"""Long texts as a page shows them: their beginning, their end, and the part that bears on the answer.

A prompt with a long document in it has hundreds of thousands of characters, and a study has one of them for
each example and configuration.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ...recipes import facts_of_column

MOST_TEXT = 40_000
"""Characters of a text that is shown whole."""
PART = 8_000
"""Characters of each part of a longer one."""

Shown: TypeAlias = "str | tuple[str | int, ...]"
"""A text; or its parts, and between them how many characters are left out."""

Gaps: TypeAlias = "list[list[int]]"
"""Where characters are left out of a text, as places in what is left of it, and how many each time."""

_WORD = re.compile(r"\w[\w.,]*\w|\w")
_LENGTHS = (4, 2, 1)
"""Words of a phrase; shorter ones are looked for where no longer one is found."""
_MOST_PHRASES, _COMMON = 60, 50
"""Of what bears on the answer; at how many places in a text a phrase says nothing."""
_A_LINE = 400
"""How far from where a part would end a line may end, for it to end there instead."""
_TEXTS, _ABOUT = ("prompt", "messages"), ("question", "evidence")


def shortened(text: str, about: str = "") -> tuple[str, Gaps]:
    """A text of at most ``MOST_TEXT`` characters, and the gaps between the parts that are left.

    ``about`` is what bears on the answer: the part of the middle is kept that shares most phrases with it.
    """
    if len(text) <= MOST_TEXT:
        return text, []
    starts = [0, *([] if (telling := _telling(text, about)) is None else [telling]), len(text) - PART]
    joined, gaps, last = "", [], 0
    for start in starts:
        begin, end = max(last, _line_end(text, start)), start + PART
        end = len(text) if end == len(text) else _line_end(text, end)
        if begin > last:
            gaps.append([len(joined), begin - last])
        joined, last = joined + text[begin:end], end
    return joined, gaps


def in_parts(text: str, gaps: Gaps) -> Shown:
    """What is left of a text, with its gaps in their places."""
    if not gaps:
        return text
    found: list[str | int] = []
    last = 0
    for place, count in gaps:
        found += [text[last:place], count]
        last = place
    return (*found, text[last:])


def shorten_requests(table: pa.Table) -> pa.Table:
    """Rows of requests with the texts of long prompts shortened; ``gaps`` says of what, as JSON.

    The column ``gaps`` takes the place of ``facts``: the gaps of each message, or null.
    """
    lengths = pc.fill_null(pc.binary_length(pc.coalesce(*(table[name] for name in _TEXTS))), 0)
    long = pc.greater(lengths, MOST_TEXT).combine_chunks()
    gaps: list[str | None] = [None] * table.num_rows
    shorter: tuple[list[Any], list[Any]] = ([], [])
    texts = table.select([*_TEXTS, "references", "facts"])
    for at in pc.indices_nonzero(long).to_pylist():
        *short, found = _short_row(texts.slice(at, 1).to_pylist()[0])
        gaps[at] = json.dumps(found) if any(found) else None
        for column, text in zip(shorter, short, strict=True):
            column.append(text)
    for name, column in zip(_TEXTS, shorter, strict=True):
        place = table.schema.get_field_index(name)
        field = table.schema.field(place)
        replaced = pc.replace_with_mask(table[name], long, pa.array(column, field.type))
        table = table.set_column(place, field, replaced)
    return table.drop_columns(["facts"]).append_column("gaps", pa.array(gaps, pa.string()))


def gaps_of_row(row: Mapping[str, Any]) -> Iterable[Gaps]:
    """The gaps of each message of a row, none for further ones."""
    yield from json.loads(row["gaps"]) if row.get("gaps") else ()
    while True:
        yield []


def _short_row(row: Mapping[str, Any]) -> tuple[str, str | None, list[Gaps]]:
    facts = facts_of_column(row["facts"])
    about = "\n".join([*(facts.get(name, "") for name in _ABOUT), *map(str, row["references"] or ())])
    if row["messages"] is None:
        text, gaps = shortened(row["prompt"], about)
        return text, None, [gaps]
    messages, found = json.loads(row["messages"]), []
    for message in messages:
        message["content"], gaps = shortened(message["content"], about)
        found.append(gaps)
    text = json.dumps(messages, ensure_ascii=False)
    return text, text, found


def _telling(text: str, about: str) -> int | None:
    """Where those ``PART`` characters of a text's middle begin that share most phrases with another text."""
    for length in _LENGTHS:
        found = [_places(text, phrase) for phrase in _phrases(about, length)]
        if any(found):
            return min(max(_densest(found), PART), len(text) - 2 * PART)
    return None


def _phrases(text: str, length: int) -> list[str]:
    """The first different ones of so many words in a row."""
    words = list(_WORD.finditer(text))
    pairs = zip(words, words[length - 1 :], strict=False)
    return list(dict.fromkeys(text[first.start() : last.end()] for first, last in pairs))[:_MOST_PHRASES]


def _densest(found: Sequence[Sequence[int]]) -> int:
    """Where to begin to have most phrases near; one weighs more, the fewer places it has."""
    weights = [log(2 * _COMMON / max(1, len(places))) for places in found]
    window: deque[tuple[int, int]] = deque()
    inside: Counter[int] = Counter()
    best, begin = 0.0, 0
    for place, phrase in sorted((place, phrase) for phrase, places in enumerate(found) for place in places):
        window.append((place, phrase))
        inside[phrase] += 1
        while place - window[0][0] > PART // 2:
            inside[window.popleft()[1]] -= 1
        weight = sum(weights[each] for each, count in inside.items() if count)
        if weight > best:
            best, begin = weight, (window[0][0] + place - PART) // 2
    return begin


def _places(text: str, phrase: str) -> list[int]:
    """Where a phrase stands in the middle of a text; none if it is common there."""
    places: list[int] = []
    start, end = PART, len(text) - PART
    for _ in range(_COMMON):
        place = text.find(phrase, start, end)
        if place < 0:
            return places
        start = place + len(phrase)
        if not (text[place - 1].isalnum() or text[start].isalnum()):
            places.append(place)
    return []


def _line_end(text: str, place: int) -> int:
    """The end of the line before a place, if there is one near; else the place."""
    return text.rfind("\n", max(0, place - _A_LINE), place) + 1 or place
