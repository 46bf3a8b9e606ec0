"""Structural questions about a sample of other cards' tables, balanced over cards and sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias

from ..core.seeds import seed as seed_of
from ..tables import Table
from .card import load_card, sources_of
from .loading import stream_rows
from .reading import Example, read_rows, structural_columns
from .rows import ASK_AGAIN, Row, mirror_folder
from .schema import StructuralLoader

SIZES = {50: "1-50 cells", 100: "51-100 cells", 200: "101-200 cells", 400: "201-400 cells"}
BEYOND = "over 400 cells"
"""Classes of size, by the cells below the header."""

WHAT_IT_IS = {"question": "User query", "statement": "Statement", "caption": "Description"}
"""What a text around a table is, by the input of the card; that of others is context."""
MOST_TEXTS = 2
"""So many questions or statements about a table stand around it."""

Splits: TypeAlias = "Mapping[str, Sequence[Row]]"


def structural_rows(loader: StructuralLoader, card: str, mirror: Path | None = None) -> Splits:
    """The rows of each split: a question about each of its tables.

    Numbers are balanced: every source gives as many as every other one while it has some, and so do the
    classes of size within a source. The first rows of a split are balanced likewise. No table is in two
    splits.

    Args:
        loader: a card's loader.
        card: the card's name, for messages.
        mirror: a mirror to read from, instead of the one that ``TORR_DATA`` names.

    Raises:
        CardError: one of its cards takes its tables from other cards itself.
        DataError: the data is missing.
    """
    return _structural_rows(loader.model_dump_json(by_alias=True), card, mirror or mirror_folder())


def balanced(total: int, available: Sequence[int]) -> list[int]:
    """How many to take of each: the same number of all, or all there are, ``total`` together if possible."""
    taken = [0] * len(available)
    left = total
    for done, at in enumerate(sorted(range(len(available)), key=available.__getitem__)):
        taken[at] = min(available[at], -(-left // (len(available) - done)))
        left -= taken[at]
    return taken


@lru_cache(maxsize=16)
def _structural_rows(loader_text: str, card: str, mirror: Path | None) -> Splits:
    loader = StructuralLoader.model_validate_json(loader_text)
    taken: set[int] = set()
    splits: dict[str, list[Row]] = {}
    for split, wanted in loader.splits.items():
        found: dict[str, dict[str, list[_AskedTable]]] = {}
        seen = set(taken)
        for source in sources_of(loader, card):
            for each in _tables_of(source.name, source.fingerprint, wanted.of, mirror):
                if each.same not in seen and (asked := _asked(each, source.dataset, loader)):
                    seen.add(each.same)
                    found.setdefault(source.dataset, {}).setdefault(asked.size, []).append(asked)
        chosen = _sample(found, wanted.count, loader.seed, split)
        taken.update(each.same for each in chosen)
        splits[split] = [each.row for each in chosen]
    return splits


@dataclass(frozen=True)
class _SourceTable:
    """A table of a card: the id of its first example, its name, and the texts that speak of it.

    ``same`` is the table's hash, by which equal ones are known: to work it out takes longer than to ask.
    """

    id: str
    name: str
    table: Table
    same: int
    around: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class _AskedTable:
    same: int
    size: str
    row: Row


def _asked(each: _SourceTable, source: str, loader: StructuralLoader) -> _AskedTable | None:
    table = each.table
    cells = len(table.body) * table.n_columns
    if loader.max_cells is not None and cells > loader.max_cells:
        return None
    name = f"{source}:{each.name}"
    make = partial(structural_columns, loader.task, loader.seed, name=name, around=each.around)
    found = make(table)
    if found is None:
        return None
    columns, shown = found
    size = next((name for most, name in SIZES.items() if cells <= most), BEYOND)
    row = {"id": f"{source}:{each.id}", "table_id": name, "table": shown, "source": source, "size": size}
    return _AskedTable(each.same, size, {**row, **columns, ASK_AGAIN: make})


def _sample(
    found: Mapping[str, Mapping[str, Sequence[_AskedTable]]], count: int, seed: int, split: str
) -> list[_AskedTable]:
    """The chosen ones of each source and size, so that the first of them are balanced too."""

    def rank(each: _AskedTable) -> int:
        return seed_of(seed, split, str(each.row["id"]))

    drawn = [[sorted(asked, key=rank) for asked in sizes.values()] for sizes in found.values()]
    shares = balanced(count, [sum(map(len, sizes)) for sizes in drawn])
    return _spread(count, [_spread(share, sizes) for share, sizes in zip(shares, drawn, strict=True)])


def _spread(count: int, parts: Sequence[Sequence[_AskedTable]]) -> list[_AskedTable]:
    """The first ones of each part, balanced numbers of them, each part's at even distances."""
    numbers = balanced(count, list(map(len, parts)))
    placed = [
        ((at + 0.5) / number, rank, each)
        for rank, (number, part) in enumerate(zip(numbers, parts, strict=True))
        for at, each in enumerate(part[:number])
    ]
    return [each for *_, each in sorted(placed, key=lambda place: place[:2])]


@lru_cache(maxsize=16)
def _tables_of(name: str, fingerprint: str, of: str, mirror: Path | None) -> Sequence[_SourceTable]:
    """The tables of a card's split, each once; none where it has no such split."""
    card = load_card(name)
    split: str | None = getattr(card, of)
    if split is None:
        return ()
    unused: dict[str, object] = {"carried_prompt": None, "properties": {}, "measured": []}
    step = card.reading.model_copy(update=unused)
    rows = stream_rows(card.loader, split, card.name, mirror)
    return tuple(_gathered(read_rows(step, rows, split=split, card=card.name)))


def _gathered(examples: Iterable[Example]) -> Iterator[_SourceTable]:
    """One value a table, with the texts of all its examples."""
    by_table: dict[str, list[Example]] = {}
    for example in examples:
        by_table.setdefault(example.groups.get("table", example.id), []).append(example)
    for name, about in by_table.items():
        first = about[0]
        around: dict[str, list[str]] = {"Description": [first.table.title]}
        for example in about:
            for what, text in example.fields.items():
                texts = around.setdefault(WHAT_IT_IS.get(what, "Context"), [])
                if text not in texts and len(texts) <= MOST_TEXTS:
                    texts.append(text)
        yield _SourceTable(first.id, name, first.table, hash(first.table), around)
