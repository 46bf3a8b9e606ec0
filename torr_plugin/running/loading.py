"""Models are checked before anything is planned, and loaded: lm-eval's classes with an entry's arguments."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..core.errors import ModelError, nearest
from .answer import one_line
from .contexts import uses_chat
from .engines.lm_eval import engine_of
from .engines.vllm_process import vllm_in_own_process_group
from .model import Model
from .model_class import ModelClass, positive_integer
from .registry import check_installed, check_name, lm_class, missing_package, models, requirements_of
from .trust import check_trust, guard_key

if TYPE_CHECKING:
    from ..recipes import ModelEntry

# the argument of servers that is not lm-eval's
_WAIT = "wait_for_server"
_COUNTS = ("num_concurrent", "max_retries", "timeout", "max_length", _WAIT)


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
                _arguments(entry, model_class, {})


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
        arguments = _arguments(entry, model_class, entry.generation_under(generation))
        with vllm_in_own_process_group(entry.model):
            lm = model_class.create(arguments)
        without_key = guard_key(lm, entry) if model_class.server else ""
        engine = engine_of(lm, arguments, left_out=entry.generation.left_out)
        try:
            chat = uses_chat(entry, lm)
        except BaseException:
            engine.close()
            raise
    return Model(lm, chat=chat, generation=generation, entry=entry, engine=engine, without_key=without_key)


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
        raise ModelError(f"{who} cannot be loaded: {one_line(error)}") from error


def _arguments(entry: ModelEntry, model_class: ModelClass, generation: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a model is made with: its own, and what of the generation belongs there.

    Raises:
        ModelError: the entry has arguments or parameters that models of this class do not take.
    """
    arguments: dict[str, Any] = dict(entry.args)
    known = model_class.arguments
    if model_class.server:
        _check_arguments(arguments, {*known, *([_WAIT] if model_class.engine == "server" else [])})
        return arguments
    if known.get("trust_remote_code") is True and not entry.trust.runs_code:
        arguments.setdefault("trust_remote_code", False)
    if entry.think_end and "think_end_token" in known:
        arguments.setdefault("think_end_token", entry.think_end)
    if entry.generation.extra_body:
        raise ModelError("extra_body: found for a model that is no server; expected it to be left out")
    template = dict(generation.get("chat_template_kwargs") or {})
    if effort := generation.get("reasoning_effort"):
        template["reasoning_effort"] = effort
    if "chat_template_args" in known:
        given: Any = arguments.get("chat_template_args") or {}
        return arguments | ({"chat_template_args": {**given, **template}} if template else {})
    if entry.generation.chat_template_kwargs or entry.generation.reasoning_effort:
        raise ModelError("chat_template_kwargs and reasoning_effort: its chat template takes none")
    return arguments


def _check_arguments(arguments: Mapping[str, Any], known: Collection[str]) -> None:
    """Refuse a server's arguments that its class would drop without a word, and counts that are none."""
    for name, value in arguments.items():
        if name not in known:
            raise ModelError(f"unknown argument {name!r}; {nearest(name, known)}")
        if name in _COUNTS and value is not None:
            positive_integer(name, value)
