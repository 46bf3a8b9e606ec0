"""One writer a run directory: a second command on it is refused while the first one works."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import RunError


@contextmanager
def exclusive(directory: Path) -> Iterator[None]:
    """Hold the directory's lock; it ends with the process, so a killed run leaves none behind.

    File systems and platforms without such locks are used without.

    Raises:
        RunError: another process holds it.
    """
    handle = _lock(directory)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock(directory: Path) -> int | None:
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if error.errno in (errno.EAGAIN, errno.EACCES):
            raise RunError(
                f"{directory}: another command is writing this run; wait for it, or choose another --out"
            ) from None
        return None
    return handle
