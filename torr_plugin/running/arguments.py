"""The arguments that a class of lm-eval models takes: its own, and those of the classes that it extends."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from ..core.errors import nearest
from .model_class import SERVER_BASE
from .registry import baselines, models

_UNEXPECTED = re.compile(r"unexpected keyword argument '([^']{1,100})'")


def unexpected_argument(error: BaseException, lm_class: type[Any]) -> str:
    """The nearest of a class's arguments for one that it refuses; empty for any other error."""
    found = _UNEXPECTED.search(str(error)) if isinstance(error, TypeError) else None
    return f"; {nearest(found[1], known_arguments(lm_class))}" if found else ""


def known_arguments(lm_class: type[Any]) -> set[str]:
    """The arguments of a class and of those that it passes the rest to."""
    return {
        parameter.name
        for signature in _signatures(lm_class)
        for parameter in signature.parameters.values()
        if parameter.name != "self"
        and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }


def default_of(lm_class: type[Any], name: str) -> Any:
    """The default of an argument; None where it has none."""
    found = (each.parameters[name].default for each in _signatures(lm_class) if name in each.parameters)
    return next(found, None)


def takes_no_others(lm_class: type[Any]) -> bool:
    """Whether the known arguments are all; lm-eval's servers take others too, and drop them unseen."""
    if any(base.__name__ == SERVER_BASE for base in lm_class.__mro__):
        return True
    made_by_lm_eval = lm_class.create_from_arg_obj.__module__ == "lm_eval.api.model"
    ours = f"{lm_class.__module__}:{lm_class.__name__}" in map(models.get, baselines())
    return (made_by_lm_eval or ours) and not _passes_on(next(_signatures(lm_class)))


def _signatures(lm_class: type[Any]) -> Iterator[inspect.Signature]:
    """The signatures of a class and its bases, as far as one passes what it does not know to the next."""
    for base in lm_class.__mro__:
        if "__init__" in vars(base):
            found = inspect.signature(vars(base)["__init__"])
            yield found
            if base.__name__ == SERVER_BASE or not _passes_on(found):
                return


def _passes_on(signature: inspect.Signature) -> bool:
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.parameters.values())
