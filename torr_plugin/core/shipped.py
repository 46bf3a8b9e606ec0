"""The folders ``cards/``, ``recipes/`` and ``leaderboard/``, in an installed wheel or a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Folder = Literal["cards", "recipes", "leaderboard"]

_PACKAGE = Path(__file__).resolve().parents[1]


def folder(name: Folder) -> Path:
    """The folder ``name`` shipped with the package."""
    packed = _PACKAGE / "_shipped" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name
