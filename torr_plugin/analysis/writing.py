"""Writes files whole or not at all."""

from __future__ import annotations

from pathlib import Path

from ..core.atomic_files import atomic_path


def write_file(path: Path, content: bytes) -> Path:
    """Write a file whole or not at all; its directory is made.

    Raises:
        OSError: the file cannot be written; its ``filename`` says which path.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as unfinished:
        unfinished.write_bytes(content)
    return path
