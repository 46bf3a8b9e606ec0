"""A data set of a study in one configuration as a HELM scenario."""

from __future__ import annotations

from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
)

from ...core.errors import InputError
from ...plugins import load
from ...prompts import Prompt
from ...prompts.message import images_of
from ...recipes import Configuration, Plan, Request
from ...running.contexts import plain_text
from ..record import FIELD, record_of
from ..studies import plan_of, requests_of, study_part


class TorrScenario(Scenario):  # type: ignore[misc]  # HELM ships no types
    """The prompts of ``torr run``, with their references and the record of each in ``extra_data``.

    Args:
        study: a recipe's name or file.
        dataset: one of its data sets.
        config: ``serializer/perturbation/design``.
        limit: the first so many examples; None for all.
        chat: give prompts as chat messages rather than as texts.
    """

    name = "torr"
    description = "Table reasoning in many formats: a data set of a study in one configuration."
    tags = ["tables"]  # noqa: RUF012 - as HELM's scenarios have it

    def __init__(
        self, study: str, dataset: str, config: str, limit: int | None = None, chat: bool = False
    ) -> None:
        super().__init__()
        self.study, self.dataset, self.config = study, dataset, config
        self.limit, self.chat = limit, chat

    def get_instances(self, output_path: str) -> list[Instance]:
        """One instance an example, in the order of the study.

        Raises:
            InputError: data that cannot be read, or a prompt that shows a picture.
        """
        load()
        part = study_part(self.study, self.dataset, Configuration.of(self.config))
        planned = plan_of(self.study, self.dataset, self.limit)
        return [_instance(planned, request, self.chat) for request in requests_of(planned, part)]


def _instance(planned: Plan, request: Request, chat: bool) -> Instance:
    if images_of(request.prompt):
        raise InputError(
            f"{request.dataset}: configuration {request.config.id!r} shows pictures; run specs ask texts"
        )
    return Instance(
        id=request.example,
        input=_input(request.prompt, chat),
        references=[Reference(Output(text=text), tags=[CORRECT_TAG]) for text in request.references],
        split=TEST_SPLIT,
        extra_data={FIELD: record_of(planned, request).as_dict()},
    )


def _input(prompt: Prompt, chat: bool) -> Input:
    if chat:
        return Input(messages=[{"role": turn.role, "content": turn.content} for turn in prompt])
    return Input(text=plain_text(prompt))
