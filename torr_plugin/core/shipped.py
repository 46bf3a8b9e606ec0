"""Where ``cards/``, ``recipes/`` and ``leaderboard/`` lie: in an installed wheel, or atop a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Folder = Literal["cards", "recipes", "leaderboard"]

_PACKAGE = Path(__file__).resolve().parents[1]


def folder(name: Folder) -> Path:
    """The folder ``name`` that came with the package."""
    packed = _PACKAGE / "_shipped" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name
