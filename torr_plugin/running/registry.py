"""The models there are, all in lm-eval's registry: its own, the embedded baselines, those of plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, nearest
from .answer import one_line

if TYPE_CHECKING:
    from lm_eval.api.model import LM

_BASELINES = {
    "torr-constant": "torr_plugin.running.baselines.lm:Constant",
    "torr-lexical": "torr_plugin.running.baselines.lm:Lexical",
    "torr-majority": "torr_plugin.running.baselines.lm:Majority",
    "torr-random-cell": "torr_plugin.running.baselines.lm:RandomCell",
}
# what plugins bring; workers of the Ray executor are told it too
_added: dict[str, str] = {}
_origins: dict[str, str] = {}
_registered: set[str] = set()

# lm-eval models by the extra of ours that brings what they need; the longest beginning of a name counts
_EXTRAS = {
    "hf": "hf",
    "huggingface": "hf",
    "vllm": "vllm",
    "anthropic": "api",
    "litellm": "api",
    "local-": "api",
    "openai-": "api",
    "azure-openai-": "api",
}


def add_model(name: str, target: str, *, origin: str = "torr-plugin") -> None:
    """Make an lm-eval model known by name; its module is imported when the model is asked for.

    Args:
        name: as recipes and ``--model`` name it.
        target: ``"package.module:Class"``, a subclass of ``lm_eval.api.model.LM``.
        origin: the plugin that brings it.

    Raises:
        ModelError: the target is written wrongly, or the name is taken.
    """
    if not _is_target(target):
        raise ModelError(f"model {name!r} of {origin}: found {target!r}, expected 'package.module:Class'")
    taken = {**_BASELINES, **_added}.get(name)
    if taken is not None and taken != target:
        first = _origins.get(name, "torr-plugin")
        raise ModelError(f"two models are called {name!r}: one from {first}, one from {origin}; rename one")
    _added[name] = target
    _origins[name] = origin


def _is_target(target: object) -> bool:
    if not isinstance(target, str):
        return False
    module, colon, name = target.partition(":")
    return bool(colon) and name.isidentifier() and all(part.isidentifier() for part in module.split("."))


def added_models() -> dict[str, str]:
    """The models that plugins brought, name -> target."""
    return dict(_added)


def model_names() -> list[str]:
    """Every model that can be named, sorted; nothing is loaded but lm-eval's own list.

    Raises:
        ModelError: a plugin's name is taken by lm-eval.
    """
    return sorted(_registry())


def check_name(name: str) -> None:
    """Refuse an unknown model before any work is done.

    Raises:
        ModelError: no such model; the nearest names are said.
    """
    known = _registry()
    if name not in known:
        raise ModelError(f"unknown model {name!r}; {nearest(name, known)}")


def model_class(name: str) -> type[LM]:
    """The class of a model.

    Raises:
        ModelError: no such model, or a package that it needs is missing (how to install it is said).
    """
    check_name(name)
    try:
        found: type[LM] = _registry()[name]
    except ImportError as error:
        raise missing_package(name, error) from error
    except Exception as error:  # a model's module may fail in any way on being imported
        raise ModelError(f"model {name!r}: its module cannot be imported: {one_line(error)}") from error
    return found


def missing_package(name: str, error: ImportError) -> ModelError:
    """The line for a model whose package is not installed."""
    begins = [prefix for prefix in _EXTRAS if name.startswith(prefix)]
    extra = _EXTRAS[max(begins, key=len)] if begins else None
    wanted = f"package {error.name!r}" if error.name else "a package that is not installed"
    remedy = (
        f"pip install 'torr-plugin[{extra}]'"
        if extra
        else f"install it, see lm-eval's documentation of {name!r}"
    )
    return ModelError(f"model {name!r} needs {wanted}: {remedy} ({one_line(error)})")


def _registry() -> Mapping[str, Any]:
    """lm-eval's registry with ours in it; registering again changes nothing."""
    import lm_eval.models  # noqa: F401 - fills the registry
    from lm_eval.api.registry import model_registry

    for name, target in {**_BASELINES, **_added}.items():
        if name in _registered:
            continue
        if name in model_registry:
            origin = _origins.get(name, "torr-plugin")
            raise ModelError(f"model {name!r} of {origin}: lm-eval has a model of this name; rename it")
        model_registry.register(name, target=target)
        _registered.add(name)
    registry: Mapping[str, Any] = model_registry
    return registry
