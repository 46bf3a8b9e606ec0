"""Writing files so that a reader, or a killed run, finds the old or the new one, never half of one."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import RunError

_TEMPORARY = ".tmp"


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` under a temporary name beside ``path``, flush it to the disk, then rename it.

    Raises:
        RunError: the disk is full, the directory is read-only, ...; nothing is left behind.
    """
    temporary = path.with_name(f".{path.name}{_TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _flush_directory(path.parent)
    except OSError as error:
        _remove(temporary)
        raise unwritable(path, error) from error
    except BaseException:
        _remove(temporary)
        raise


def make_directory(path: Path) -> None:
    """Make a directory and its parents.

    Raises:
        RunError: something else has that name, or it may not be made there.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise RunError(f"{path}: is a file; expected a directory, or a name that is free") from None
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


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # the error that led here is the one to tell
        return


def _flush_directory(path: Path) -> None:
    """Make the rename itself durable, where directories can be opened (not on Windows)."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
