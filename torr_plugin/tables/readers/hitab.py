"""HiTab's tables (Cheng et al. 2022): texts, merged regions, and the trees of both headers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...core.errors import TableError, counted
from ..table import Cell, Position, Table
from .flat import parsed, sequence

HiTabContent: TypeAlias = "str | Mapping[str, Any]"


def hitab(
    content: HiTabContent, *, indent: bool = False, title: str = "", notes: Sequence[str] = ()
) -> Table:
    """A table with merged cells and header depth from HiTab's ``table_content``, a Python literal.

    The body begins in the first row of ``left_root`` and in the first column of ``top_root``:
    ``top_header_rows_num`` counts the root as a row, and ``left_header_columns_num`` is 1 also for tables
    with more header columns. A merged region that reaches beyond the table is cut at its edge.

    Args:
        content: the literal, or the object itself.
        indent: indent a row label by two spaces for each label above it in the same column. The spreadsheets
            show levels so; HiTab's texts have lost it, and ``left_root`` alone knows.
        title: wins over the one in ``content``.
        notes: remarks below the table.

    Raises:
        TableError: no such literal, a missing or malformed field, rows of different lengths, or a tree with
            cells outside the table.
    """
    source = _source(content)
    levels = dict(_levels(source.left)) if indent else {}
    rows = tuple(
        tuple(
            Cell("  " * levels.get((r, c), 0) + text, *source.span((r, c)))
            for c, text in enumerate(line)
            if (r, c) not in source.covered
        )
        for r, line in enumerate(source.texts)
    )
    header_rows, header_columns = source.first
    return Table(rows, header_rows, header_columns, title or source.title, tuple(notes))


@dataclass(frozen=True)
class _Label:
    """A node of HiTab's trees: where its label is."""

    place: Position
    below: tuple[_Label, ...]

    def walk(self) -> Iterator[_Label]:
        yield self
        for label in self.below:
            yield from label.walk()


@dataclass(frozen=True)
class _Source:
    """HiTab's table, checked.

    ``ends`` has the last place of each merged region by its first, ``covered`` the other places of regions.
    """

    title: str
    texts: Sequence[Sequence[str]]
    top: tuple[_Label, ...]
    left: tuple[_Label, ...]
    ends: Mapping[Position, Position]
    covered: frozenset[Position]

    @property
    def first(self) -> Position:
        """The first place of the body, in which rows of one cell above the first row label are.

        Where an axis has no labels, the body begins behind those of the other one.
        """
        left = [label.place for root in self.left for label in root.walk()]
        top = [label.place for root in self.top for label in root.walk()]
        row = min((r for r, _ in left), default=max((r for r, _ in top), default=-1) + 1)
        column = min((c for _, c in top), default=max((c for _, c in left), default=-1) + 1)
        while row > 1 and self.span((row - 1, 0)) == (1, len(self.texts[0])):
            row -= 1
        return row, column

    def span(self, place: Position) -> Position:
        """How many rows and columns a cell covers."""
        end = self.ends.get(place, place)
        return end[0] - place[0] + 1, end[1] - place[1] + 1


def _levels(labels: Sequence[_Label]) -> Iterator[tuple[Position, int]]:
    """For each label how many labels in the same column it is under."""
    stack = [(label, 0) for label in labels]
    while stack:
        label, level = stack.pop()
        yield label.place, level
        stack += [(child, level + 1 if child.place[1] == label.place[1] else 0) for child in label.below]


def _source(content: HiTabContent) -> _Source:
    value: object = content
    if not isinstance(content, Mapping):
        value = parsed(content, ast.literal_eval, "the table", expected=("a Python literal", "a dict"))
    if not isinstance(value, Mapping):
        raise TableError(f"the table is {str(value)[:40]!r}; expected HiTab's dict with 'texts'")
    texts = _texts(value.get("texts"))
    height, width = len(texts), len(texts[0])
    ends: dict[Position, Position] = {}
    covered: set[Position] = set()
    for index, region in enumerate(sequence(value.get("merged_regions"), "the table's merged_regions")):
        where = f"region {index} of the table's merged_regions"
        first = _place(region, ("first_row", "first_column"), where, (height, width))
        last = _place(region, ("last_row", "last_column"), where)
        end = min(last[0], height - 1), min(last[1], width - 1)
        ends[first] = end
        places = {(r, c) for r in range(first[0], end[0] + 1) for c in range(first[1], end[1] + 1)}
        covered |= places - {first}
    return _Source(
        str(value.get("title") or ""),
        texts,
        _labels(value, "top_root", (height, width)),
        _labels(value, "left_root", (height, width)),
        ends,
        frozenset(covered),
    )


def _texts(value: object) -> list[list[str]]:
    lines = [
        ["" if text is None else str(text) for text in sequence(row, f"the table's texts.{r}")]
        for r, row in enumerate(sequence(value, "the table's texts"))
    ]
    if not lines or not lines[0]:
        raise TableError("the table's texts are empty; expected rows of cells")
    for r, line in enumerate(lines):
        if len(line) != len(lines[0]):
            raise TableError(
                f"row {r} of the table's texts has {counted(len(line), 'cell')}, "
                f"expected {len(lines[0])} as in row 0"
            )
    return lines


def _labels(value: Mapping[str, Any], name: str, size: Position) -> tuple[_Label, ...]:
    """The labels under a root."""
    root = value.get(name)
    if not isinstance(root, Mapping):
        raise TableError(f"the table's {name} is {str(root)[:40]!r}; expected a dict with 'children'")
    return _below(root, name, size)


_DEEPEST = 100


def _below(node: Mapping[str, Any], name: str, size: Position, level: int = 0) -> tuple[_Label, ...]:
    if level > _DEEPEST:
        raise TableError(f"the table's {name} is nested more than {_DEEPEST} levels deep")
    found = []
    for child in sequence(node.get("children"), f"the table's {name}.children"):
        place = _place(child, ("row_index", "column_index"), f"a node of the table's {name}", size)
        found.append(_Label(place, _below(child, name, size, level + 1)))
    return tuple(found)


def _place(value: object, keys: tuple[str, str], where: str, size: Position | None = None) -> Position:
    """Two numbers of a dict, within the table if ``size`` is given."""
    numbers: list[Any] = [value.get(key) for key in keys] if isinstance(value, Mapping) else []
    if not numbers or not all(type(number) is int and number >= 0 for number in numbers):
        raise TableError(f"{where} is {str(value)[:60]!r}; expected {keys[0]!r} and {keys[1]!r}, 0 or more")
    place = numbers[0], numbers[1]
    if size is not None and not (place[0] < size[0] and place[1] < size[1]):
        raise TableError(
            f"{where} is at row {place[0]}, column {place[1]}; the table has {size[0]} x {size[1]} places"
        )
    return place
