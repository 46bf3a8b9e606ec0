"""The files that a mirror should have, and its manifest: source, number of rows and checksum of each."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from ...core.atomic_files import atomic_path
from ...core.errors import CardError, DataError, InputError
from ...core.validation import validate
from ..card import Card, load_card, sources_of
from ..folders import card_names
from ..schema.loaders import TableLoader


@dataclass(frozen=True)
class MirrorFile:
    """One file of a mirror.

    Attributes:
        place: its path within the mirror, ``wikitq/test.parquet``.
        split: the card's split, e.g. ``test``; empty for the file with the files of tables.
        readers: all known cards that read it; messages name the first.
        loader: the first reader's loader; all of them read from the same source.
        conditions: the file holds rows that meet any of these (column -> value); empty for all rows.
    """

    place: str
    split: str
    readers: tuple[Card, ...]
    loader: TableLoader
    conditions: tuple[Mapping[str, Any], ...]

    @property
    def card(self) -> str:
        """The name of the card for messages."""
        return self.readers[0].name

    @property
    def licence(self) -> str:
        """The licence of the data."""
        return " / ".join(dict.fromkeys(card.licence for card in self.readers))

    def origin(self) -> dict[str, Any]:
        """What determines the file's content, as the manifest records it."""
        hub = self.loader.hub.model_dump(exclude_defaults=True)
        if not self.split:
            return {"hub": hub, "files": sorted({path for card in self.readers for path in _paths(card)})}
        return {
            "hub": hub,
            "splits": list(self.loader.splits[self.split].hub),
            "rows_with": [dict(condition) for condition in self.conditions],
        }


def _paths(card: Card) -> Sequence[str]:
    """The files of tables that a card takes."""
    loader = card.loader
    return loader.files.paths if loader.type_ == "load_tables" and loader.files is not None else ()


def mirrored(names: Sequence[str]) -> list[Card]:
    """The cards with these names, or all known ones, without subsets.

    A card that takes its tables from others stands for those. Without names, a card that cannot be read, such
    as a plugin's, is skipped with a warning.

    Raises:
        UnknownNameError: a card does not exist.
        CardError: a named card cannot be read.
    """
    if names:
        return list({card.name: card for name in names for card in _read_by(load_card(name))}.values())
    cards, problems = _all_cards()
    for problem in problems:
        logging.getLogger(__name__).warning("torr: %s; left out", problem)
    return cards


def _read_by(card: Card) -> Sequence[Card]:
    """The cards whose files a card reads."""
    return sources_of(card.loader, card.name) if card.loader.type_ == "load_structural" else [card]


def _all_cards() -> tuple[list[Card], list[InputError]]:
    """All cards but subsets and those over others' tables; the errors of those that cannot be read."""
    cards, problems = [], []
    for name in card_names(subsets=False):
        try:
            card = load_card(name)
        except InputError as error:
            problems.append(error)
            continue
        cards += [card] if card.loader.type_ != "load_structural" else []
    return cards, problems


def wanted_files(cards: Iterable[Card]) -> list[MirrorFile]:
    """The files that these cards read, each once, in the cards' order; generated cards have none.

    A file serves every known card that reads it, named or not, so that it is never pulled twice.

    Raises:
        CardError: two cards need different data in one file.
    """
    named = {card.name: card for card in cards}
    known = {**named, **{card.name: card for card in _all_cards()[0] if card.name not in named}}
    places = dict.fromkeys(place for card in named.values() for place in _places(card).values())
    return [
        _shared_file(place, [card for card in known.values() if place in _places(card).values()])
        for place in places
    ]


def _places(card: Card) -> dict[str, str]:
    """Split -> its file's place; the file of files has the split ""."""
    loader = card.loader
    if loader.type_ != "load_tables":
        return {}
    names = {split: each.mirror for split, each in loader.splits.items()}
    if loader.files is not None:
        names[""] = loader.files.mirror
    return {split: f"{loader.mirror}/{name}.parquet" for split, name in names.items()}


def _shared_file(place: str, readers: Sequence[Card]) -> MirrorFile:
    files = [_file_for(place, card) for card in readers]
    for file in files[1:]:
        if _source(file) != _source(files[0]):
            raise CardError(
                f"{file.readers[0].path}: loader: has {place} from elsewhere than {readers[0].name}; "
                "expected the same place, or another name for 'mirror'"
            )
    conditions = [condition for file in files for condition in file.conditions]
    # sorted, so that the file does not depend on the order of the cards
    different = list(
        {json.dumps(each, sort_keys=True): each for each in sorted(conditions, key=str)}.values()
    )
    return replace(files[0], readers=tuple(readers), conditions=() if {} in different else tuple(different))


def _file_for(place: str, card: Card) -> MirrorFile:
    """The file for this card alone."""
    split = next(split for split, each in _places(card).items() if each == place)
    loader = card.loader
    if loader.type_ != "load_tables":
        raise CardError(f"{card.path}: loader: makes its rows; expected one that reads {place}")
    # a card's own step may need rows that it leaves out
    conditions = {} if loader.rows is not None or not split else dict(loader.where)
    return MirrorFile(place, split, (card,), loader, (conditions,))


def _source(file: MirrorFile) -> dict[str, Any]:
    return {**file.origin(), "rows_with": [], "files": []}


MANIFEST = "manifest.json"
FORMAT: Literal[1] = 1
_CHUNK = 1 << 20


class _Manifest(BaseModel):
    format: Literal[1] = FORMAT
    files: dict[str, dict[str, Any]]


def read_manifest(folder: Path) -> dict[str, dict[str, Any]]:
    """The entries of a folder's manifest by file name; empty without a manifest.

    Raises:
        DataError: not a manifest, or one of another version.
    """
    path = folder / MANIFEST
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
    return validate(_Manifest, document, str(path), error_type=DataError).files


def add_to_manifest(folder: Path, name: str, entry: Mapping[str, Any]) -> None:
    """Set the entry of one file in the manifest."""
    files = {**read_manifest(folder), name: dict(entry)}
    text = json.dumps({"format": FORMAT, "files": dict(sorted(files.items()))}, indent=2, ensure_ascii=False)
    with atomic_path(folder / MANIFEST) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
