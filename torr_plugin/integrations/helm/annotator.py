"""The later steps of designs of several calls: HELM sends an instance's first prompt, this sends the others.

HELM's annotators see each answer before it is rated, and may ask models themselves, as those that judge
answers do. Ours asks the deployment that gave the first answer, and keeps the steps for the metric.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.clients.auto_client import AutoClient
from helm.common.request import Request as HelmRequest
from helm.common.request import RequestResult

from ...plugins import load
from ...prompts import Prompt
from ...prompts.message import plain_text, turns
from ...recipes import Configuration, Plan, Request, ScoreCell
from ..record import FIELD, read_record
from ..steps import FAILURE, take_steps
from ..studies import plan_of


class TorrStepsAnnotator(Annotator):  # type: ignore[misc]  # HELM ships no types
    """Takes the steps after an instance's first one; an annotation has all of them.

    Args:
        auto_client: HELM's.
        study: a recipe's name or file.
        dataset: one of its data sets.
    """

    name = FIELD

    def __init__(self, auto_client: AutoClient, study: str, dataset: str) -> None:
        load()
        self._client, self._study, self._dataset = auto_client, study, dataset
        self._building = threading.Lock()  # HELM annotates in several threads, which share a plan

    def annotate(self, request_state: RequestState) -> dict[str, Any]:
        """The steps as :func:`..steps.steps_text` keeps them, or why there are none.

        Raises:
            RuntimeError: the client says that an error is fatal, which ends the run.
        """
        instance = request_state.instance
        record = read_record((instance.extra_data or {}).get(FIELD), f"instance {instance.id}: extra_data")
        cell = ScoreCell(self._dataset, record.example, Configuration.of(record.config))
        planned = plan_of(self._study, self._dataset)

        def ask(requests: list[Request]) -> list[str | None]:
            self._building.release()
            try:
                return [
                    answer_of(request_state.result)
                    if each.key == record.key
                    else self._answer(planned, each, request_state, record.generation)
                    for each in requests
                ]
            finally:
                self._building.acquire()

        with self._building:
            taken = take_steps(planned, [cell], ask)[cell]
        return {FAILURE: taken.failure} if taken.failure is not None else dict(json.loads(taken.text()))

    def _answer(
        self, planned: Plan, asked: Request, state: RequestState, first: Mapping[str, Any]
    ) -> str | None:
        later = planned.generation_of(asked)
        result = self._client.make_request(later_request(state, asked.prompt, first, later))
        flags = result.error_flags
        if not result.success and (flags is None or flags.is_fatal is not False):
            raise RuntimeError(str(result.error))  # as HELM's own executor does
        return answer_of(result)


def later_request(
    state: RequestState, prompt: Prompt, first: Mapping[str, Any], later: Mapping[str, Any]
) -> HelmRequest:
    """The request of a later step: that of the first one with another prompt and the step's parameters.

    What HELM put around the first prompt stands around this one, and parameters that the user set stay.

    Args:
        state: of the first step.
        prompt: of the later one.
        first: the generation parameters that the study has for the first step.
        later: those for the later one.
    """
    request, shown = state.request, state.instance.input
    ours = {"max_tokens": "max_tokens", "temperature": "temperature", "until": "stop_sequences"}
    changed = {
        name: later[own]
        for own, name in ours.items()
        if getattr(request, name) == first[own] and first[own] != later[own]
    }
    if request.messages:
        changed["messages"] = turns(prompt)
    else:
        text = plain_text(prompt)
        changed["prompt"] = request.prompt.replace(shown.text, text, 1) if shown.text else text
    return replace(request, **changed)


def answer_of(result: RequestResult | None) -> str | None:
    """The text of an answer; None if there is none, or an error in its place."""
    if result is None or not result.success or not result.completions:
        return None
    return str(result.completions[0].text)
