"""Writes the files of a site, each whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..core.errors import RunError


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file beside its place and rename it; its folder is made.

    Raises:
        RunError: it cannot be written.
    """
    from ..analysis.output.files import write_file as write_whole

    with _said(path):
        write_whole(path, content.encode("utf-8", "replace") if isinstance(content, str) else content)


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
