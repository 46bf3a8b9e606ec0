"""Check a mirror: that every card can be read from it and that files are unchanged since the pull."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.errors import DataError, InputError
from ..card import Card
from ..loading import mirrored_files_place, missing_files, stream_rows
from ..reading import read_rows
from ..table_files import FILES
from .manifest import checksum, read_manifest

if TYPE_CHECKING:
    from ..schema.loaders import RepositoryFiles, TableLoader

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

    A generated card has nothing to verify.
    """
    loader = card.loader
    if loader.type_ != "load_tables":
        return []
    places = {split: f"{loader.mirror}/{each.mirror}.parquet" for split, each in loader.splits.items()}
    if loader.files is None:
        return [_verified(card, split, place, mirror) for split, place in places.items()]
    files = _verified_files(card, loader, loader.files, mirror)
    if files.state == "missing":
        has_questions = any((mirror / place).is_file() for place in places.values())
        without = [_missing(card, split, place) for split, place in places.items()]
        return [*without, files if has_questions else replace(files, problem="")]
    return [*(_verified(card, split, place, mirror) for split, place in places.items()), files]


def _verified_files(card: Card, loader: TableLoader, files: RepositoryFiles, mirror: Path) -> Verified:
    path = mirrored_files_place(loader, files, mirror)
    place = path.relative_to(mirror).as_posix()
    if not path.is_file():
        problem = missing_files(loader, files, card.name, mirror)
        return Verified(card.name, FILES, place, True, "missing", problem=problem)
    agrees: bool | None = None
    try:
        agrees = _agrees(path)
        if agrees is False:
            raise DataError(_changed(path))
        count = pq.ParquetFile(path).metadata.num_rows
    except (InputError, OSError, pa.ArrowException) as error:
        problem = str(error).splitlines()[0]
        return Verified(card.name, FILES, place, True, "broken", manifest=agrees, problem=problem)
    return Verified(card.name, FILES, place, True, "good", count, agrees)


def _changed(path: Path) -> str:
    return f"{path}: its checksum is not the manifest's: changed or damaged since it was pulled"


def _missing(card: Card, split: str, place: str) -> Verified:
    return Verified(card.name, split, place, split in (card.test_split, card.demo_split), "missing")


def _verified(card: Card, split: str, place: str, mirror: Path) -> Verified:
    needed = split in (card.test_split, card.demo_split)
    path = mirror / place
    if not path.is_file():
        return _missing(card, split, place)
    agrees: bool | None = None
    try:
        agrees = _agrees(path)
        if agrees is False:
            raise DataError(_changed(path))
        rows = stream_rows(card.loader, split, card.name, mirror)
        examples = sum(1 for _ in read_rows(card.reading, rows, split=split, card=card.name))
    except (InputError, OSError) as error:
        return Verified(card.name, split, place, needed, "broken", manifest=agrees, problem=str(error))
    return Verified(card.name, split, place, needed, "good", examples, agrees)


def _agrees(path: Path) -> bool | None:
    known = read_manifest(path.parent).get(path.name)
    return None if known is None else known.get("sha256") == checksum(path)
