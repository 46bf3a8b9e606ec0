"""Where results go: stdout, kept apart from whatever models and libraries print there."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

_FEWEST_COLUMNS, _COLUMNS = 40, 80


class _Kept:
    stream: TextIO | None = None


def results() -> TextIO:
    """The stream for results."""
    return _Kept.stream or sys.stdout


def columns(stream: TextIO | None = None) -> int:
    """How many columns a stream has, or that of results: as ``COLUMNS`` says, as its terminal has, else 80.

    A pipe has no width of its own, and what is read through one is most often shown in a terminal in the end.
    """
    told = os.environ.get("COLUMNS", "")
    found = int(told) if told.isdecimal() else 0
    if not found:
        try:
            found = os.get_terminal_size((stream or results()).fileno()).columns
        except (OSError, ValueError):
            found = 0
    return max(found, _FEWEST_COLUMNS) if found else _COLUMNS


def flush_results() -> None:
    """Show what was written to :func:`results` so far, before something else is said on stderr."""
    if _Kept.stream is not None:
        with suppress(OSError):  # what cannot be written is told when the stream is closed
            _Kept.stream.flush()


@contextmanager
def results_apart() -> Iterator[None]:
    """Within it stdout holds what is written to :func:`results` alone; all else printed there goes to stderr.

    Engines print from their own processes and from C, so the file descriptor itself is turned over. A reader
    that goes away (``torr ... | head -1``) is no error; a stdout that is closed takes nothing.
    """
    handle = _handle(sys.stdout)
    if handle is None:
        with _used(sys.stdout or io.StringIO()):
            yield
        return
    sys.stdout.flush()
    kept = os.dup(handle)
    stream = io.TextIOWrapper(
        io.BufferedWriter(_Forgiving(kept, "w")), encoding=sys.stdout.encoding, errors="backslashreplace"
    )
    os.dup2(_stderr_handle(), handle)
    try:
        with _used(stream):
            yield
        stream.flush()
    finally:
        sys.stdout.flush()
        os.dup2(kept, handle)
        _close(stream)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Within it a reader of stdout that goes away is no error: what is printed there is then dropped.

    For a harness's own command, whose prints are results and go where they are meant to.
    """
    before, handle = sys.stdout, _handle(sys.stdout)
    if handle is None:
        yield
        return
    before.flush()
    stream = io.TextIOWrapper(
        io.BufferedWriter(_Forgiving(handle, "w", closefd=False)),
        encoding=before.encoding,
        errors=before.errors,
        line_buffering=before.isatty(),
    )
    sys.stdout = stream
    try:
        yield
    finally:
        sys.stdout = before
        _close(stream)


class _Forgiving(io.FileIO):
    """A stdout whose reader may go away: what it does not read is dropped."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, "stdout") from error


@contextmanager
def _used(stream: TextIO) -> Iterator[None]:
    before, _Kept.stream = _Kept.stream, stream
    try:
        yield
    finally:
        _Kept.stream = before


def _handle(stream: TextIO | None) -> int | None:
    """The file descriptor behind a stream, where there is one."""
    try:
        return None if stream is None else stream.fileno()
    except (OSError, ValueError):
        return None


def _stderr_handle() -> int:
    handle = _handle(sys.stderr)
    return os.open(os.devnull, os.O_WRONLY) if handle is None else handle


def _close(stream: TextIO) -> None:
    try:
        stream.close()
    except OSError:  # said already, when it was flushed
        return
