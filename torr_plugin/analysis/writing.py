"""Writes files whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_file(path: Path, content: bytes) -> Path:
    """Write beside and rename; the directory is made.

    Raises:
        OSError: the file cannot be written; its ``filename`` says which path.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path
