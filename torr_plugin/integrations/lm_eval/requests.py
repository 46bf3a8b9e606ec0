"""A study's requests as lm-eval asks them; those of several calls, which lm-eval does not know, by rounds.

lm-eval's options may change a request (a system instruction, generation parameters) and how it is sent
(through a chat template, with pictures). lm-eval answers requests with the model's method that their type
names; models get ours from :mod:`.patches`, and it asks the model's own ``generate_until``, round by round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.api.model import LM

from ...core.errors import InputError
from ...prompts import Message, Prompt
from ...prompts.message import images_of, plain_text
from ...recipes import Configuration, Plan, Request, ScoreCell, request_key
from ...running.engines.base import Context, Failure
from ...running.engines.lm_eval import instance_arguments
from ...running.loaded_model import Contexts, lm_eval_arguments
from ..record import FIELD, RequestRecord, record_of
from ..steps import LoggedStep, TakenSteps, steps_text, take_steps

ONE_CALL = "generate_until"


@dataclass(frozen=True)
class LmEvalRequest:
    """A request as lm-eval asks it: prompt, arguments by lm-eval's names, and the record of its answer."""

    prompt: Prompt
    arguments: Mapping[str, Any]
    record: RequestRecord


class RequestBuilder:
    """Makes a task's requests.

    Args:
        planned: the plan of the task's data set.
        system: ``--system_instruction``, which precedes everything else.
        changes: ``--gen_kwargs`` by lm-eval's names, as far as they differ from the recipe's.
        template: the model's ``apply_chat_template``; None for plain text.
    """

    def __init__(
        self,
        planned: Plan,
        system: str | None = None,
        changes: Mapping[str, Any] | None = None,
        template: Callable[..., Any] | None = None,
    ) -> None:
        self._planned, self._system, self._changes = planned, system, changes or {}
        self._contexts = Contexts(template.__self__, chat=True) if template else None  # type: ignore[attr-defined]

    def made(self, request: Request) -> LmEvalRequest:
        """A request of the plan as lm-eval asks it.

        One that differs from the study's gets another key and no fingerprint, so that its answer is not taken
        for one of the study's. A null for what the study does not set is no difference.
        """
        record = record_of(self._planned, request)
        own = lm_eval_arguments(record.generation)
        arguments = {**own, **self._changes}
        sets = {*own, *(["stop"] if own["until"] else [])}  # servers call it so, and take it before ``until``
        changes = {name: value for name, value in self._changes.items() if value is not None or name in sets}
        if self._system is None and not changes:
            return LmEvalRequest(request.prompt, arguments, record)
        prompt = with_system(request.prompt, self._system)
        changed = {"max_tokens" if name == "max_gen_toks" else name: value for name, value in changes.items()}
        changed.pop("do_sample", None)  # follows from the temperature
        generation = {**record.generation, **changed}
        new = {"key": request_key(prompt, generation), "generation": generation, "fingerprint": ""}
        return LmEvalRequest(prompt, arguments, record.model_copy(update=new))

    def arguments(self, request: LmEvalRequest) -> tuple[Any, ...]:
        """What ``generate_until`` takes for a request.

        Raises:
            InputError: the model's chat template cannot be applied to it, or it takes no such pictures.
        """
        return instance_arguments(self.context(request.prompt), request.arguments)

    def context(self, prompt: Prompt) -> Context:
        """What is sent for a prompt; raises as :meth:`arguments`."""
        images = images_of(prompt)
        if self._contexts is None:
            return Context(plain_text(prompt), images)
        made = self._contexts.of(prompt)
        if isinstance(made, Failure):
            remedy = "" if images else ", leave it out to send plain text"
            raise InputError(f"the prompt cannot be sent with --apply_chat_template{remedy}: {made.reason}")
        return made

    def answers(self, lm: LM, requests: Sequence[Instance]) -> list[str | None]:
        """The steps of requests of several calls, as :func:`..steps.steps_text` writes them.

        None where one has no answer.
        """
        sent: dict[str, LmEvalRequest] = {}

        def ask(batch: Sequence[Request]) -> list[str | None]:
            made = [self.made(each) for each in batch]
            sent.update(zip((each.key for each in batch), made, strict=True))
            answers = lm.generate_until([self._instance(each, number) for number, each in enumerate(made)])
            return [text if isinstance(text, str) else None for text in answers]

        cells = [_cell(each.doc[FIELD][each.idx]) for each in requests]
        taken = take_steps(self._planned, dict.fromkeys(cells), ask)
        return [_text(taken[cell], sent) for cell in cells]

    def _instance(self, request: LmEvalRequest, number: int) -> Instance:
        document = {FIELD: [request.record.as_dict()]}
        metadata = (request.record.dataset, number, 1)
        return Instance(ONE_CALL, document, self.arguments(request), number, metadata=metadata)


def with_system(prompt: Prompt, text: str | None) -> Prompt:
    """Put a text before the prompt's system turn, or in a system turn of its own."""
    if text is None:
        return prompt
    if prompt and prompt[0].role == "system":
        return (replace(prompt[0], content=f"{text}\n\n{prompt[0].content}"), *prompt[1:])
    return (Message("system", text), *prompt)


@dataclass
class SteppedInstance(Instance):  # type: ignore[misc]  # lm-eval ships no types
    """A request whose arguments are those of its first call; ``builder`` makes the others."""

    builder: RequestBuilder | None = None


def generate_in_steps(lm: LM, requests: Sequence[SteppedInstance]) -> list[str | None]:
    """Answer requests of several calls; a method of every model."""
    found: dict[int, str | None] = {}
    for builder in dict.fromkeys(each.builder for each in requests):
        if builder is not None:  # the task sets it
            own = [each for each in requests if each.builder is builder]
            found.update(zip(map(id, own), builder.answers(lm, own), strict=True))
    return [found[id(each)] for each in requests]


def _cell(record: Mapping[str, Any]) -> ScoreCell:
    return ScoreCell(record["dataset"], record["example"], Configuration.of(record["config"]))


def _text(taken: TakenSteps, sent: Mapping[str, LmEvalRequest]) -> str | None:
    if taken.failure is not None:
        return None
    steps = []
    for name, asked, answer in taken.steps:
        request = sent[asked.key]
        steps.append(LoggedStep.of(name, request.record.key, request.prompt, answer))
    return steps_text(steps)
