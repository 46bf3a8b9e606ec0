"""Files and folders that are there whole or not at all, whatever kills the command that writes them.

What is not to be lost at a power cut either, a run's predictions, is written by
:mod:`torr_plugin.running.store.atomic`.
"""

from __future__ import annotations

import glob
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import RunError

_LEFT_OVER = 86_400.0  # seconds after which what a killed command left is nobody's


@contextmanager
def file_in_place_of(path: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of ``path`` when the block ends without an error."""
    _sweep(path)
    aside = _aside(path)
    try:
        yield aside
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def folder_in_place_of(out: Path) -> Iterator[Path]:
    """A folder to fill, which takes the place of ``out`` when the block ends without an error.

    Raises:
        RunError: as :func:`check_free`, or the folder cannot be made or renamed.
    """
    check_free(out)
    target = out.absolute()
    _sweep(target)
    aside = _aside(target)
    fresh = [folder for folder in target.parents if not folder.exists()]
    try:
        with _told(out):
            aside.mkdir(parents=True)
        yield aside
        with _told(out):
            if target.is_dir():
                target.rmdir()
            aside.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        with suppress(OSError):  # what was made above a folder that then was not; others hold something
            for folder in fresh:
                folder.rmdir()


def check_free(out: Path) -> None:
    """Refuse what is there already.

    Raises:
        RunError: a file, a link, or a folder that is not empty or cannot be read.
    """
    try:
        if out.is_symlink() or (out.exists() and not out.is_dir()):
            what = "a link" if out.is_symlink() else "a file"
            raise RunError(f"--out {out}: found {what}; expected a new or empty folder")
        found = min((each.name for each in out.iterdir()), default=None) if out.exists() else None
    except OSError as error:
        raise RunError(f"--out {out}: cannot be read: {error.strerror or error}") from error
    if found is not None:
        raise RunError(f"--out {out}: is not empty: it holds {found}; expected a new or empty folder")


@contextmanager
def _told(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(f"{out}: cannot be made: {error.strerror or error}") from error


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.tmp")


def _sweep(path: Path) -> None:
    """Remove what a killed command left beside this file or folder."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime < _LEFT_OVER:
                continue
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink()
