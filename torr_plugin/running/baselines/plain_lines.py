"""A table's text read without knowing its format: lines are rows, and marks part cells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class PlainTable:
    """What a plain reader sees.

    Attributes:
        lines: the cells of each line that has several, from the top.
        merged: the columns where a cell is said to reach over others, each once, in order.
    """

    lines: tuple[tuple[str, ...], ...]
    merged: tuple[int, ...]


_ELEMENT = re.compile(r"<(\w+)([^<>]{0,200})>([^<>]*)</\1>")
_PAIR = re.compile(r'"([^"]*)": ?(?:"([^"]*)"|([^",}\s]+))')
_STRING = re.compile(r'"([^"]*)"')
_RULE_CELL = re.compile(r":?-+:?")
_COLSPAN = re.compile(r'colspan="(\d{1,3})"')
_RANGES = re.compile(r"\bmerged\b.*")
_RANGE = re.compile(r"\b([A-Z]{1,2})\d+:([A-Z]{1,2})\d+\b")


@lru_cache(maxsize=2048)
def read_plainly(text: str, *, skips_rules: bool) -> PlainTable:
    """Read a table line by line.

    Cells are what stands between bars, in elements, or in quotation marks, whose keys are the header. Merged
    are cells with ``colspan``, at the place that they have in their line, and ranges such as ``A1:B2`` after
    the word ``merged``; what rows above cover is overlooked.

    Args:
        text: the table's text, and nothing else.
        skips_rules: whether lines of dashes are known to be no rows.
    """
    lines: list[tuple[str, ...]] = []
    merged: set[int] = set()
    for line in text.split("\n"):
        header, cells, spans = _cells(line.strip())
        merged.update(spans)
        if header and not lines:
            lines.append(header)
        is_rule = bool(cells) and all(_RULE_CELL.fullmatch(cell) for cell in cells)
        if len(cells) > 1 and not (is_rule and skips_rules):
            lines.append(cells)
    return PlainTable(tuple(lines), tuple(sorted(merged)))


def _cells(line: str) -> tuple[tuple[str, ...], tuple[str, ...], set[int]]:
    """The header that a line names, its cells, and the columns where it has merged ones."""
    ranges = _RANGES.search(line)
    if ranges and _RANGE.search(ranges[0]):
        return (), (), {_index(first) for first, _ in _RANGE.findall(ranges[0])}
    if "|" in line:
        inner = line[1:-1] if line.startswith("|") and line.endswith("|") else line
        return (), tuple(cell.strip() for cell in inner.split("|")), set()
    elements = _ELEMENT.findall(line)
    if elements:
        return (), tuple(text for _, _, text in elements), _spans([name for _, name, _ in elements])
    pairs = _PAIR.findall(line)
    if pairs:  # one alone is a title
        header, cells = [key for key, *_ in pairs], [text or bare for _, text, bare in pairs]
        return (tuple(header), tuple(cells), set()) if len(pairs) > 1 else ((), (), set())
    return (), tuple(_STRING.findall(line)), set()


def _spans(attributes: list[str]) -> set[int]:
    column, merged = 0, set[int]()
    for each in attributes:
        width = _COLSPAN.search(each)
        if width:
            merged.add(column)
        column += int(width[1]) if width else 1
    return merged


def _index(letters: str) -> int:
    """The index of a spreadsheet's column: 0 for ``A``."""
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter) - ord("A") + 1
    return index - 1
