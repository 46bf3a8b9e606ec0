"""Reads the scores in files and folders, of whatever format, as those of one board."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...catalog.loading import collecting_rarely
from ...core.errors import InputError, counted
from . import readers
from .board import BoardScores, joined
from .checks import checked
from .log import LogReader, recognising


def read_scores(paths: Sequence[Path], format: str | None = None) -> BoardScores:  # noqa: A002
    """The scores in some paths together, each once.

    Args:
        paths: files or folders; their formats may differ, in one folder too.
        format: a name of :data:`~torr_plugin.integrations.logs.readers`, for all paths; None finds it by the
            files' names and first bytes.

    Raises:
        InputError: a path is not there, of no known format, or damaged; or the scores cannot be compared.
    """
    chosen = None if format is None else readers.get(format)
    places = list(dict.fromkeys(Path(os.path.realpath(path)) for path in paths))
    with collecting_rarely():
        parts = [(path, *part) for path in places for part in _parts(path, chosen)]
        tables = [board.models for _, reader, board in parts if reader.general]
        try:
            return checked(joined(board for *_, board in parts), tables)
        except InputError:
            for path, reader, board in parts:
                _check_alone(path, reader, board)
            raise


def _check_alone(path: Path, reader: LogReader, board: BoardScores) -> None:
    """Say of what is wrong in one path alone which it is."""
    try:
        checked(board, [board.models] if reader.general else ())
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _parts(path: Path, chosen: LogReader | None) -> Iterator[tuple[LogReader, BoardScores]]:
    if not path.exists():
        raise InputError(
            f"{path}: no such file or folder; expected results of a harness, or a table of scores"
        )
    for reader in [chosen] if chosen else _readers_of(path):
        found = reader.scores(path)
        if not len(found.items) + len(found.aggregates):
            raise InputError(f"{path}: holds no scores of {reader.name}; expected {reader.expected}")
        yield reader, found


def _readers_of(path: Path) -> list[LogReader]:
    """Those that know a file, or files in a folder; one that reads any table only where no other does."""
    every = list(map(readers.get, readers.names()))
    for general in (False, True):
        found = recognising(path, [reader for reader in every if reader.general is general])
        if len(found) > 1 and path.is_file():
            several = " and ".join(reader.name for reader in found)
            raise InputError(f"{path}: may be of {several}; say which with --format")
        if found:
            return found
    what = "file" if path.is_file() else "folder"
    raise InputError(
        f"{path}: is a {what} of none of the {counted(len(every), 'format')} that can be read; "
        f"expected {', '.join(reader.name for reader in every)}"
    )
