"""A folder with the tasks for lm-eval's ``--include_path``, in the user's cache or where the user says."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

from ... import __version__
from ...core.atomic_files import replace_folder
from ...core.errors import InputError
from ...core.user_cache import user_cache
from .task_files import MODULE

_NAMED = "lm-eval"
_UNUSED = 30 * 86400  # seconds after which a folder of the cache is removed
_MADE = re.compile(r"[0-9a-f]{24}")
_LEFT = re.compile(r"\.[0-9a-f]{24}[-.].+")  # by a process that was killed
_COMPILED = "__pycache__"


def cached(files: Mapping[str, str]) -> Path:
    """A folder of the user's cache with these files; its name is a hash of them, so that it is never stale.

    Of processes that ask for it at once one makes it. Folders made so earlier are removed once they were
    neither asked for nor run from for thirty days.

    Raises:
        InputError: it can be written neither in the cache nor in the folder for temporary files.
    """
    failed: OSError | None = None
    for place in (user_cache, _temporary):
        try:
            folder = place() / _NAMED / _digest(files)
            if not _holds(folder, files):
                folder.parent.mkdir(parents=True, exist_ok=True)
                with FileLock(folder.parent / ".lock"):
                    if not _holds(folder, files):
                        _put(folder, files)
        except OSError as error:
            failed = error
        else:
            _tidy(folder)
            return folder
    assert failed is not None  # noqa: S101 - the loop ran
    raise InputError(f"{failed.filename}: cannot be written: {failed.strerror}; give a folder with --out")


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The folder with these files and no others, for ``--out``.

    Raises:
        InputError: it is a file, or holds something else than tasks written before.
        OSError: it cannot be written.
    """
    if folder.exists():
        _refuse_others(folder)
    if not _holds(folder, files):
        _put(folder.resolve(), files)
    return folder.resolve()


def _refuse_others(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{folder}: a file; expected a folder to write tasks in")
    names = {path.name for path in folder.iterdir()} - {_COMPILED}
    others = sorted(name for name in names if name != MODULE and not name.endswith(".yaml"))
    if others or (names and MODULE not in names):
        found = (others or sorted(names))[0]
        raise InputError(
            f"{folder}: holds {found!r}, which is not one of our tasks; expected a new or empty folder"
        )


def _holds(folder: Path, files: Mapping[str, str]) -> bool:
    """Whether the folder holds exactly these files."""
    if not folder.is_dir():
        return False
    found = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    return found == {name: text.encode() for name, text in files.items()}


def _put(folder: Path, files: Mapping[str, str]) -> None:
    """Write a temporary folder, then replace the old one by it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, text in files.items():
            (aside / name).write_bytes(text.encode())
        aside.chmod(0o755)
        replace_folder(aside, folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def holds_all(folder: Path, names: Iterable[str]) -> bool:
    """Whether a folder of :func:`cached`, where all is ours, has a task or group of each of these names."""
    stems = {path.stem for path in folder.glob("*.yaml")} if _is_cached(folder) else set[str]()
    return all(name in stems or f"_{name}" in stems for name in names)


def note_use(module: str) -> None:
    """Mark the folder of a task's module as in use; the module calls this when lm-eval runs it.

    Somebody who keeps the folder's path does not ask for it again, and it should not vanish meanwhile.

    Args:
        module: its path. One that lies in no folder of :func:`cached` is left as it is.
    """
    folder = Path(module).parent
    if _is_cached(folder):
        with suppress(OSError):
            os.utime(folder)


def _is_cached(folder: Path) -> bool:
    return folder.parent.name == _NAMED and _MADE.fullmatch(folder.name) is not None


def _tidy(used: Path) -> None:
    """Note that a folder is used, and remove those beside it that were not used for long."""
    with suppress(OSError):  # a cache that can be read alone stays as it is
        os.utime(used)
    for each in list(used.parent.iterdir()):
        if _MADE.fullmatch(each.name) or _LEFT.fullmatch(each.name):
            with suppress(OSError):
                if time.time() - each.lstat().st_mtime > _UNUSED:
                    shutil.rmtree(each)


def _digest(files: Mapping[str, str]) -> str:
    content = json.dumps([__version__, sorted(files.items())])
    return hashlib.sha256(content.encode()).hexdigest()[:24]


def _temporary() -> Path:
    """A folder that only this user can write, since lm-eval runs the module in it.

    Raises:
        OSError: it cannot be made, or is not this user's.
    """
    user = os.getuid() if hasattr(os, "getuid") else None
    folder = Path(tempfile.gettempdir()) / f"torr-plugin-{'user' if user is None else user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if user is not None and (not stat.S_ISDIR(found.st_mode) or found.st_uid != user or found.st_mode & 0o22):
        raise PermissionError(errno.EACCES, "others can write it", str(folder))
    return folder
