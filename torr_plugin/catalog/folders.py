"""Where cards are found, and the tasks, metrics and processors that they name.

Cards are in the shipped folder and in those that plugins or users add; what they name is in the folder
``artifacts`` (``tasks/torr/table_qa.json`` is ``tasks.torr.table_qa``) or in unitxt's catalog, which is read
without importing unitxt.

Most files are a card. One whose ``__type__`` is ``table_cards`` describes several: what they share, and of
each the values that are its own, by their place: ``{"loader.seed": 31}``. Values that some of them share
stand in ``parts``, by a name that these cards have in ``of``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from ..core.errors import CardError, UnknownNameError
from ..core.versions import Folders

_PREFIX = "cards."
SEVERAL = "table_cards"


card_folders = Folders("cards", "card", lambda place: _files_of_cards(_files_below(place)))
"""Of cards: ``FOLDER/set/mine.json`` is ``cards.set.mine``."""


def add_card_folder(folder: Path, *, origin: str) -> None:
    """Offer the cards of a folder: ``FOLDER/set/mine.json`` is ``cards.set.mine``; ``origin`` is who adds it.

    Raises:
        InputError: the folder does not exist, or the name of a card is taken.
    """
    card_folders.register(str(folder), folder, origin=origin)


def cards_in(place: Path) -> list[str]:
    """The names of the cards in a folder, without their subsets."""
    return sorted(_files_of_cards(_files_below(place), subsets=False))


def card_names(*, subsets: bool = True) -> list[str]:
    """All cards' names, sorted: ``cards.wikitq``; subsets are cards too, ``cards.hctqa.real.pak``."""
    return sorted(_files_of_cards(_files(), subsets=subsets))


def has_card(name: str) -> bool:
    """Whether a name is in :func:`card_names`; reads few files."""
    files = _files()
    return any(each in files and name in _described(each, files[each]) for each in _and_above(name))


def _files_of_cards(files: Mapping[str, Path], *, subsets: bool = True) -> dict[str, Path]:
    """The file of each card, of files by their names."""
    return {card: file for name, file in files.items() for card in _described(name, file, subsets=subsets)}


def _and_above(name: str) -> list[str]:
    """A name, and those that it begins with: the files that may describe the card."""
    parts = name.split(".")
    return [".".join(parts[:number]) for number in range(len(parts), 0, -1)]


def _described(name: str, file: Path, *, subsets: bool = True) -> list[str]:
    """The names of the cards in a file: one and its subsets, or the several that share most of it."""
    document = _document(file)
    several = document.get("__type__") == SEVERAL
    parts = document.get("cards" if several else "subsets")
    found = [f"{name}.{part}" for part in parts] if isinstance(parts, dict) else []
    return found if several else [name, *(found if subsets else [])]


@dataclass(frozen=True)
class CardDocument:
    """A card's JSON document, as unitxt's catalog takes it.

    Attributes:
        path: the file.
        name: of the card.
        content: the document: of one of several cards or of a subset with what it says otherwise.
        where: what messages about it begin with: the file, and which of several cards in it.
        whole: the document of the card that it is a subset of; None of a whole card.
    """

    path: Path
    name: str
    content: Any
    where: str
    whole: Any = None


def card_document(card: str | Path) -> CardDocument:
    """Read the document of a card, given by name or by its file.

    Raises:
        UnknownNameError: no such card; the nearest names are given.
        CardError: the file cannot be read, or is no JSON: file, line, found.
    """
    path, name = card_place(card)
    document, own = _read(path), name_of(path)
    part = name.removeprefix(f"{own}.") if name != own else ""
    if not isinstance(document, dict):
        return CardDocument(path, name, document, str(path))
    if document.get("__type__") == SEVERAL:
        content = _one_of_several(document, part, path)
        return CardDocument(path, name, content, f"{path}: cards.{part}")
    if not part:
        return CardDocument(path, name, document, str(path))
    subsets = document["subsets"]
    if part not in subsets:
        raise UnknownNameError("subset", part, subsets, where=own)
    return CardDocument(path, name, _subset(document, subsets[part]), str(path), document)


def _one_of_several(document: dict[str, Any], part: str, path: Path) -> Any:
    """What the cards of a file share, with one card's own values at their places."""
    cards = document.get("cards")
    known = cards if isinstance(cards, dict) else {}
    if not isinstance(known.get(part), dict):
        raise UnknownNameError("card", part or path.stem, known, where=str(path))
    own, changed = {**known[part]}, deepcopy(document.get("shared"))
    of = own.pop("of", [])
    try:
        values = [item for each in (*[document["parts"][name] for name in of], own) for item in each.items()]
    except (KeyError, TypeError, AttributeError):
        raise CardError(f"{path}: cards.{part}: of: found {of!r}; expected names in 'parts'") from None
    for place, value in values:
        *parents, last = place.split(".")
        inner: Any = changed
        try:
            for key in parents:
                inner = inner[int(key) if isinstance(inner, list) else key]
            inner[int(last) if isinstance(inner, list) else last] = value
        except (KeyError, IndexError, TypeError, ValueError):
            raise CardError(f"{path}: cards.{part}: {place}: found no such place in 'shared'") from None
    return changed


