"""Models are checked before anything is planned, and loaded: lm-eval's classes with an entry's arguments."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..core.errors import ModelError, described
from .arguments import arguments_of
from .engines.lm_eval import LmEvalEngine
from .loaded_model import Model, uses_chat
from .model_classes import (
    ModelClass,
    check_installed,
    check_name,
    lm_class,
    missing_package,
    models,
    requirements_of,
)
from .trust import check_trust, guard_key

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..recipes import ModelEntry
    from .engines.base import Engine


def check_models(entries: Sequence[ModelEntry], *, here: bool = True) -> None:
    """Refuse models that could not be asked, as far as that shows without loading weights.

    Args:
        entries: the models.
        here: they are to run on this machine, so what they need has to be there: packages, and for a server
            its address and key. Without it only names and arguments are checked.

    Raises:
        ModelError: unknown, or an argument of a server is unknown (with the nearest) or is no number; or what
            it needs is missing, and how to get it; or it would send a key, or run code, as only a file says.
    """
    for entry in entries:
        check_name(entry.model, entry.label)
        check_trust(entry)
        if here:
            check_installed(entry.model)
        needs = requirements_of(entry.model)
        if entry.model not in models and (needs is None or needs.kind != "server"):
            continue  # an engine, whose import takes long
        try:
            model_class = ModelClass(lm_class(entry.model))
        except ModelError:
            if here:
                raise
            continue
        if here and model_class.server:
            with _without_warnings():  # they come when it is loaded to be asked
                load_model(entry, {}).engine.close()
        else:
            with _named(entry):
                arguments_of(entry, model_class, {})


@contextmanager
def _without_warnings() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def load_model(entry: ModelEntry, generation: Mapping[str, Any]) -> Model:
    """Load a model, with its weights if it has any.

    Args:
        entry: its name in lm-eval and its arguments.
        generation: the plan's generation parameters.

    Raises:
        ModelError: unknown, its package is not installed, or it cannot be made with these arguments; or it
            would send a key, or run code, as only a file says.
    """
    check_trust(entry)
    model_class = ModelClass(lm_class(entry.model))
    with _named(entry):
        arguments = arguments_of(entry, model_class, entry.generation_under(generation))
        lm = _created(entry.model, model_class, arguments)
        without_key = guard_key(lm, entry) if model_class.server else ""
        engine = engine_of(lm, arguments, left_out=entry.generation.left_out)
        try:
            chat = uses_chat(entry, lm)
        except BaseException:
            engine.close()
            raise
    return Model(lm, chat=chat, generation=generation, entry=entry, engine=engine, without_key=without_key)


def _created(name: str, model_class: ModelClass, arguments: Mapping[str, Any]) -> LM:
    if not name.startswith("vllm"):
        return model_class.create(arguments)
    from .engines.vllm import vllm_in_own_process_group

    with vllm_in_own_process_group():
        return model_class.create(arguments)


def engine_of(lm: LM, args: Mapping[str, Any] | None = None, *, left_out: Collection[str] = ()) -> Engine:
    """Choose the engine for a loaded model: vLLM's own, the client of a server, or lm-eval's way.

    Args:
        lm: the model.
        args: the arguments that the user gave, which the model cannot tell from lm-eval's defaults.
        left_out: generation parameters that a server is not to be sent.
    """
    kind = ModelClass(type(lm)).engine
    if kind == "server":
        from .engines.server.engine import ServerEngine, settings_of

        return ServerEngine(lm, settings_of(lm, args or {}), left_out=left_out)
    if kind == "vllm":
        from .engines.vllm import vllm_engine

        return vllm_engine(lm) or LmEvalEngine(lm, args)
    return LmEvalEngine(lm, args)


@contextmanager
def _named(entry: ModelEntry) -> Iterator[None]:
    """Say of an error which model it is about."""
    who = f"model {entry.label!r} ({entry.model})"
    try:
        yield
    except ImportError as error:
        raise missing_package(entry.model, error) from error
    except ModelError as error:
        raise ModelError(f"{who}: {error}") from error
    except (Exception, SystemExit) as error:  # a model's constructor may raise anything
        raise ModelError(f"{who} cannot be loaded: {described(error)}") from error
