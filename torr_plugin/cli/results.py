"""The stream for results: stdout, without what models and libraries print there."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

_FEWEST_COLUMNS, _COLUMNS = 40, 80
MOST_COLUMNS = 80
"""The greatest width of texts, as wider ones are hard to read."""


class _Redirected:
    stream: TextIO | None = None


def results() -> TextIO:
    """The stream for results."""
    return _Redirected.stream or sys.stdout


def columns(stream: TextIO | None = None) -> int:
    """The width of a stream (by default that of results): ``COLUMNS``, else its terminal's, else 80.

    A pipe has no width of its own, and most often ends in a terminal.
    """
    variable = os.environ.get("COLUMNS", "")
    found = int(variable) if variable.isdecimal() else 0
    with suppress(OSError, ValueError):
        found = found or os.get_terminal_size((stream or results()).fileno()).columns
    return max(found, _FEWEST_COLUMNS) if found else _COLUMNS


def clean(text: str) -> str:
    """A text on one line, without control characters."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))


def flush_results() -> None:
    """Flush :func:`results`, before something is printed on stderr."""
    if _Redirected.stream is not None:
        with suppress(OSError):  # reported when the stream is closed
            _Redirected.stream.flush()


@contextmanager
def results_apart() -> Iterator[None]:
    """Reserve stdout for :func:`results`: everything else printed there goes to stderr.

    Engines print from their own processes and from C, so the file descriptor itself is redirected. A reader
    that goes away (``torr ... | head -1``) is no error, and neither is a closed stdout.
    """
    handle = _handle(sys.stdout)
    if handle is None:
        with _as_results(sys.stdout or io.StringIO()):
            yield
        return
    sys.stdout.flush()
    kept = os.dup(handle)
    raw = io.BufferedWriter(_ForgivingStdout(kept, "w"))
    stream = io.TextIOWrapper(raw, encoding=sys.stdout.encoding, errors="backslashreplace")
    elsewhere = _handle(sys.stderr)
    os.dup2(os.open(os.devnull, os.O_WRONLY) if elsewhere is None else elsewhere, handle)
    try:
        with _as_results(stream):
            yield
        stream.flush()
    finally:
        sys.stdout.flush()
        os.dup2(kept, handle)
        with suppress(OSError):  # reported already, when it was flushed
            stream.close()


class _ForgivingStdout(io.FileIO):
    """A stdout whose reader may go away: what is not read is dropped."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, "stdout") from error


@contextmanager
def _as_results(stream: TextIO) -> Iterator[None]:
    before, _Redirected.stream = _Redirected.stream, stream
    try:
        yield
    finally:
        _Redirected.stream = before


def _handle(stream: TextIO | None) -> int | None:
    """The file descriptor behind a stream, where there is one."""
    try:
        return None if stream is None else stream.fileno()
    except (OSError, ValueError):
        return None
