"""Writing files so that a reader, or a killed run, finds the old or the new one, never half of one."""

from __future__ import annotations

import errno
import glob
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import RunError

_TEMPORARY = ".tmp"
# what file systems without hard links say when asked for one
_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK})


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` under a temporary name beside ``path``, flush it to the disk, then rename it.

    Raises:
        RunError: the disk is full, the directory is read-only, ...; nothing is left behind.
    """
    with atomically(path) as file:
        file.write(data)


@contextmanager
def atomically(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of ``path`` when the block ends without an error.

    Raises:
        RunError: as :func:`write_atomically`.
    """
    with _placed(path, os.replace) as file:
        yield file


def write_new(path: Path, data: bytes) -> bool:
    """As :func:`write_atomically`, but never in the place of a file: False, and nothing done, where one is.

    Raises:
        RunError: it cannot be written.
    """
    try:
        with _placed(path, _link) as file:
            file.write(data)
    except FileExistsError:
        return False
    return True


@contextmanager
def _placed(path: Path, place: Callable[[Path, Path], None]) -> Iterator[BinaryIO]:
    # its own name in every process and attempt: two writers never have one temporary file
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}{_TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            _check_whole(file)
        place(temporary, path)
        flush_directory(path.parent)
    except FileExistsError:
        raise
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        _remove(temporary)


def _check_whole(file: BinaryIO) -> None:
    """A file system may take less than it was given without an error."""
    found, expected = os.fstat(file.fileno()).st_size, file.tell()
    if found != expected:
        raise OSError(errno.EIO, f"{found} of {expected} bytes arrived on the disk")


def _link(source: Path, target: Path) -> None:
    """Give a file its name, unless the name is taken: ``link`` is atomic on network file systems too.

    Where there are no hard links, the name is first given to an empty file, which one process alone can make;
    a kill between the two steps leaves that.
    """
    try:
        os.link(source, target)
    except FileExistsError:
        # an NFS server that is asked again, as its answer was lost, says so of what it did the first time
        if not os.path.samefile(source, target):
            raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        os.replace(source, target)


def make_directory(path: Path) -> None:
    """Make a directory and its parents.

    Raises:
        RunError: something else has that name, or it may not be made there.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise RunError(f"{path}: is a file; expected a directory, or a name that is free") from None
    except NotADirectoryError:
        raise RunError(f"{path}: lies below a file; expected a place in a directory") from None
    except OSError as error:
        raise unwritable(path, error) from error


def is_temporary(path: Path) -> bool:
    """Whether a killed run may have left this file."""
    return path.name.startswith(".") and path.name.endswith(_TEMPORARY)


def unwritable(path: Path, error: OSError) -> RunError:
    """The line for a file that cannot be written."""
    reason = error.strerror or str(error)
    return RunError(
        f"{path}: cannot be written: {reason}; what was answered is kept, the same command resumes"
    )


def unreadable(path: Path, error: OSError) -> RunError:
    """The line for a file that cannot be read."""
    return RunError(f"{path}: cannot be read: {error.strerror or error}")


def remove(path: Path) -> None:
    """Remove a file, if it is there.

    Raises:
        RunError: it may not be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def flush_directory(path: Path) -> None:
    """Make a rename itself durable, where directories can be opened (not on Windows)."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # the error that led here is the one to tell
        return


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
