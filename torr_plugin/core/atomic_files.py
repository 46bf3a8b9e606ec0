"""Atomic writes: whatever stops a command, a path holds the old file or folder or the new one, never half.

Data goes to a temporary name beside the target, is flushed to the disk where it could not be made again, and
then renamed.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import RunError

_TEMPORARY = ".tmp"


@contextmanager
def atomic_path(path: Path, *, flush: bool = True) -> Iterator[Path]:
    """Yield a path to write to; the file replaces ``path`` when the block ends without an error.

    Args:
        path: the file.
        flush: whether it reaches the disk before it has its name, so that a power cut leaves no half of it.

    Raises:
        OSError: it cannot be written (``filename`` says which); nothing is left behind.
    """
    temporary = _temporary(path)
    try:
        yield temporary
        if flush:
            _flush(temporary, os.O_RDWR)
        os.replace(temporary, path)
        if flush and os.name == "posix":  # elsewhere a directory cannot be opened
            _flush(path.parent, os.O_RDONLY)
    except OSError as error:
        if error.filename not in (None, str(temporary)):
            raise
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with suppress(OSError):  # the error that led here is the one to report
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces ``path`` when the block ends without an error.

    Raises:
        RunError: the disk is full, the directory is read-only, ...; nothing is left behind.
    """
    try:
        with atomic_path(path) as temporary, temporary.open("wb") as file:
            yield file
    except OSError as error:
        raise write_error(path, error) from error


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``.

    Raises:
        RunError: as for :func:`atomic_file`.
    """
    with atomic_file(path) as file:
        file.write(data)


def write_file(path: Path, content: bytes, *, flush: bool = True) -> Path:
    """Write a file whole or not at all; its directory is made.

    Args:
        path: the file.
        content: of it.
        flush: whether to wait for the disk; hundreds of files that can be made again are not worth that.

    Raises:
        OSError: the file cannot be written; its ``filename`` says which path.
        RunError: its directory cannot be made.
    """
    make_directory(path.parent)
    with atomic_path(path, flush=flush) as unfinished:
        unfinished.write_bytes(content)
    return path


def write_named_file(path: Path, content: bytes) -> None:
    """Write a file that the user named: what a link leads to, and a device or a pipe itself, are kept.

    Raises:
        OSError: the file cannot be written; its ``filename`` says which path.
        RunError: its directory cannot be made.
    """
    if path.exists() and not path.is_file():  # e.g. /dev/stdout, which a file must not replace
        path.write_bytes(content)
    else:
        write_file(Path(os.path.realpath(path)) if path.is_symlink() else path, content)


def read_text(path: Path, most_bytes: int, error: Callable[[str], Exception]) -> str:
    """Read a UTF-8 file that a stranger may have written.

    Args:
        path: the file.
        most_bytes: its largest size.
        error: makes the error to raise of what is wrong: not readable, too large, not UTF-8.
    """
    try:
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
    except OSError as reason:
        raise error(f"cannot be read: {reason.strerror}") from reason
    if len(content) > most_bytes:
        raise error(f"the file is larger than {most_bytes:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        raise error(f"not UTF-8 (byte {reason.start}); expected a text that is saved as UTF-8") from reason


@contextmanager
def atomic_folder(out: Path, option: str = "--out") -> Iterator[Path]:
    """Yield an empty folder to fill; it becomes ``out`` when the block ends without an error.

    Raises:
        RunError: ``out`` is not free (:func:`check_new_folder`), or it cannot be made.
    """
    check_new_folder(out, option)
    target = out.absolute()
    aside = _temporary(target)
    missing = [folder for folder in target.parents if not folder.exists()]
    make_directory(target.parent)
    make_directory(aside)
    try:
        yield aside
        replace_folder(aside, target)
    except OSError as error:
        error.filename = error.filename or str(out)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        with suppress(OSError):  # parent folders made for an ``out`` that failed, unless in use
            for folder in missing:
                folder.rmdir()


def replace_folder(source: Path, target: Path) -> None:
    """Move a folder to ``target`` and delete whatever was there.

    Raises:
        OSError: it cannot be renamed; what was there stays.
    """
    old = _temporary(target)
    with suppress(FileNotFoundError):
        target.rename(old)
    try:
        source.rename(target)
    except OSError:
        with suppress(FileNotFoundError):
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def check_new_folder(out: Path, option: str = "--out") -> None:
    """Refuse a folder for results that exists already; ``option`` is what named it.

    Raises:
        RunError: a file, a link, or a folder that is not empty or cannot be read.
    """
    try:
        is_other = out.is_symlink() or (out.exists() and not out.is_dir())
        if is_other or (out.exists() and any(out.iterdir())):
            what = "is no folder" if is_other else "is not empty"
            raise RunError(f"{option} {out}: {what}; expected a new or empty folder")
    except OSError as error:
        raise read_error(out, error) from error


def check_result_folder(out: Path, mark: str, what: str) -> None:
    """Refuse a folder that holds something else than an earlier result of the same kind.

    Args:
        out: the folder, which need not be there. Hidden files do not count.
        mark: a file that every such result has, from the folder.
        what: it is, for the message: ``earlier site``.

    Raises:
        RunError: it holds other things, or cannot be read.
    """
    try:
        if not out.is_dir() or (out / mark).exists():
            return
        found = min((each.name for each in out.iterdir() if not each.name.startswith(".")), default=None)
    except OSError as error:
        raise read_error(out, error) from error
    if found is not None:
        raise RunError(
            f"--out {out}: is not empty and holds no {what} (it holds {found!r}); choose another --out, "
            "or empty it"
        )


def make_directory(path: Path) -> None:
    """Make a directory and its parents.

    Raises:
        RunError: something else has that name, or it cannot be made there.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise RunError(f"{path}: is a file; expected a directory, or a name that is free") from None
    except NotADirectoryError:
        raise RunError(f"{path}: lies below a file; expected a place in a directory") from None
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror or error}") from error


def remove(path: Path) -> None:
    """Remove a file, if it is there.

    Raises:
        RunError: it cannot be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise write_error(path, error) from error


def is_temporary(path: Path) -> bool:
    """Whether this is a file being written, or one that a killed process left."""
    return path.name.startswith(".") and path.name.endswith(_TEMPORARY)


def write_error(path: Path, error: OSError) -> RunError:
    """The message for a file that cannot be written."""
    if isinstance(error, FileNotFoundError) and not path.parent.exists():
        return RunError(
            f"{path}: cannot be written: its folder is gone, and what was in it; run the same command again"
        )
    return RunError(
        f"{path}: cannot be written: {error.strerror or error}; the answers so far are kept; run the same "
        "command again"
    )


def read_error(path: Path, error: OSError) -> RunError:
    """The message for a file that cannot be read."""
    return RunError(f"{path}: cannot be read: {error.strerror or error}")


def _temporary(path: Path) -> Path:
    """A unique temporary name beside ``path``, so that two writers never share a file."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}{_TEMPORARY}")


def _flush(path: Path, mode: int) -> None:
    handle = os.open(path, mode)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
