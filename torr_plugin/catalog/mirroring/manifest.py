"""What a mirror's folder says of its files: where each came from, how many rows it has, its checksum."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.atomic_files import atomic_path
from ...core.errors import DataError

MANIFEST = "manifest.json"
FORMAT = 1

_LARGEST = 10_000_000
_CHUNK = 1 << 20


def read_manifest(folder: Path) -> dict[str, Any]:
    """What the folder's manifest says of each file, by its name; empty without a manifest.

    Raises:
        DataError: it is no manifest, or one of another version.
    """
    path = folder / MANIFEST
    try:
        if path.stat().st_size > _LARGEST:
            raise DataError(
                f"{path}: has {path.stat().st_size:,} bytes; expected a manifest of `torr data pull`"
            )
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        found = told.get("format") if isinstance(told, dict) else type(told).__name__
        raise DataError(
            f"{path}: format: found {found!r}, expected {FORMAT}; another version made this mirror"
        )
    files = told.get("files")
    if not isinstance(files, dict) or not all(isinstance(each, dict) for each in files.values()):
        raise DataError(f"{path}: files: expected an object with one object a file")
    return files


def add_to_manifest(folder: Path, name: str, entry: Mapping[str, Any]) -> None:
    """Say something of one file, in place of what was said of it before."""
    files = {**read_manifest(folder), name: dict(entry)}
    text = json.dumps({"format": FORMAT, "files": dict(sorted(files.items()))}, indent=2, ensure_ascii=False)
    with atomic_path(folder / MANIFEST) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
