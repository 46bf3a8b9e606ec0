"""Writes the files of a site, each whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import RunError


def make_folder(path: Path) -> None:
    """Make a folder and its parents.

    Raises:
        RunError: it cannot be made.
    """
    with _said(path):
        path.mkdir(parents=True, exist_ok=True)


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file beside its place and rename it.

    Raises:
        RunError: it cannot be written.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with _said(path):
        try:
            beside.write_bytes(data)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


@contextmanager
def _said(path: Path) -> Iterator[None]:
    try:
        yield
    except (FileExistsError, NotADirectoryError):
        raise RunError(
            f"{path}: a file is in the way; expected a folder for the site, or a name that is free"
        ) from None
    except OSError as error:
        raise RunError(f"{path}: the site cannot be written: {error.strerror or error}") from error
