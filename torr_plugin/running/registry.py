"""All models: lm-eval's own, the embedded baselines, those of plugins; and which of them can be used here."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.errors import OWN, ModelError, nearest
from ..core.registry import Registry
from ..core.versions import install_hint, pip_command
from .answer import one_line
from .library_settings import library_environment
from .requirements import Kind, missing_modules, requirements_of

if TYPE_CHECKING:
    from lm_eval.api.model import LM

_BASELINES = {
    "torr-constant": "torr_plugin.running.baselines.lm:Constant",
    "torr-judge": "torr_plugin.running.baselines.judge:RuleJudge",
    "torr-lexical": "torr_plugin.running.baselines.lm:Lexical",
    "torr-majority": "torr_plugin.running.baselines.lm:Majority",
    "torr-random-cell": "torr_plugin.running.baselines.lm:RandomCell",
}


class _Models(Registry[str]):
    """Refuse a target that is not ``package.module:Class``."""

    def register(self, name: str, value: str, *, origin: str = OWN) -> str:
        if not _is_target(value):
            raise ModelError(f"model {name!r} of {origin}: found {value!r}, expected 'package.module:Class'")
        return super().register(name, value, origin=origin)


models: Registry[str] = _Models("model")
"""Our own models and those of plugins by name, each as ``package.module:Class``."""

_registered: set[str] = set()
_left_out: dict[str, str] = {}


def _is_target(target: object) -> bool:
    if not isinstance(target, str):
        return False
    module, colon, name = target.partition(":")
    return bool(colon) and name.isidentifier() and all(part.isidentifier() for part in module.split("."))


for _name, _target in _BASELINES.items():
    models.register(_name, _target)


def add_model(name: str, target: str, *, origin: str = OWN) -> None:
    """Register an lm-eval model by name; its module is imported on first use.

    Args:
        name: as recipes and ``--model`` name it.
        target: ``"package.module:Class"``, a subclass of ``lm_eval.api.model.LM``.
        origin: the plugin that brings it.

    Raises:
        InputError: the target has another form, or the name is taken.
    """
    models.register(name, target, origin=origin)


def added_models() -> dict[str, str]:
    """The models of plugins, name -> target; the Ray executor passes them to its workers."""
    return {name: models.get(name) for name in models if name not in _BASELINES}


def baselines() -> frozenset[str]:
    """The names of the embedded baselines."""
    return frozenset(_BASELINES)


def model_target(name: str) -> str | None:
    """The ``"package.module:Class"`` of a model in lm-eval's registry, without importing it."""
    return _target_of(_registry(), name)


def _target_of(registry: Any, name: str) -> str | None:
    """The target of a name in lm-eval's registry, which holds a class, a text, or an entry point."""
    target = getattr(registry, "_objs", {}).get(name)
    if isinstance(target, type):
        return f"{target.__module__}:{target.__name__}"
    return target if isinstance(target, str) else getattr(target, "value", None)


def model_names() -> list[str]:
    """The names of all models, sorted; only lm-eval's own list is loaded."""
    return sorted(_registry())


def check_name(name: str, label: str | None = None) -> None:
    """Refuse an unknown model before any work is done.

    Args:
        name: as recipes and ``--model`` name it.
        label: its name in results, which finds it in a file of many models.

    Raises:
        ModelError: no such model; the message has the nearest names.
    """
    known = _registry()
    if name not in known:
        whose = "" if label in (None, name) else f"model {label!r}: "
        raise ModelError(f"{whose}unknown model {name!r}; {nearest(name, known)}")


def lm_class(name: str) -> type[LM]:
    """The class of a model.

    Raises:
        ModelError: no such model, or a package that it needs is missing; the message says how to install it.
    """
    check_name(name)
    try:
        with library_environment(name):
            found: type[LM] = _registry()[name]
    except ImportError as error:
        raise missing_package(name, error) from error
    except (Exception, SystemExit) as error:  # a model's module may fail in any way on being imported
        raise ModelError(f"{_called(name)}: its module cannot be imported: {one_line(error)}") from error
    return found


