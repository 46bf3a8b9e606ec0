"""What lm-eval's options change in the requests of a study: a system instruction, other parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...prompts.message import Message
from ...recipes import request_key
from ...running.model import lm_eval_arguments
from ..record import Record, record_of

if TYPE_CHECKING:
    from ...prompts import Prompt
    from ...recipes import Plan, Request

_OURS = {"max_gen_toks": "max_tokens"}
_DERIVED = "do_sample"


@dataclass(frozen=True)
class Asking:
    """How a study's requests are asked beyond what its recipe says.

    Attributes:
        system: ``--system_instruction``, said before everything else.
        changes: ``--gen_kwargs`` by lm-eval's names, as far as they differ from the recipe's.
    """

    system: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """A request as lm-eval asks it: prompt, arguments by lm-eval's names, and the record of its answer."""

    prompt: Prompt
    arguments: Mapping[str, Any]
    record: Record


def asked(planned: Plan, request: Request, asking: Asking) -> Asked:
    """A request of a plan as lm-eval asks it.

    One that differs from the study's has a key of its own and no fingerprint, so that nobody takes its answer
    for one of the study.
    """
    record = record_of(planned, request)
    arguments = lm_eval_arguments(record.generation)
    if asking.system is None and not asking.changes:
        return Asked(request.prompt, arguments, record)
    prompt = with_system(request.prompt, asking.system)
    arguments = {**arguments, **asking.changes}
    changed = {**record.generation, **_by_our_names(asking.changes)}
    key = request_key(prompt, changed)
    return Asked(prompt, arguments, replace(record, key=key, generation=changed, fingerprint=""))


def with_system(prompt: Prompt, text: str | None) -> Prompt:
    """The prompt with a system turn before it; before the text of the one that it has."""
    if text is None:
        return prompt
    if prompt and prompt[0].role == "system":
        return (replace(prompt[0], content=f"{text}\n\n{prompt[0].content}"), *prompt[1:])
    return (Message("system", text), *prompt)


def changes(given: Mapping[str, Any], study: Mapping[str, Any]) -> dict[str, Any]:
    """What of lm-eval's arguments differs from those of the study."""
    return {name: value for name, value in given.items() if name not in study or study[name] != value}


def _by_our_names(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {_OURS.get(name, name): value for name, value in arguments.items() if name != _DERIVED}
