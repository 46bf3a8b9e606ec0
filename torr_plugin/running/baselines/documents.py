"""A prompt that shows a document: its tables with the text around each, and the one that is asked about."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from ...tables import serializers
from .matching import label_columns, words
from .reading import Grid, PromptParts, fields, grid_of, without_explanations

_BEFORE = 3
"""Paragraphs before a table that are read as text about it."""

_IN_TABLE, _AROUND, _IN_CELL = 1.0, 0.5, 0.25
"""What a word of the question weighs in a table's names, in the text around it, and in its other cells."""


@dataclass(frozen=True)
class ShownTable:
    """A table of a document.

    Attributes:
        grid: the table.
        around: the paragraphs right before it and the one right after it.
    """

    grid: Grid
    around: str


@dataclass(frozen=True)
class ShownDocument:
    """The document of a prompt, its tables, and the question about it."""

    text: str
    tables: tuple[ShownTable, ...]
    question: str

    @property
    def asked_about(self) -> ShownTable | None:
        """The table whose words fit the question best, the first of equals; a rare word weighs more."""
        if not self.tables:
            return None
        asked = frozenset(words(self.question))
        bags = [_weighed_words(table) for table in self.tables]
        counts = Counter(word for bag in bags for word in bag.keys() & asked)
        weight = {word: math.log(1 + len(bags) / count) for word, count in counts.items()}
        fits = [
            sum(weight[word] * bag[word] for word in bag.keys() & asked) + _best_label(table.grid, weight)
            for table, bag in zip(self.tables, bags, strict=True)
        ]
        return self.tables[max(range(len(fits)), key=fits.__getitem__)]


@lru_cache(maxsize=512)
def _weighed_words(table: ShownTable) -> dict[str, float]:
    """The words of a table with the weight of the best place where each stands."""
    grid = table.grid
    labels = label_columns(grid)
    bag = dict.fromkeys((word for row in grid.rows for cell in row for word in words(cell)), _IN_CELL)
    bag |= dict.fromkeys(words(table.around), _AROUND)
    names = [grid.title, *grid.columns, *(row[c] for row in grid.rows for c in labels)]
    return bag | dict.fromkeys((word for name in names for word in words(name)), _IN_TABLE)


def _best_label(grid: Grid, weight: dict[str, float]) -> float:
    """The most that one row's labels share with the question, times the share of the labels that this is."""
    labels = label_columns(grid)
    best = 0.0
    for row in grid.rows:
        named = {word for c in labels for word in words(row[c])}
        shared = named & weight.keys()
        if shared:
            best = max(best, sum(weight[word] for word in shared) * len(shared) / len(named))
    return best


def has_paragraphs(parts: PromptParts) -> bool:
    """Whether what a prompt asks about may be more than a table: it has blank lines within."""
    return "\n\n" in max((text for _, text in fields(parts.example, parts.labels)), key=len, default="")


def read_document(parts: PromptParts) -> ShownDocument:
    """The document that a prompt shows: the longest of the example's parts; the others are the question."""
    labelled = without_explanations(fields(parts.example, parts.labels)) or [("", "")]
    at = max(range(len(labelled)), key=lambda index: len(labelled[index][1]))
    text = labelled[at][1]
    rest = [other for index, (_, other) in enumerate(labelled) if index != at and other]
    return ShownDocument(text, shown_tables(text), "\n".join(rest))


@lru_cache(maxsize=32)
def shown_tables(text: str) -> tuple[ShownTable, ...]:
    """The tables of a document's text in order; questions share documents, and both baselines read them."""
    found = serializers.find_all(text)
    ends = [0, *(each.stop for each in found)]
    starts = [*(each.start for each in found), len(text)]
    between = [_paragraphs(text[end:start]) for end, start in zip(ends, starts, strict=True)]
    return tuple(
        ShownTable(
            grid_of(each.table),
            "\n".join([*before[-_BEFORE:], *after[:1], *each.table.notes]),
        )
        for each, before, after in zip(found, between, between[1:], strict=False)
    )


def _paragraphs(text: str) -> list[str]:
    return [paragraph.strip() for paragraph in text.split("\n\n") if paragraph.strip()]