def missing_package(name: str, error: ImportError) -> ModelError:
    """The error of a model whose package is not installed, with the command that installs it."""
    wanted = f"package {error.name!r}" if error.name else "a package that is not installed"
    return ModelError(f"{_called(name)} needs {wanted}: {_remedy(name)} ({one_line(error)})")


def not_installed(name: str, package: str) -> ModelError:
    """The error of a model whose package is known to be missing, with the command that installs it."""
    return ModelError(f"{_called(name)} needs package {package!r}: {_remedy(name)}")


def _called(name: str) -> str:
    return (
        f"model {name!r}"
        if models.origin(name) == OWN
        else f"model {name!r} of plugin {models.origin(name)!r}"
    )


def _remedy(name: str) -> str:
    if models.origin(name) != OWN:
        return "install it beside the plugin"
    need = requirements_of(name)
    if need is not None and need.install:
        return install_hint(need.install)
    return f"install it, see lm-eval's documentation of {name!r}"


def clashes() -> dict[str, str]:
    """Plugins' models that were left out because lm-eval has one of that name, with a message each."""
    _registry()
    return dict(_left_out)


def _leave_out(name: str) -> None:
    """Keep lm-eval's own model of a name, and warn once that a plugin's is not used."""
    origin = models.origin(name)
    _left_out[name] = f"model {name!r} of {origin} was left out: lm-eval has a model of this name; rename it"
    models.remove(name)
    logging.getLogger(__name__).warning("torr: %s", _left_out[name])


def _registry() -> Mapping[str, Any]:
    """lm-eval's registry with ours in it; registering again changes nothing."""
    import lm_eval.models  # noqa: F401 - fills the registry
    from lm_eval.api.registry import model_registry

    for name in models:
        if name in _registered:
            continue
        target = models.get(name)
        if name not in model_registry:
            model_registry.register(name, target=target)
        elif _target_of(model_registry, name) != target:  # lm-eval after 0.4.13 reads our entry points
            _leave_out(name)
            continue
        _registered.add(name)
    registry: Mapping[str, Any] = model_registry
    return registry


@dataclass(frozen=True, slots=True)
class ModelAvailability:
    """Whether a model can be used here.

    Attributes:
        name: its name, as in ``--model``.
        kind: ``in process`` (an engine loads its weights), ``server``, ``baseline`` or ``plugin``.
        missing: the modules it needs that are not installed; of a plugin's model its own alone.
        install: the command that installs them; None where nothing is missing, or where only lm-eval's
            documentation helps.
        origin: ``lm-eval``, ``torr-plugin`` or a plugin's name.
        key: the environment variable with its key, if it needs one.
    """

    name: str
    kind: Kind
    missing: tuple[str, ...]
    install: str | None
    origin: str
    key: str | None = None

    @property
    def installed(self) -> bool:
        """Whether everything it needs is installed."""
        return not self.missing


def availability() -> list[ModelAvailability]:
    """All models, by name.

    Raises:
        ModelError: a plugin's name is taken by lm-eval.
    """
    return [_available(name) for name in model_names()]


def _available(name: str) -> ModelAvailability:
    if name in baselines():
        return ModelAvailability(name, "baseline", (), None, "torr-plugin")
    need = None if name in models else requirements_of(name)
    if need is None:  # a plugin's, or of a newer lm-eval
        module = (model_target(name) or "").partition(":")[0]
        missing = missing_modules([module] if module else [])
        if name in models:
            return ModelAvailability(name, "plugin", missing, None, models.origin(name))
        return ModelAvailability(name, "in process", missing, None, "lm-eval")
    missing = missing_modules(need.modules)
    install = pip_command(need.install) if missing and need.install else None
    return ModelAvailability(name, need.kind, missing, install, "lm-eval", need.key)
