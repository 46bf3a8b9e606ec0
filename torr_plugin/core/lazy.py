"""Packages whose names are imported on first use (PEP 562): importing a package loads nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_package(
    package: str, names: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Build ``__getattr__``, ``__dir__`` and ``__all__`` for a package's ``__init__``.

    Args:
        package: the package's ``__name__``.
        names: public name -> the module that defines it, relative to the package (``".module"``), or ``"."``
            for a submodule.

    Returns:
        The three, to assign at the top level of the package.
    """

    def load(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if names[name] == ".":
            return import_module(f".{name}", package)
        return getattr(import_module(names[name], package), name)

    def listed() -> list[str]:
        return sorted(names)

    return load, listed, sorted(names)
