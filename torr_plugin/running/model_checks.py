"""What is wrong with a model or its arguments, found before anything is planned or loaded."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..core.errors import ModelError, nearest
from .model import load_model
from .model_class import ModelClass, known_arguments, model_class_of, positive_integer, takes_no_others
from .registry import check_name, lm_class, models, not_installed
from .requirements import missing_modules, requirements_of
from .trust import check_trust

if TYPE_CHECKING:
    from ..recipes import ModelEntry

WAIT = "wait_for_server"
"""The argument of servers that is not lm-eval's."""
COUNTS = ("num_concurrent", "max_retries", "timeout", "max_length", WAIT)
"""Arguments of servers that are whole numbers."""


def check_models(entries: Sequence[ModelEntry], *, here: bool = True) -> None:
    """Refuse models that could not be asked, as far as that shows without loading weights.

    Args:
        entries: the models.
        here: they are to run on this machine, so what they need has to be there: packages, and for a server
            its address and key. Without it only names and arguments are checked.

    Raises:
        ModelError: unknown, or an argument is unknown (with the nearest) or is no number; or what it needs
            is missing, and how to get it; or it would send a key, or run code, as only a file says.
    """
    for entry in entries:
        check_name(entry.model, entry.label)
        check_trust(entry)
        if here:
            _check_installed(entry)
        model_class = _class_without_weights(entry, here=here)
        if model_class is None:
            continue
        _check_arguments(entry, model_class)
        if here and model_class.server:
            _check_key(entry)
            with _without_warnings():  # they come when it is loaded to be asked
                load_model(entry, {}).engine.close()


def _check_installed(entry: ModelEntry) -> None:
    needs = None if entry.model in models else requirements_of(entry.model)
    missing = missing_modules(needs.modules) if needs else ()
    if missing:
        raise not_installed(entry.model, missing[0])


def _check_key(entry: ModelEntry) -> None:
    needs = requirements_of(entry.model)
    if needs and needs.key and not os.environ.get(needs.key) and not entry.args.get("header"):
        raise ModelError(
            f"model {entry.label!r} ({entry.model}) needs a key: set the environment variable {needs.key}"
        )


@contextmanager
def _without_warnings() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _class_without_weights(entry: ModelEntry, *, here: bool) -> ModelClass | None:
    """The class of a baseline, a plugin's model or a server; None for engines, whose import takes long."""
    needs = requirements_of(entry.model)
    if entry.model not in models and (needs is None or needs.kind != "server"):
        return None
    try:
        return model_class_of(lm_class(entry.model))
    except ModelError:
        if here:
            raise
        return None


def _check_arguments(entry: ModelEntry, model_class: ModelClass) -> None:
    known = known_arguments(model_class.lm_class) | ({WAIT} if model_class.engine == "server" else set())
    unknown = [name for name in entry.args if name not in known]
    if unknown and takes_no_others(model_class.lm_class):
        hint = nearest(unknown[0], known) if known else "it takes none"
        raise ModelError(f"model {entry.label!r} ({entry.model}): unknown argument {unknown[0]!r}; {hint}")
    if model_class.server:
        for name in COUNTS:
            if entry.args.get(name) is not None:
                positive_integer(f"model {entry.label!r}: {name}", entry.args[name])
