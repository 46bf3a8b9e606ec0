"""Check a mirror: that every card can be read from it and that files are unchanged since the pull."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...core.errors import InputError
from ..card import Card
from ..loading import stream_rows
from ..reading import read_rows
from .manifest import checksum, read_manifest

State = Literal["good", "missing", "broken"]


@dataclass(frozen=True)
class Verified:
    """The state of one split of a card in a mirror.

    Attributes:
        place: the file within the mirror.
        needed: whether studies read the split: it is the test or the demonstration split.
        examples: the number of examples that the card reads from it.
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
    return [
        _verified(card, split, f"{loader.mirror}/{each.mirror}.parquet", mirror)
        for split, each in loader.splits.items()
    ]


def _verified(card: Card, split: str, place: str, mirror: Path) -> Verified:
    needed = split in (card.test_split, card.demo_split)
    path = mirror / place
    if not path.is_file():
        return Verified(card.name, split, place, needed, "missing")
    agrees: bool | None = None
    try:
        agrees = _agrees(path)
        if agrees is False:
            problem = f"{path}: its checksum is not the manifest's: changed or damaged since it was pulled"
            return Verified(card.name, split, place, needed, "broken", manifest=False, problem=problem)
        rows = stream_rows(card.loader, split, card.name, mirror)
        examples = sum(1 for _ in read_rows(card.reading, rows, split=split, card=card.name))
    except (InputError, OSError) as error:
        return Verified(card.name, split, place, needed, "broken", manifest=agrees, problem=str(error))
    return Verified(card.name, split, place, needed, "good", examples, agrees)


def _agrees(path: Path) -> bool | None:
    known = read_manifest(path.parent).get(path.name)
    return None if known is None else known.get("sha256") == checksum(path)
