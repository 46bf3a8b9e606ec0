"""A folder with the tasks for lm-eval's ``--include_path``, in the user's cache or where the user says."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ... import __version__
from ...core.atomic_files import replace_folder
from ...core.errors import InputError
from ...core.shipped import user_cache
from .task_files import MODULE


def cached(files: Mapping[str, str]) -> Path:
    """A folder of the user's cache with these files; its name is a hash of them, so that it is never stale.

    Raises:
        InputError: it cannot be written.
    """
    content = json.dumps([__version__, sorted(files.items())])
    folder = user_cache() / "lm-eval" / hashlib.sha256(content.encode()).hexdigest()[:24]
    try:
        if not folder.is_dir():
            _put(folder, files, _unless_there)
    except OSError as error:
        raise InputError(
            f"{error.filename}: cannot be written: {error.strerror}; give a folder with --out"
        ) from error
    return folder


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The folder with these files and no others, for ``--out``.

    Raises:
        InputError: it is a file, or holds something else than tasks written before.
        OSError: it cannot be written.
    """
    if folder.exists():
        _refuse_others(folder)
    _put(folder.resolve(), files, replace_folder)
    return folder.resolve()


def _refuse_others(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{folder}: a file; expected a folder to write tasks in")
    names = {path.name for path in folder.iterdir()} - {"__pycache__"}
    others = sorted(name for name in names if name != MODULE and not name.endswith(".yaml"))
    if others or (names and MODULE not in names):
        found = (others or sorted(names))[0]
        raise InputError(
            f"{folder}: holds {found!r}, which is not one of our tasks; expected a new or empty folder"
        )


def _put(folder: Path, files: Mapping[str, str], place: Callable[[Path, Path], None]) -> None:
    """Write a temporary folder, then move it to its place."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, text in files.items():
            (aside / name).write_bytes(text.encode())
        aside.chmod(0o755)
        place(aside, folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _unless_there(source: Path, target: Path) -> None:
    """Move a folder; one that another process put there meanwhile is the same, and may be in use."""
    try:
        source.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def holds_all(folder: Path, names: Iterable[str]) -> bool:
    """Whether a folder has a task or group of each of these names, and one is named at all."""
    stems = {path.stem for path in folder.glob("*.yaml")}
    found = [name in stems or f"_{name}" in stems for name in names]
    return bool(found) and all(found)
