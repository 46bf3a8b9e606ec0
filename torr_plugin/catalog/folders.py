"""The folders of cards: the shipped one, and those that plugins or users add."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..core.errors import OWN, CardError, InputError, UnknownNameError
from ..core.registry import Registry
from ..core.shipped import folder

_PREFIX = "cards."


class _CardFolders(Registry[Path]):
    """Refuses a missing folder, and cards whose names are taken."""

    def register(self, name: str, value: Path, *, origin: str = OWN) -> Path:
        added = value.resolve()
        if not added.is_dir():
            raise InputError(f"{added}: no such folder of cards (from {origin})")
        known = {} if str(added) in self else _files()
        for card, file in _files_below(added).items():
            if card in known:
                raise InputError(
                    f"two cards are called {card!r}: {known[card]} and {file} (from {origin}); rename one"
                )
        return super().register(str(added), added, origin=origin)


card_folders: Registry[Path] = _CardFolders("folder of cards", "folders of cards")


def add_card_folder(path: str | Path, origin: str = OWN) -> None:
    """Add a folder of cards: ``FOLDER/set/mine.json`` is ``cards.set.mine``.

    Args:
        path: the folder; adding it again does nothing.
        origin: the plugin that adds it, for messages.

    Raises:
        InputError: the folder does not exist, or the name of a card is taken.
    """
    card_folders.register(str(path), Path(path), origin=origin)


def remove_card_folder(path: str | Path) -> None:
    """Remove a folder, if it was added."""
    card_folders.remove(str(Path(path).resolve()))


def cards_in(place: Path) -> list[str]:
    """The names of the cards in a folder, without their subsets."""
    return sorted(_files_below(place))


def card_names() -> list[str]:
    """All cards' names, sorted: ``cards.wikitq``; subsets are cards too, ``cards.hctqa.real.pak``."""
    files = _files()
    return sorted([*files, *(f"{name}.{part}" for name, file in files.items() for part in subsets_in(file))])


def has_card(name: str) -> bool:
    """Whether a name is in :func:`card_names`; reads at most one file."""
    files = _files()
    whole, _, subset = name.rpartition(".")
    return name in files or (whole in files and subset in subsets_in(files[whole]))


def card_place(card: str | Path) -> tuple[Path, str]:
    """The file of a card given by name or path, and the name of the subset ("" for the whole card).

    Raises:
        UnknownNameError: no card of that name.
        CardError: no file at that path.
    """
    text = str(card)
    if isinstance(card, Path) or text.endswith(".json"):
        path = Path(card)
        if not path.is_file():
            raise CardError(f"{path}: no such card file")
        return path, ""
    files = _files()
    name = text if text.startswith(_PREFIX) else _PREFIX + text
    if name in files:
        return files[name], ""
    whole, _, subset = name.rpartition(".")
    if whole in files and subsets_in(files[whole]):
        return files[whole], subset
    raise UnknownNameError("card", text, files)


def subsets_in(file: Path) -> list[str]:
    """The names of the subsets that a card's file describes; none where it cannot be read."""
    subsets = _document(file).get("subsets")
    return list(subsets) if isinstance(subsets, dict) else []


def mirrors() -> dict[str, str]:
    """The folder within a mirror that each card reads, by its name; cards that read none are left out."""
    loaders = {name: _document(file).get("loader") for name, file in _files().items()}
    return {
        name: str(loader["mirror"])
        for name, loader in loaders.items()
        if isinstance(loader, dict) and "mirror" in loader
    }


def _document(file: Path) -> dict[str, Any]:
    """What a card's file holds; nothing where it cannot be read, as loading it reports what is wrong."""
    try:
        card = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return card if isinstance(card, dict) else {}


def name_of(path: Path) -> str:
    """The name of the card in a file: its path in a known folder, or else the file's name."""
    resolved = path.resolve()
    for place in _places():
        if resolved.is_relative_to(place):
            return _name(resolved, place)
    return _PREFIX + path.stem


def _places() -> list[Path]:
    return [folder("cards").resolve(), *map(card_folders.get, card_folders)]


def _files() -> dict[str, Path]:
    return {name: file for place in _places() for name, file in _files_below(place).items()}


def _files_below(place: Path) -> dict[str, Path]:
    return {_name(file, place): file for file in place.rglob("*.json")}


def _name(file: Path, place: Path) -> str:
    return _PREFIX + ".".join(file.relative_to(place).with_suffix("").parts)
