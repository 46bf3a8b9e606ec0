"""A study's part as lm-eval's documents: an example is one document with a request for each configuration.

lm-eval's options may change a request (a system instruction, generation parameters) and how it is sent
(through a chat template, with pictures).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

from ...catalog import Example
from ...core.errors import InputError
from ...prompts import Message, Prompt
from ...prompts.message import images_of
from ...recipes import Configuration, Plan, Request, request_key
from ...running.contexts import Context, Contexts, Failure, pil_images, plain_text
from ...running.model import lm_eval_arguments
from ..record import FIELD, RequestRecord, record_of
from ..studies import StudyPart

Document = dict[str, Any]

_REMEMBERED = 500


class Documents(Sequence[Document]):
    """The documents of a part, each made on demand and then kept.

    A document has ``dataset``, ``example`` and the list of records, one a configuration in the plan's order.
    """

    def __init__(self, planned: Plan, part: StudyPart, asking: RequestChanges) -> None:
        self._planned, self._part, self._asking = planned, part, asking
        self._examples: list[Example] = planned.examples[part.dataset]
        self._places = {example.id: at for at, example in enumerate(self._examples)}
        self._documents: dict[int, Document] = {}
        self._prompts: dict[int, list[LmEvalRequest]] = {}

    @property
    def configurations(self) -> Sequence[Configuration]:
        """In the order of a document's records."""
        return self._planned.configurations if self._part.config is None else (self._part.config,)

    def __len__(self) -> int:
        return len(self._examples)

    @overload
    def __getitem__(self, at: int) -> Document: ...
    @overload
    def __getitem__(self, at: slice) -> list[Document]: ...
    def __getitem__(self, at: int | slice) -> Document | list[Document]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        if at not in self._documents:
            self._documents[at] = self._make(at)
        return self._documents[at]

    def __iter__(self) -> Iterator[Document]:
        return (self[at] for at in range(len(self)))

    def take(self, document: Mapping[str, Any]) -> list[LmEvalRequest]:
        """Hand the document's requests over to lm-eval, in the order of the records."""
        at = self._places[document["example"]]
        return self._prompts.pop(at, None) or self._ask(at)

    def first(self, document: Mapping[str, Any]) -> LmEvalRequest:
        """The document's request in its first configuration."""
        at = self._places[document["example"]]
        return (self._prompts.get(at) or self._ask(at))[0]

    def _make(self, at: int) -> Document:
        self._prompts[at] = requests = self._ask(at)
        if len(self._documents) % _REMEMBERED == _REMEMBERED - 1:
            self._planned.builder(self._part.dataset).forget()
        return {
            "dataset": self._part.dataset,
            "example": self._examples[at].id,
            FIELD: [each.record.as_dict() for each in requests],
        }

    def _ask(self, at: int) -> list[LmEvalRequest]:
        """A request a configuration: of a design of several calls the first one's."""
        dataset, example = self._part.dataset, [self._examples[at]]
        firsts = [next(self._planned.requests_of(dataset, config, example)) for config in self.configurations]
        return [lm_eval_request(self._planned, request, self._asking) for request in firsts]


_OURS = {"max_gen_toks": "max_tokens"}
_DERIVED = "do_sample"


@dataclass(frozen=True)
class RequestChanges:
    """Options of lm-eval that change a study's requests.

    Attributes:
        system: ``--system_instruction``, which precedes everything else.
        changes: ``--gen_kwargs`` by lm-eval's names, as far as they differ from the recipe's.
    """

    system: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LmEvalRequest:
    """A request as lm-eval asks it: prompt, arguments by lm-eval's names, and the record of its answer."""

    prompt: Prompt
    arguments: Mapping[str, Any]
    record: RequestRecord


def lm_eval_request(planned: Plan, request: Request, asking: RequestChanges) -> LmEvalRequest:
    """A request of a plan as lm-eval asks it.

    One that differs from the study's gets another key and no fingerprint, so that its answer is not taken for
    one of the study's. A null for what the study does not set is no difference.
    """
    record = record_of(planned, request)
    own = lm_eval_arguments(record.generation)
    arguments = {**own, **asking.changes}
    sets = {*own, *(["stop"] if own["until"] else [])}  # servers call it so, and take it before ``until``
    changes = {name: value for name, value in asking.changes.items() if value is not None or name in sets}
    if asking.system is None and not changes:
        return LmEvalRequest(request.prompt, arguments, record)
    prompt = with_system(request.prompt, asking.system)
    changed = {**record.generation, **_by_our_names(changes)}
    key = request_key(prompt, changed)
    return LmEvalRequest(
        prompt, arguments, record.model_copy(update={"key": key, "generation": changed, "fingerprint": ""})
    )


def with_system(prompt: Prompt, text: str | None) -> Prompt:
    """Put a text before the prompt's system turn, or in a system turn of its own."""
    if text is None:
        return prompt
    if prompt and prompt[0].role == "system":
        return (replace(prompt[0], content=f"{text}\n\n{prompt[0].content}"), *prompt[1:])
    return (Message("system", text), *prompt)


def changes(given: Mapping[str, Any], study: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of lm-eval that differ from the study's."""
    return {name: value for name, value in given.items() if name not in study or study[name] != value}


def _by_our_names(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {_OURS.get(name, name): value for name, value in arguments.items() if name != _DERIVED}


class ContextBuilder:
    """Makes contexts as ``torr run`` does: through a template with system turns and earlier turns, or plain.

    Args:
        template: lm-eval's ``apply_chat_template`` of the model; None for plain text.
    """

    def __init__(self, template: Callable[..., Any] | None) -> None:
        self._contexts = None if template is None else Contexts(_model_of(template), chat=True)

    def of(self, prompt: Prompt) -> Context:
        """Build what is sent for a prompt.

        Raises:
            InputError: the model's chat template cannot be applied to it, or it takes no such pictures.
        """
        if self._contexts is None:
            return Context(plain_text(prompt), images_of(prompt))
        made = self._contexts.of(prompt)
        if isinstance(made, Failure):
            remedy = "" if images_of(prompt) else ", leave it out to send plain text"
            raise InputError(f"the prompt cannot be sent with --apply_chat_template{remedy}: {made.reason}")
        return made


def arguments_of(context: Context, generation: dict[str, Any]) -> tuple[Any, ...]:
    """A request's arguments as lm-eval's ``generate_until`` takes them."""
    if not context.images:
        return context.text, generation
    return context.text, generation, {"visual": pil_images(context.images)}


class _Templated:
    """Stands in for a model of which the template alone is known."""

    def __init__(self, template: Callable[..., Any]) -> None:
        self.apply_chat_template = template


def _model_of(template: Callable[..., Any]) -> Any:
    model = getattr(template, "__self__", None)
    return model if hasattr(model, "apply_chat_template") else _Templated(template)
