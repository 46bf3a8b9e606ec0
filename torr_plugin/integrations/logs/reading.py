"""The readers of all formats, and the one line on a folder that none of them, or another one, reads."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ...core.errors import InputError
from .files import names_below, packed
from .helm import HelmLogs
from .lm_eval import LmEvalLogs
from .log import Log, LogReader
from .unitxt import UnitxtLogs


def readers() -> tuple[LogReader, ...]:
    """A reader a format; where a folder holds several, the first one's."""
    return (HelmLogs(), LmEvalLogs(), UnitxtLogs())


def read_log(reader: LogReader, path: Path) -> Log:
    """What a harness wrote in a folder.

    Raises:
        InputError: there is nothing of that harness, or files that are half-written or of another version.
    """
    log = reader.read(path)
    if not log.files:
        raise _no_log(reader, path)
    return log


def _no_log(reader: LogReader, path: Path) -> InputError:
    if not path.exists():
        return InputError(f"{path}: is not there; expected {reader.expected}")
    if not path.is_dir():
        return InputError(f"{path}: is a file; expected {reader.expected}{packed(path)}")
    text = (
        f"{path}: holds no results of {reader.name}; expected {reader.expected}{packed(path)}{_linked(path)}"
    )
    if "study.yaml" in names_below(path):
        which = "it is a run" if (path / "study.yaml").is_file() else "it holds runs"
        return InputError(f"{text}; {which} of this project: 'torr analyse RUN' takes one as it is")
    other = next((each.name for each in readers() if each.recognises(path)), reader.name)
    if other != reader.name:
        return InputError(f"{text}; it looks like output of {other}: try 'torr import {other.lower()}'")
    return InputError(text)


def _linked(path: Path) -> str:
    """A remark where a folder holds a link to another one, which is not followed; else nothing."""
    found = None
    with suppress(OSError), os.scandir(path) as entries:
        found = min((each.name for each in entries if each.is_symlink() and each.is_dir()), default=None)
    return f"; {found} is a link to a folder and is not followed: name the folder itself" if found else ""
