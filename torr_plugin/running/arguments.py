"""The arguments that a model is made with: which are known, and those that say how a server is asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ..core.errors import ModelError, nearest
from .model_classes import ModelClass, baselines

if TYPE_CHECKING:
    from ..recipes import ModelEntry


@dataclass(frozen=True, slots=True)
class ServerArguments:
    """How our client asks a server; each field is an argument of the model, by lm-eval's name if it has one.

    None of them changes an answer, so a run goes on with others. A further one is a field here, read in
    ``engines/server/`` and a line of docs/models.md, whose defaults a test compares with these.

    Attributes:
        num_concurrent: the most requests at once; None: as many as the server turns out to take.
        max_retries: attempts of a request; None: 5 where the server fails, 12 where it has too many.
        timeout: seconds for one attempt, from connecting to the last byte of the reply.
        wait_for_server: seconds without any answer, as it loads, restarts or fails, until it is given up.
    """

    num_concurrent: int | None = None
    max_retries: int | None = None
    timeout: int = 300
    wait_for_server: int = 600

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> ServerArguments:
        """Those among a model's arguments.

        Raises:
            ModelError: one of them is no whole number of at least 1.
        """
        found = {name: given[name] for name in SERVER_ARGUMENTS if given.get(name) is not None}
        return cls(**{name: positive_integer(name, value) for name, value in found.items()})


SERVER_ARGUMENTS = tuple(field.name for field in fields(ServerArguments))


def positive_integer(name: str, value: Any) -> int:
    """A model's argument that counts something, also where it is given as text.

    Raises:
        ModelError: it is no whole number of at least 1.
    """
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < 1:
        raise ModelError(f"{name} is {value!r}, expected a whole number of at least 1")
    return number


def arguments_of(entry: ModelEntry, model_class: ModelClass, generation: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a model is made with: its own, and what of the generation belongs there.

    Raises:
        ModelError: the entry has arguments or parameters that models of this class do not take.
    """
    arguments: dict[str, Any] = dict(entry.args)
    known = model_class.arguments
    if model_class.server:
        _refuse_unknown(arguments, {*known, *(SERVER_ARGUMENTS if model_class.engine == "server" else ())})
        ServerArguments.of(arguments)
        if arguments.get("max_length") is not None:
            positive_integer("max_length", arguments["max_length"])
        return arguments
    if entry.model in baselines():
        _refuse_unknown(arguments, known)
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


def _refuse_unknown(arguments: Mapping[str, Any], known: Collection[str]) -> None:
    """Refuse arguments that a class does not know, or would drop without a word."""
    for name in arguments:
        if name not in known:
            hint = nearest(name, known) if known else "it takes none"
            raise ModelError(f"unknown argument {name!r}; {hint}")
