"""Which models can be used here: what of them is installed, and what is missing. No engine is imported."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .needs import Kind, absent, command, find_module, need_of
from .registry import added_models, baselines, model_names, model_target, origin_of


@dataclass(frozen=True, slots=True)
class Available:
    """One model as ``--model`` names it.

    Attributes:
        name: its name.
        kind: ``in process`` (an engine loads its weights), ``server``, ``baseline`` or ``plugin``.
        missing: the modules it needs that are not installed.
        install: the command that installs them; None where nothing is missing, or where lm-eval's
            documentation of the model has to be read.
        origin: who brings it: ``lm-eval``, ``torr-plugin`` or a plugin's name.
        key: the environment variable from which it reads its key, if any.
    """

    name: str
    kind: Kind
    missing: tuple[str, ...]
    install: str | None
    origin: str
    key: str | None = None

    @property
    def installed(self) -> bool:
        """Whether all that it needs is there."""
        return not self.missing


def availability() -> list[Available]:
    """Every model that can be named, by name.

    Raises:
        ModelError: a plugin's name is taken by lm-eval.
    """
    return [_available(name) for name in model_names()]


def _available(name: str) -> Available:
    if name in baselines():
        return Available(name, "baseline", (), None, "torr-plugin")
    if name in added_models():
        missing = absent(_imported(added_models()[name]))
        return Available(name, "plugin", missing, None, origin_of(name))
    need = need_of(name)
    if need is None:  # a model of an lm-eval newer than our list
        return Available(name, "in process", absent(_imported(model_target(name))), None, "lm-eval")
    missing = absent(need.modules)
    install = command(need.install) if missing and need.install else None
    return Available(name, need.kind, missing, install, "lm-eval", need.key)


def _imported(target: str | None) -> list[str]:
    """The packages that a model's module imports when it is loaded; its own where that is not there."""
    if target is None:
        return []
    module = target.partition(":")[0]
    spec = find_module(module)
    if spec is None:
        return [module]
    if not spec.origin or not spec.origin.endswith(".py"):
        return []
    try:
        tree = ast.parse(Path(spec.origin).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    own = module.partition(".")[0]
    return sorted({name for name in _names(tree.body) if name != own and name not in sys.stdlib_module_names})


def _names(body: list[ast.stmt]) -> Iterator[str]:
    """The top-level packages of a module's unconditional imports; those in ``try`` or ``if`` are optional."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]
