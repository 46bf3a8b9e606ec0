"""Give tables the titles and footnotes that stand around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..table import Table
from .document import Block, TextBlock, sentence_ends

CAPTION = re.compile(
    r"(?:\*\*|__)?(?:(?:Table|TABLE|Tab\.)\s+(?:\d+|[IVXL]+)(?:\.\d+)*[a-z]?\s*(?:[.:|\u2013\u2014-]|\Z)|Table:).*",
    re.S,
)
"""A caption: ``Table 3: Sales``, or ``Table: Sales``."""

_UNIT = re.compile(r"\(.{1,150}\)")
_INTRODUCES = re.compile(
    r"\b(?:following|next)\s+(?:\w+\s+)?(?:table|schedule|summary)\b|\b(?:table|schedule)s?\s+below\b|\bas\s+follows\b|"
    r"\bfollowing\b.*:\Z|\bbelow\b.*:\Z|:\Z",
    re.I,
)
_NOTE = re.compile(
    r"\s*(\((?:\d{1,2}|[a-zA-Z]{1,2})\)|\[\^?\w{1,20}\]|\*{1,3}|[\u2020\u2021\u00a7])\s*\S", re.S
)
_REMARK = re.compile(r"\s*(?:Notes?|Sources?):\s", re.I)
_LONGEST_CAPTION, _LONGEST_TITLE = 500, 300
_MOST_NOTES = 50


def with_surroundings(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with what belongs to tables given to them.

    A caption (``Table 3: ...``) right above or below a table becomes its title (between two tables it belongs
    to the side that the document's other captions are on), and remarks (``Source: ...``) and footnotes right
    below a table whose marks, such as ``(1)``, stand in it become its notes: neither stays a block. A heading
    or a sentence right above a table that plainly introduces it (it ends in a colon, or says "the following
    table") becomes its title, with a line of units between them, and stays in the text too.
    """
    captions_below = _captions_below(blocks)
    found: list[Block] = []
    place = 0
    while place < len(blocks):
        block = blocks[place]
        place += 1
        if not isinstance(block, Table):
            found.append(block)
            continue
        table = _captioned(block, found)
        notes = _notes(table, blocks[place : place + _MOST_NOTES])
        place += len(notes)
        if not table.title and place in captions_below:
            table = table.replace(title=_text(blocks[place]))
            place += 1
            more = _notes(table, blocks[place : place + _MOST_NOTES])
            place += len(more)
            notes += more
        table = table.replace(notes=(*table.notes, *notes)) if notes else table
        found.append(_titled(table, found))
    return found


def _captions_below(blocks: Sequence[Block]) -> set[int]:
    """The places of captions that belong to the table above them, its footnotes between them or not."""
    below, above, between = set(), 0, set()
    ended = -1  # where the notes of the last table without a title end
    for place, block in enumerate(blocks):
        if isinstance(block, Table):
            ended = -1 if block.title else place + 1
            ended += len(_notes(block, blocks[ended : ended + _MOST_NOTES])) if ended > 0 else 0
        elif _is_caption(block):
            follows = place == ended
            precedes = place + 1 < len(blocks) and _is_untitled(blocks[place + 1])
            if follows and precedes:
                between.add(place)
            elif follows:
                below.add(place)
            above += precedes and not follows
    return below | between if len(below) > above else below


def _is_caption(block: Block) -> bool:
    text = _text(block)
    return len(text) <= _LONGEST_CAPTION and bool(CAPTION.fullmatch(text))


def _is_untitled(block: Block) -> bool:
    return isinstance(block, Table) and not block.title


def _text(block: Block) -> str:
    return block.text if isinstance(block, TextBlock) else ""


def _notes(table: Table, following: Sequence[Block]) -> list[str]:
    """The texts right after a table that are its footnotes."""
    notes: list[str] = []
    shown = ""
    for block in following:
        if not isinstance(block, TextBlock) or block.kind == "heading":
            break
        if block.kind != "note" and not _REMARK.match(block.text):
            match = _NOTE.match(block.text)
            if not match:
                break
            shown = shown or "\n".join([cell.text for row in table.rows for cell in row] + [table.title])
            if match[1] not in shown:
                break
        notes.append(block.text)
    return notes


def _captioned(table: Table, above: list[Block]) -> Table:
    """The table with the caption that stands above it, which is taken from what is above."""
    if table.title or not above or not _is_caption(above[-1]):
        return table
    return table.replace(title=_text(above.pop()))


def _titled(table: Table, above: Sequence[Block]) -> Table:
    """The table with the title that its introduction gives, if it has none."""
    if table.title or not above or isinstance(above[-1], Table):
        return table
    last = above[-1]
    unit = last.text if _UNIT.fullmatch(last.text) else ""
    before = above[-2] if unit and len(above) > 1 else last
    title = _introduction(before) if isinstance(before, TextBlock) and (before is last) != bool(unit) else ""
    return table.replace(title=f"{title} {unit}".strip()) if title else table


def _introduction(block: TextBlock) -> str:
    """The heading, or the last sentence of a paragraph that introduces what comes next; else nothing."""
    if block.kind == "heading":
        return block.text
    ends = sentence_ends(block.text)
    last = block.text[ends[-2] if len(ends) > 1 else 0 :].strip()
    if block.kind == "note" or len(last) > _LONGEST_TITLE or not _INTRODUCES.search(last):
        return ""
    return last.rstrip(":. ")
