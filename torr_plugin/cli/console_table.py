"""A table as lines of text that fit into a terminal. Pure: a width goes in, lines come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_GAP = 2
_FEWEST = 8

Drawn = list[list[str]]
"""For the headings and for each row, its lines."""


class _Column(NamedTuple):
    """A column as it is drawn: its heading and cells, how wide it is, on which side its texts stand."""

    cells: Sequence[str]
    width: int
    left: bool


def table_lines(rows: Sequence[Mapping[str, Any]], *, left: Sequence[str], width: int) -> list[str]:
    """A line of headings, then the rows; none is wider than ``width`` unless the figures alone are.

    Where all does not fit, figures move closer together; else texts are broken between words; then a name in
    the first column that is too long stands whole on a line above its figures, so that it can be copied and
    searched for; only then are words broken. Figures never are.

    Args:
        rows: with the same keys, which are the headings; whole numbers are written with commas.
        left: the columns of texts, which may be broken; those of figures stand to the right.
        width: in columns of a terminal, of which a Chinese character takes two.
    """
    return [line for lines in _drawn(rows, left, width) for line in lines]


def grouped_lines(
    rows: Sequence[Mapping[str, Any]],
    *,
    under: str,
    left: Sequence[str],
    width: int,
) -> list[str]:
    """:func:`table_lines` without the column ``under``: its value stands above the rows that have it."""
    inner = [{name: value for name, value in row.items() if name != under} for row in rows]
    head, *drawn = _drawn(inner, left, width - _GAP)
    lines, before = _indented(head), ""
    for row, own in zip(rows, drawn, strict=True):
        group = shown(row[under])
        if group != before:
            lines += _chopped(group, width)
        lines += _indented(own)
        before = group
    return lines


def shown(value: Any) -> str:
    """A cell's text: a whole number with commas, anything else on one line."""
    return clean(f"{value:,}" if isinstance(value, int) else str(value))


def clean(text: str) -> str:
    """A text on one line with nothing in it that could drive a terminal."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))


def _drawn(rows: Sequence[Mapping[str, Any]], left: Sequence[str], width: int) -> Drawn:
    names = list(rows[0])
    cells = {name: [name, *(shown(row[name]) for row in rows)] for name in names}
    gap = _gap(cells, left, width)
    widths = _widths(cells, left, width - gap * (len(names) - 1))
    columns = [_Column(cells[name], widths[name], name in left) for name in names]
    return [_row(columns, at, width, gap) for at in range(len(rows) + 1)]


def _gap(cells: Mapping[str, Sequence[str]], left: Sequence[str], width: int) -> int:
    """The space between columns: less of it, where all fits then and no two columns of texts meet."""
    needed = sum(max(map(_wide, of_column)) for of_column in cells.values())
    gaps, texts = len(cells) - 1, sum(name in left for name in cells)
    return 1 if texts <= 1 and needed + gaps <= width < needed + _GAP * gaps else _GAP


def _widths(cells: Mapping[str, Sequence[str]], left: Sequence[str], room: int) -> dict[str, int]:
    """How wide each column is, with so much room for all together."""
    first, *others = cells
    texts = [name for name in others if name in left]
    widths = {name: max(map(_wide, texts_of)) for name, texts_of in cells.items()}
    words = {
        name: max(_wide(word) for cell in cells[name] for word in cell.split() or [""]) for name in texts
    }
    _shrink(widths, words, room)
    if first in left:
        rest = room - sum(widths[name] for name in others)
        widths[first] = max(_wide(cell) for cell in cells[first] if _wide(cell) <= max(rest, _wide(first)))
    _shrink(widths, {name: max(_FEWEST, _wide(name)) for name in texts}, room)
    return widths


def _shrink(widths: dict[str, int], least: Mapping[str, int], room: int) -> None:
    """Take from the widest columns that have more than their least, until all fit or none has."""
    while sum(widths.values()) > room:
        name = max(least, key=lambda each: (widths[each] > least[each], widths[each]), default=None)
        if name is None or widths[name] <= least[name]:
            return
        widths[name] -= 1


def _row(columns: Sequence[_Column], at: int, width: int, gap: int) -> list[str]:
    """The lines of a row; before them its name, where that has no room in its column."""
    first, *others = columns
    name = first.cells[at]
    alone = _wide(name) > first.width
    pieces = [[""] if alone else [name], *(_broken(each.cells[at], each.width) for each in others)]
    lines = [
        (" " * gap)
        .join(
            _placed(own[number] if number < len(own) else "", column)
            for own, column in zip(pieces, columns, strict=True)
        )
        .rstrip()
        for number in range(max(map(len, pieces)))
    ]
    return [*(_chopped(name, width) if alone else ()), *lines]


def _placed(text: str, column: _Column) -> str:
    blank = " " * (column.width - _wide(text))
    return text + blank if column.left else blank + text


def _broken(text: str, width: int) -> list[str]:
    """A text in lines of at most so many columns, broken between words where that can be."""
    lines = [""]
    for word in text.split():
        for number, piece in enumerate(_chopped(word, width)):
            joined = piece if number or not lines[-1] else f"{lines[-1]} {piece}"
            if number or _wide(joined) > width:
                lines.append(piece)
            else:
                lines[-1] = joined
    return lines


def _chopped(text: str, width: int) -> list[str]:
    from rich.cells import chop_cells

    return chop_cells(text, width) or [""]


def _wide(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"{' ' * _GAP}{line}".rstrip() for line in lines]
