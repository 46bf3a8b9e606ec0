"""Structural questions about other cards' tables: all, or a sample balanced over cards and sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from random import Random

from ...catalog.examples import Example, read_rows
from ...catalog.loading import ASK_AGAIN, Row, mirror_folder, stream_rows
from ...catalog.schema import StructuralLoader, load_card, sources_of
from ...core.seeds import seed as seed_of
from ...tables import Table
from .structural_questions import PARTITION, ask, text_around

SIZES = {50: "1-50 cells", 100: "51-100 cells", 200: "101-200 cells", 400: "201-400 cells"}
BEYOND = "over 400 cells"
"""Classes of size, by the cells below the header."""

WHAT_IT_IS = {"question": "User query", "statement": "Statement", "caption": "Description"}
"""What a text around a table is, by the input of the card; that of others is context."""


def structural_rows(
    loader: StructuralLoader, split: str, card: str, mirror: Path | None = None
) -> Iterator[Row]:
    """The rows of a split: a question about each of its tables.

    Numbers are balanced: every source gives as many as every other one while it has some, and so do the
    classes of size within a source. The first rows of a split are balanced likewise. No table is in two
    splits of a number each.

    Args:
        loader: a card's loader.
        split: one of its splits.
        card: the card's name, for messages.
        mirror: a mirror to read from, instead of the one that ``TORR_DATA`` names.

    Raises:
        CardError: one of its cards takes its tables from other cards itself.
        DataError: the data is missing.
    """
    text = loader.model_dump_json(by_alias=True)
    return (each.row for each in _asked_tables(text, split, card, mirror or mirror_folder()))


def _structural_columns(
    task: str, seed: int, table: Table, name: str, around: Mapping[str, Sequence[str]]
) -> tuple[Mapping[str, str], Table] | None:
    """A question about a table as columns, and the table to show; None where the table allows none.

    The question depends on seed, task, name and table alone, not on other rows.

    Args:
        task: a structural task.
        seed: of the card.
        table: the table.
        name: the table's name, unique within the data.
        around: texts around the table for a question that needs some, by what they are; the table's own title
            and notes are left out then.
    """
    random = Random(seed_of(seed, task, name))  # noqa: S311
    question = ask(task, table, random)
    if question is None:
        return None
    if task != PARTITION:
        return question.columns, table
    before, after = text_around(around, random)
    if not before and not after:
        return None
    return {**question.columns, "before": before, "after": after}, table.replace(title="", notes=())


def balanced(total: int, available: Sequence[int]) -> list[int]:
    """How many to take of each: the same number of all, or all there are, ``total`` together if possible."""
    taken = [0] * len(available)
    left = total
    for done, at in enumerate(sorted(range(len(available)), key=available.__getitem__)):
        taken[at] = min(available[at], -(-left // (len(available) - done)))
        left -= taken[at]
    return taken


@lru_cache(maxsize=32)
def _asked_tables(loader_text: str, split: str, card: str, mirror: Path | None) -> Sequence[_AskedTable]:
    loader = StructuralLoader.model_validate_json(loader_text)
    wanted = loader.splits[split]
    asked = [
        (source.dataset, found)
        for source in sources_of(loader, card)
        for each in _tables_of(source.name, source.fingerprint, wanted.of, loader.texts, mirror)
        if (found := _asked(each, source.dataset, loader))
    ]
    if wanted.count is None:
        return [found for _, found in asked]
    earlier = [name for name in loader.splits if loader.splits[name].count is not None]
    earlier = earlier[: earlier.index(split)]
    seen = {each.same for name in earlier for each in _asked_tables(loader_text, name, card, mirror)}
    by_size: dict[str, dict[str, list[_AskedTable]]] = {}
    for dataset, found in asked:
        if found.same not in seen:
            seen.add(found.same)
            by_size.setdefault(dataset, {}).setdefault(found.size, []).append(found)
    return _sample(by_size, wanted.count, loader.seed, split)


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
    of_source = f"{source}:" if len(loader.cards) > 1 else ""
    name = f"{of_source}{each.name}"
    make = partial(_structural_columns, loader.task, loader.seed, name=name, around=each.around)
    found = make(table)
    if found is None:
        return None
    columns, shown = found
    size = next((name for most, name in SIZES.items() if cells <= most), BEYOND)
    row = {"id": f"{of_source}{each.id}", "table_id": name, "table": shown, "source": source, "size": size}
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
def _tables_of(
    name: str, fingerprint: str, of: str, texts: int, mirror: Path | None
) -> Sequence[_SourceTable]:
    """The tables of a card's split, each once; none where it has no such split."""
    card = load_card(name)
    split: str | None = {"demo_split": card.demo_split, "test_split": card.test_split}.get(of, of)
    if split is None:
        return ()
    unused: dict[str, object] = {"carried_prompt": None, "properties": {}, "measured": []}
    step = card.reading.model_copy(update=unused)
    rows = stream_rows(card.loader, split, card.name, mirror)
    return tuple(_gathered(read_rows(step, rows, split=split, card=card.name), texts))


def _gathered(examples: Iterable[Example], most: int) -> Iterator[_SourceTable]:
    """One value a table, with the texts of its examples."""
    by_table: dict[str, list[Example]] = {}
    for example in examples:
        by_table.setdefault(example.groups.get("table", example.id), []).append(example)
    for name, about in by_table.items():
        first = about[0]
        around: dict[str, list[str]] = {"Description": [first.table.title]}
        for example in about:
            for what, text in example.fields.items():
                texts = around.setdefault(WHAT_IT_IS.get(what, "Context"), [])
                if text not in texts and len(texts) < most:
                    texts.append(text)
        yield _SourceTable(first.id, name, first.table, hash(first.table), around)
