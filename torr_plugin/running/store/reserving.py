"""The place of a run from the moment that somebody begins it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ...core.atomic_files import make_directory
from ...core.errors import RunError
from .lock import exclusive

_TRIES = 5


@contextmanager
def reserved(directory: Path) -> Iterator[None]:
    """Hold a run's lock (:func:`.lock.exclusive`), also while its data are read and it is planned.

    The directory is made where it is not there, so that others see who begins what; where an error ends the
    block and nothing was written, what was made is taken away again.

    Raises:
        RunError: another process has the run, or the directory cannot be made.
    """
    made: list[Path] = []
    try:
        with ExitStack() as held:
            for left in reversed(range(_TRIES)):
                made = max(made, _missing(directory), key=len)
                if _took(held, directory, last=not left):
                    break
            yield
    except BaseException:
        with suppress(OSError):  # one that holds something stays
            for path in made:
                path.rmdir()
        raise


def _took(held: ExitStack, directory: Path, *, last: bool) -> bool:
    """Make the directory and take its lock; False where another's failed attempt took it away in between."""
    try:
        make_directory(directory)
        held.enter_context(exclusive(directory))
    except RunError:
        if last or directory.exists():
            raise
        return False
    return True


def _missing(directory: Path) -> list[Path]:
    """The directory and those above it that are not there yet, the innermost first."""
    return [path for path in (directory, *directory.parents) if not path.exists()]
