"""The mirror that ``TORR_DATA`` names: which cards can be read from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import DataError, InputError
from .finding import Finding
from .plugins import cards_of_plugins

if TYPE_CHECKING:
    from ...catalog import Card

_GET = "torr data pull {name}"


def data() -> Iterator[Finding]:
    """The mirror, and each card that reads one: there, missing or broken (files' heads are read).

    Cards whose tables a generator makes need none, and are named together.
    """
    from ...catalog.mirror import mirror_folder

    folder = mirror_folder()
    if folder is None:
        said = "TORR_DATA is not set: cards are read from the hub, over the network"
        yield Finding("mirror", "optional", said, "torr data pull --to DIR; export TORR_DATA=DIR")
        return
    if not folder.is_dir():
        said = f"TORR_DATA={folder}: no such folder"
        yield Finding("mirror", "wrong", said, f"torr data pull --to {folder}, or unset TORR_DATA")
        return
    yield Finding("mirror", "good", f"TORR_DATA={folder}")
    yield from _cards(folder)


def _cards(folder: Path) -> Iterator[Finding]:
    from ...catalog import card_names, load_card

    names, of_plugins, made = card_names(), cards_of_plugins(), 0
    # a subset is read from the files of the whole
    for name in (name for name in names if name.rpartition(".")[0] not in names):
        try:
            card = load_card(name)
        except InputError as error:
            if name not in of_plugins:  # theirs are said with the plugin
                yield Finding(name, "wrong", str(error), "install torr-plugin anew")
            continue
        made += card.loader.type_ != "load_tables"
        yield from _card(card, folder)
    yield Finding("generated cards", "good", f"{made}, which need no data")


def _card(card: Card, folder: Path) -> Iterator[Finding]:
    from ...catalog.mirror import mirror_file, mirror_rows

    loader = card.loader
    if loader.type_ != "load_tables":
        return
    needed = [split for split in dict.fromkeys((card.test_split, card.demo_split)) if split in loader.splits]
    files = {split: mirror_file(loader, split, folder) for split in needed}
    absent = [split for split, path in files.items() if not path.is_file()]
    get = _GET.format(name=card.name)
    if absent:
        yield Finding(card.name, "optional", f"not in the mirror: {', '.join(absent)}", get)
        return
    try:
        for split in needed:
            mirror_rows(loader, split, card.name, folder)
    except DataError as error:
        yield Finding(card.name, "wrong", str(error), get)
        return
    yield Finding(card.name, "good", ", ".join(f"{path.parent.name}/{path.name}" for path in files.values()))
