"""Texts as a page shows them: of long ones the beginning and the end; what several share is stored once.

A prompt with a long document in it has hundreds of thousands of characters, and a study has one of them for
each example and configuration.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

MOST_TEXT = 40_000
"""Characters of a text that is shown whole."""
PART = 8_000
"""Characters of each part of a longer one."""

Shown: TypeAlias = "str | tuple[str | int, ...]"
"""A text; or its parts, and between them how many characters are left out."""

Gaps: TypeAlias = "list[list[int]]"
"""Where characters are left out of a text, as places in what is left of it, and how many each time."""

_A_LINE = 400
"""How far from where a part would end a line may end, for it to end there instead."""
_TEXTS = ("prompt", "messages")
_PARTS = re.compile(r"(?<=\n\n)")


def shortened(text: str) -> tuple[str, Gaps]:
    """A text of at most ``MOST_TEXT`` characters, and the gap between the parts that are left."""
    if len(text) <= MOST_TEXT:
        return text, []
    end, begin = _line_end(text, PART), _line_end(text, len(text) - PART)
    return text[:end] + text[begin:], [[end, begin - end]]


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


def shared_parts(text: Shown, parts: dict[str, int]) -> list[int]:
    """The numbers of a text's parts, which end with an empty line; below 0, how many characters are left out.

    ``parts``: part -> its number; a new one gets the next.
    """
    found: list[int] = []
    for piece in (text,) if isinstance(text, str) else text:
        if isinstance(piece, int):
            found.append(-piece)
        else:
            found += [parts.setdefault(part, len(parts)) for part in _PARTS.split(piece)]
    return found


def shorten_requests(table: pa.Table) -> pa.Table:
    """Rows of requests with the texts of long prompts shortened; ``gaps`` says of what, as JSON.

    The column ``gaps``: the gaps of each message, or null.
    """
    lengths = pc.fill_null(pc.binary_length(pc.coalesce(*(table[name] for name in _TEXTS))), 0)
    long = pc.greater(lengths, MOST_TEXT).combine_chunks()
    gaps: list[str | None] = [None] * table.num_rows
    shorter: tuple[list[Any], list[Any]] = ([], [])
    texts = table.select([*_TEXTS])
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
    return table.append_column("gaps", pa.array(gaps, pa.string()))


def gaps_of_row(row: Mapping[str, Any]) -> Iterable[Gaps]:
    """The gaps of each message of a row, none for further ones."""
    yield from json.loads(row["gaps"]) if row.get("gaps") else ()
    while True:
        yield []


def _short_row(row: Mapping[str, Any]) -> tuple[str, str | None, list[Gaps]]:
    if row["messages"] is None:
        text, gaps = shortened(row["prompt"])
        return text, None, [gaps]
    messages, found = json.loads(row["messages"]), []
    for message in messages:
        message["content"], gaps = shortened(message["content"])
        found.append(gaps)
    text = json.dumps(messages, ensure_ascii=False)
    return text, text, found


def _line_end(text: str, place: int) -> int:
    """The end of the line before a place, if there is one near; else the place."""
    return text.rfind("\n", max(0, place - _A_LINE), place) + 1 or place


def characters(texts: Sequence[Shown]) -> int:
    """How long texts are, as far as they are shown."""
    pieces = (piece for text in texts for piece in ((text,) if isinstance(text, str) else text))
    return sum(len(piece) for piece in pieces if isinstance(piece, str))
