"""Check a mirror: that every card can be read from it and that files are unchanged since the pull."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.errors import DataError, InputError
from ..card import Card
from ..loading import mirror_file, mirrored_files_place, missing_files, stream_rows
from ..reading import read_rows
from ..table_files import FILES
from .manifest import checksum, read_manifest

State = Literal["good", "missing", "broken"]


@dataclass(frozen=True)
class Verified:
    """The state of one split of a card in a mirror.

    Attributes:
        split: its name; of the file with the files of tables ``files``.
        place: the file within the mirror.
        needed: whether studies read the split: it is the test or the demonstration split.
        examples: the number of examples that the card reads from it; of files their number.
        manifest: whether the checksum agrees with the manifest; None without an entry.
        problem: what is wrong with a broken file, in one line.
    """

    card: str
    split: str
    place: str
    needed: bool
    state: State
    examples: int | None = None
    manifest: bool | None = None
    problem: str = ""


def verify(card: Card, mirror: Path) -> list[Verified]:
    """Check every split of a card: file, columns, checksum, and every row as a study reads it.

    A generated card has nothing to verify. Without the files of its tables a card's splits are missing too.
    """
    loader = card.loader
    if loader.type_ != "load_tables":
        return []
    paths = {split: mirror_file(loader, split, mirror) for split in loader.splits}
    if loader.files is None:
        return [_verified(card, split, path, mirror, _examples) for split, path in paths.items()]
    place = mirrored_files_place(loader, loader.files, mirror)
    if place.is_file():
        splits = [_verified(card, split, path, mirror, _examples) for split, path in paths.items()]
        return [*splits, _verified(card, FILES, place, mirror, lambda *_: pq.read_metadata(place).num_rows)]
    has_questions = any(path.is_file() for path in paths.values())
    problem = missing_files(loader, loader.files, card.name, mirror) if has_questions else ""
    without = [_missing(card, split, path, mirror) for split, path in paths.items()]
    return [*without, replace(_missing(card, FILES, place, mirror), problem=problem)]


def _missing(card: Card, split: str, path: Path, mirror: Path) -> Verified:
    needed = split in (card.test_split, card.demo_split, FILES)
    return Verified(card.name, split, path.relative_to(mirror).as_posix(), needed, "missing")


def _examples(card: Card, split: str, mirror: Path) -> int:
    rows = stream_rows(card.loader, split, card.name, mirror)
    return sum(1 for _ in read_rows(card.reading, rows, split=split, card=card.name))


def _verified(
    card: Card, split: str, path: Path, mirror: Path, count: Callable[[Card, str, Path], int]
) -> Verified:
    """The state of a file; ``count`` reads all of it."""
    found = _missing(card, split, path, mirror)
    if not path.is_file():
        return found
    agrees: bool | None = None
    try:
        known = read_manifest(path.parent).get(path.name)
        agrees = None if known is None else known.get("sha256") == checksum(path)
        if agrees is False:
            raise DataError(
                f"{path}: its checksum is not the manifest's: changed or damaged since it was pulled"
            )
        return replace(found, state="good", examples=count(card, split, mirror), manifest=agrees)
    except (InputError, OSError, pa.ArrowException) as error:
        return replace(found, state="broken", manifest=agrees, problem=str(error).splitlines()[0])
