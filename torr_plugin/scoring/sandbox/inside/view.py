"""What a worker sees of the system, where bubblewrap is not there to arrange it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from . import kernel

_OLD, _NEW = "/old", "/new"
_ANY_FOLDER = "/tmp"  # noqa: S108 (of a namespace of our own)


def see_only(paths: Mapping[str, str], devices: Sequence[str], folder: str, size: int) -> None:
    """Make these all that this process sees of the system, read-only, beside an empty folder.

    The process must be in a namespace of mounts of its own, and privileged there.

    Args:
        paths: files and folders: where they are to be seen -> where they are, without symbolic links.
        devices: device files.
        folder: the empty one, for temporary files.
        size: of that folder, in bytes.
    """
    _step_aside()
    kernel.mount("tmpfs", _NEW, "tmpfs", options="mode=755")
    for path, place in paths.items():
        _bind(_OLD + place, _NEW + path)
    for device in devices:
        _touch(_NEW + device)
    os.makedirs(_NEW + folder, exist_ok=True)
    kernel.make_read_only(_NEW)
    for device in devices:
        kernel.mount(_OLD + device, _NEW + device, flags=kernel.BIND)
    safe = kernel.NO_SUID | kernel.NO_DEVICES
    kernel.mount("tmpfs", _NEW + folder, "tmpfs", safe, f"size={size},mode=755")
    kernel.enter_root(_NEW)


def _step_aside() -> None:
    """Make an empty root with the system below ``/old``, where nothing that we mount covers any of it."""
    kernel.mount("tmpfs", _ANY_FOLDER, "tmpfs", options="mode=755")
    for folder in (_OLD, _NEW):
        os.mkdir(_ANY_FOLDER + folder)
    kernel.enter_root(_ANY_FOLDER, keep=_OLD)


def _bind(place: str, path: str) -> None:
    if os.path.isdir(place):
        os.makedirs(path, exist_ok=True)
    else:
        _touch(path)
    kernel.mount(place, path, flags=kernel.BIND | kernel.RECURSIVE)


def _touch(path: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a", encoding="utf-8"):
        pass
