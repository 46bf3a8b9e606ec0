"""Folders: those shipped with the package, in an installed wheel or a checkout, and the user's cache."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import platformdirs

Folder = Literal["cards", "recipes", "leaderboard"]

_PACKAGE = Path(__file__).resolve().parents[1]


def folder(name: Folder) -> Path:
    """The folder ``name`` shipped with the package."""
    packed = _PACKAGE / "_shipped" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


def user_cache() -> Path:
    """The project's cache folder; it may not exist or be writable."""
    return platformdirs.user_cache_path("torr-plugin", appauthor=False)