def _subset(document: dict[str, Any], chosen: Any) -> Any:
    """The card of a subset, which filters examples while reading; as it is where that is malformed."""
    try:
        (step,) = document["preprocess_steps"]
        only = {**step.get("only", {}), **chosen["where"]}
        said = {"__description__": chosen["description"], "preprocess_steps": [{**step, "only": only}]}
    except (KeyError, TypeError, ValueError, AttributeError):
        return document
    kept = {key: value for key, value in document.items() if key not in ("subsets", "unitxt")}
    return {**kept, **said}


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise CardError(
            f"{path}: line {error.lineno}: not JSON: {error.msg} at column {error.colno}"
        ) from None
    except RecursionError:
        raise CardError(f"{path}: not a card: lists or objects nested too deep") from None
    except (OSError, ValueError) as error:  # not there, not UTF-8, a number of thousands of digits
        raise CardError(f"{path}: the card cannot be read: {error}") from None


def card_place(card: str | Path) -> tuple[Path, str]:
    """The file of a card given by name or path, and the card's name.

    Raises:
        UnknownNameError: no card of that name.
        CardError: no file at that path.
    """
    text = str(card)
    if isinstance(card, Path) or text.endswith(".json"):
        path = Path(card)
        if not path.is_file():
            raise CardError(f"{path}: no such card file")
        return path, name_of(path)
    files = _files()
    name = text if text.startswith(_PREFIX) else _PREFIX + text
    for each in _and_above(name):
        if each in files and (each == name or len(_described(each, files[each])) > 1):
            return files[each], name
    raise UnknownNameError("card", text, card_names(subsets=False))


def _document(file: Path) -> dict[str, Any]:
    """What a card's file holds; nothing where it cannot be read, as loading it reports what is wrong."""
    try:
        card = _read(file)
    except CardError:
        return {}
    return card if isinstance(card, dict) else {}


def name_of(path: Path) -> str:
    """The name of the card in a file: its path in a known folder, or else the file's name."""
    resolved = path.resolve()
    for place in card_folders.places():
        if resolved.is_relative_to(place):
            return _name(resolved, place)
    return _PREFIX + path.stem


def _files() -> dict[str, Path]:
    return {name: file for place in card_folders.places() for name, file in _files_below(place).items()}


def _files_below(place: Path) -> dict[str, Path]:
    return {_name(file, place): file for file in place.rglob("*.json")}


def _name(file: Path, place: Path) -> str:
    return _PREFIX + ".".join(file.relative_to(place).with_suffix("").parts)


ARTIFACTS = Path(__file__).resolve().parent / "artifacts"

added_metrics: dict[str, tuple[str, ...]] = {}
"""All registered metrics, also of plugins, as ``metrics.torr.NAME``, with the names of their scores, the main
one first; filled in by ``scoring``."""


@cache
def artifact_names(kind: Literal["tasks", "metrics", "processors"]) -> tuple[str, ...]:
    """The names of the shipped tasks, metrics or processors, sorted."""
    files = (ARTIFACTS / kind).rglob("*.json")
    return tuple(sorted(".".join(file.relative_to(ARTIFACTS).with_suffix("").parts) for file in files))


def main_score(metric: str) -> str:
    """The main score of a metric of the project, or of a plugin that is loaded; "" for others.

    Args:
        metric: ``exact_match``.
    """
    name = f"metrics.torr.{metric}"
    if name in artifact_names("metrics"):
        return str(artifact(name)["main_score"])
    return added_metrics.get(name, ("",))[0]


@cache
def artifact(name: str) -> dict[str, Any]:
    """The content of the file of a shipped task or metric."""
    path = ARTIFACTS.joinpath(*name.split(".")).with_suffix(".json")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def unitxt_file(artifact: str) -> Path | None:
    """The file of an artifact in unitxt's own catalog, or None; does not import unitxt."""
    paths = [place.joinpath(*artifact.split(".")).with_suffix(".json") for place in _unitxt_catalogs()]
    return next((path for path in paths if path.is_file()), None)


@cache
def unitxt_artifact(name: str) -> dict[str, Any] | None:
    """An artifact of unitxt's own catalog as in its file, or None; does not import unitxt."""
    path = unitxt_file(name)
    return None if path is None else json.loads(path.read_text(encoding="utf-8"))


def unitxt_names(kind: str) -> list[str]:
    """The names in a folder of unitxt's own catalog, such as ``cards``; does not import unitxt."""
    return [
        ".".join(file.relative_to(place).with_suffix("").parts)
        for place in _unitxt_catalogs()
        for file in sorted((place / kind).rglob("*.json"))
    ]


def _unitxt_catalogs() -> list[Path]:
    spec = find_spec("unitxt")
    return [Path(place, "catalog") for place in spec.submodule_search_locations or []] if spec else []
