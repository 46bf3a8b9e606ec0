"""Packages whose names are imported on first use (PEP 562): importing a package loads nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_package(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Build ``__getattr__``, ``__dir__`` and ``__all__`` for a package's ``__init__``.

    Args:
        package: the package's ``__name__``.
        modules: a module, relative to the package (``".module"``) -> its public names; ``"."`` -> submodules.

    Returns:
        The three, to assign at the top level of the package.
    """
    module_of = {name: module for module, names in modules.items() for name in names}
    public = sorted(module_of)

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if module_of[name] == ".":
            return import_module(f".{name}", package)
        return getattr(import_module(module_of[name], package), name)

    return load, lambda: public, public
