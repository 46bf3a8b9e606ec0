"""All that a data set holds of one table, made where the table is made, so that processes share the work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..generated import Generated
from .records import Record, record, record_with_nonsense
from .sft import Split, pairs, sft_rows
from .sft_files import SftFiles
from .table_files import table_files


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is made of a table beside its rows.

    Attributes:
        seed: of the data set; made-up words are drawn by it.
        nonsense: whether there is a variant in made-up words.
        formats: files of the table.
        sft: layout of the fine-tuning set; None for no set.
        serializer: how tables are written in that set.
    """

    seed: int
    nonsense: bool = False
    formats: tuple[str, ...] = ()
    sft: str | None = None
    serializer: str = "html"


@dataclass(frozen=True, slots=True)
class Package:
    """One table's rows, its files by their names, and its part of a fine-tuning set."""

    record: Record
    files: dict[str, bytes]
    tuning: tuple[tuple[Split, dict[str, Any]], ...]


def package(generated: Generated, *, wanted: Wanted) -> Package:
    """All that is wanted of one table."""
    instance = generated.instance
    made = record_with_nonsense(generated, seed=wanted.seed) if wanted.nonsense else record(generated)
    files = table_files(generated.table, instance.table_id, wanted.formats, borders=instance.borders)
    tuning = sft_rows(pairs(generated), wanted.sft, serializer=wanted.serializer) if wanted.sft else ()
    return Package(made, files, tuple(tuning))


def unpacked(packages: Iterable[Package], folder: Path, sft: SftFiles | None) -> Iterator[Record]:
    """The tables' rows, one by one; their files go to ``folder`` and to the fine-tuning set meanwhile."""
    for each in packages:
        for name, content in each.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if sft is not None:
            for split, row in each.tuning:
                sft.add(split, row)
        yield each.record
