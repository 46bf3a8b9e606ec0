"""The state of a study's files, by which what was made of them is found again in the same process.

Programs and notebooks that stay open ask a study again after its recipe or a card was edited.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from ..catalog import load_card
from ..recipes import load, recipe_file

State: TypeAlias = "tuple[object, ...]"


def state_of(study: str) -> State:
    """What changes with the recipe's file, with its cards' files and with the mirror that is read.

    Raises:
        RecipeError: no such study, or its file is wrong.
        InputError: a card of it cannot be read.
    """
    recipe = recipe_file(study).absolute()
    stamp = _stamp(recipe)
    cards = tuple(map(_stamp, _cards(recipe, stamp)))
    return (stamp, cards, os.environ.get("TORR_DATA"))


def _stamp(path: Path) -> State:
    with suppress(OSError):  # who reads it says what is wrong
        found = path.stat()
        return (str(path), found.st_mtime_ns, found.st_size, found.st_ino)
    return (str(path),)


@lru_cache(maxsize=32)
def _cards(recipe: Path, stamp: State) -> tuple[Path, ...]:
    """The files of a recipe's cards; ``stamp`` is the recipe's, so that it is read again when it changed."""
    return tuple(dict.fromkeys(load_card(entry.card).path for entry in load(recipe).cards))
