"""The versions of the packages that results depend on, and the commands that install what is missing."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, entry_points, version

from .registry import PLUGINS

_PACKAGES = (
    "torr-plugin",
    "lm-eval",
    "unitxt",
    "datasets",
    "pandas",
    "pyarrow",
    "numpy",
    "scipy",
    "statsmodels",
    "lxml",
    "typst",  # draws the pictures
    "ray",
    "vllm",
    "sglang",
    "torch",
    "transformers",
    "tokenizers",
)

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
    """The version of a package, or None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def changed(
    before: Mapping[str, str], now: Mapping[str, str], among: Collection[str] | None = None
) -> str | None:
    """The differences, as ``vllm 0.9.0, now 0.10.1; torch 2.7.0, now absent``; None if there are none."""
    names = [name for name in dict.fromkeys((*before, *now)) if among is None or name in among]
    differ = [
        f"{name} {before.get(name, 'absent')}, now {now.get(name, 'absent')}"
        for name in names
        if before.get(name) != now.get(name)
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
