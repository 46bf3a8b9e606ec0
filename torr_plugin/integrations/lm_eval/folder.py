"""A folder with the tasks for lm-eval's ``--include_path``: of the user's cache, or where one wishes."""

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
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ...core.atomic_files import replace_folder
from ...core.errors import InputError
from ...core.user_cache import user_cache
from .task_files import MODULE

_NAMED = "lm-eval"
_UNUSED = 30 * 86400  # seconds after which a folder of the cache goes
_MADE = re.compile(r"[0-9a-f]{24}")
_ASIDE = re.compile(r"\.[0-9a-f]{16}-\w+|\.[0-9a-f]{24}\.[0-9a-f]{12}\.tmp")
_COMPILED = "__pycache__"


def cached(files: Mapping[str, str]) -> Path:
    """A folder of the user's cache with these files; its name is a hash of them, so that it is never stale.

    Processes that make it at once do not disturb each other: each writes aside and renames. Folders beside it
    that were neither asked for nor run from in thirty days are removed; whatever else lies there stays.

    Raises:
        InputError: it can be written neither in the cache nor in the folder for temporary files.
    """
    failed: OSError | None = None
    for place in (user_cache, _temporary):
        try:
            folder = place() / _NAMED / _digest(files)
            made = folder if _holds(folder, files) else _put(folder, files)
        except OSError as error:
            failed = error
        else:
            _tidy(made)
            return made
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
    if _holds(folder, files):
        return folder.resolve()
    return _put(folder.resolve(), files)


def _refuse_others(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{folder}: a file; expected a folder to write tasks in")
    names = {path.name for path in folder.iterdir()} - {_COMPILED}
    others = sorted(name for name in names if name != MODULE and not name.endswith(".yaml"))
    if others or (names and MODULE not in names):
        found = (others or sorted(names))[0]
        raise InputError(
            f"{folder}: holds {found!r}, which is no task of ours; expected a new or empty folder"
        )


def _holds(folder: Path, files: Mapping[str, str]) -> bool:
    """Whether the folder has these files as they are here, and no other tasks."""
    if not folder.is_dir():
        return False
    found = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    return found == {name: text.encode() for name, text in files.items()}


def _put(folder: Path, files: Mapping[str, str]) -> Path:
    """Write the folder; one that another process put there meanwhile stays."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name[:16]}-", dir=folder.parent))
    try:
        for name, text in files.items():
            (aside / name).write_bytes(text.encode())
        aside.chmod(0o755)
        replace_folder(aside, folder)
    except OSError:
        if not _holds(folder, files):
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return folder


def note_use(module: str) -> None:
    """Have the folder of a task's module counted as in use; the module says so itself when lm-eval runs it.

    Whoever keeps the folder's path asks for it no more, and would have it removed under their feet.

    Args:
        module: its path. One that lies in no folder of :func:`cached` is left as it is.
    """
    folder = Path(module).parent
    if folder.parent.name == _NAMED and _MADE.fullmatch(folder.name):
        with suppress(OSError):
            os.utime(folder)


def _tidy(used: Path) -> None:
    """Note that a folder was used, and remove those beside it that were not for long."""
    with suppress(OSError):  # a cache that can be read alone stays as it is
        os.utime(used)
    for each in list(used.parent.iterdir()):
        with suppress(OSError):
            if _unused(each) and _ours_alone(each):
                shutil.rmtree(each, ignore_errors=True)


def _unused(path: Path) -> bool:
    return time.time() - path.lstat().st_mtime > _UNUSED


def _ours_alone(path: Path) -> bool:
    """Whether it is a folder that :func:`cached` made, or left when killed, and nobody put more into."""
    if path.is_symlink() or not path.is_dir():
        return False
    if _MADE.fullmatch(path.name):
        return (path / MODULE).is_file() and _holds_tasks(path)
    return bool(_ASIDE.fullmatch(path.name)) and _holds_tasks(path)


def _holds_tasks(folder: Path) -> bool:
    """Whether it has nothing but our module, tasks' files and what Python makes of the module."""
    return not folder.is_symlink() and all(map(_of_a_task, folder.iterdir()))


def _of_a_task(path: Path) -> bool:
    if path.is_symlink():
        return False
    if path.name == _COMPILED:
        stem = Path(MODULE).stem
        return path.is_dir() and all(each.match(f"{stem}.*.pyc*") for each in path.iterdir())
    return path.is_file() and (path.name == MODULE or path.suffix == ".yaml")


def _digest(files: Mapping[str, str]) -> str:
    from ... import __version__

    content = json.dumps([__version__, sorted(files.items())])
    return hashlib.sha256(content.encode()).hexdigest()[:24]


def _temporary() -> Path:
    """A folder of this user's alone: lm-eval runs the module in it, so nobody else may have made it.

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
