"""The files below a folder."""

from __future__ import annotations

import os
from pathlib import Path


def files_below(path: Path, *endings: str) -> list[Path]:
    """The files in and below a folder whose names end so, sorted; links to folders are not followed."""
    return sorted(
        Path(folder, name) for folder, _, names in os.walk(path) for name in names if name.endswith(endings)
    )
