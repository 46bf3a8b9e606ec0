"""Reads back questions of types 14 and 15: which cells does the comparison find, and where is the answer?

As :mod:`sentence_reader`, made from the template's text by regular expressions alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from .grid_oracle import Cell
from .sentence_reader import SentenceReader

_COMPARED = re.compile(r"What (?:is|are) (.+?) for which (.+) is (greater|lower) than (-?[\d.]+)\?")


def comparison_cells(text: str, table: list[Cell], sentence: str) -> Iterator[list[Cell]]:
    """What a question of type 14 or 15 can be read to select: the cells it compares, or those it asks for."""
    match = _COMPARED.match(sentence)
    assert match, sentence
    asked, compared, side, bound = match.groups()
    phrase = text.partition("for_which ")[2].partition(" is_$OPANDVAL")[0]
    reader = SentenceReader(f"What is {phrase} ?", table)
    found = [
        cell
        for cell in reader.cells(f"What is {compared}?")
        if (Decimal(cell["Value"]) > Decimal(bound)) == (side == "greater")
        and cell["Value"] != Decimal(bound)
    ]
    report = sentence.partition("? ")[2]
    if not report:
        named, rows = _names(asked.removeprefix("the "), table), _rows(reader, compared, table)
        assert [name for name in named if name in rows] == rows
        yield found
        return
    for target, names in _parted(asked, table):
        try:
            wanted = reader.cells(f"What is {target}?")
        except AssertionError:
            continue
        assert all(name.replace("_", " ") in re.sub(r"\W", " ", report) for name in names)
        kept = {tuple(cell[name] for name in names) for cell in found}
        yield [cell for cell in wanted if tuple(cell[name] for name in names) in kept]


def _rows(reader: SentenceReader, compared: str, table: list[Cell]) -> list[str]:
    """The attributes that a comparison in one column leaves open: those that tell its rows apart."""
    one = reader.cells(f"What is {compared}?")
    return [name for name in table[0] if name != "Value" and len({cell[name] for cell in one}) > 1]


def _parted(asked: str, table: list[Cell]) -> Iterator[tuple[str, list[str]]]:
    """``the number of Male patients in Year and in Month``: what is asked for, and the names of its rows."""
    for space in re.finditer(" ", asked):
        rest = asked[space.end() :]
        names = [_last_name(part, table) for part in re.split(r",? and |, ", rest)]
        if all(names):
            yield asked[: space.start()], [name for name in names if name]


def _last_name(part: str, table: list[Cell]) -> str | None:
    fits = [name for name in table[0] if re.fullmatch(rf"(?:[a-z ]+ )?{_spoken(name)}", part.strip())]
    return max(fits, key=len) if fits else None


def _spoken(name: str) -> str:
    return name.replace("_", ".")


def _names(text: str, table: list[Cell]) -> list[str]:
    return [next(name for name in table[0] if re.fullmatch(_spoken(name), part)) for part in _split(text)]


def _split(text: str) -> list[str]:
    return re.split(r",? and |, ", text)
