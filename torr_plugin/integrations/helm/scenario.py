"""A data set of a study in one configuration as a HELM scenario."""

from __future__ import annotations

from helm.benchmark.presentation.taxonomy_info import TaxonomyInfo
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioMetadata,
)

from ...core.errors import InputError
from ...plugins import load
from ...prompts.message import images_of, plain_text, turns
from ...recipes import Configuration, Plan, Request
from ..record import FIELD, record_of
from ..studies import dataset_entry, plan_of, requests_of, study_part


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
        load()
        self.study, self.dataset, self.config = study, dataset, config
        self.limit, self.chat = limit, chat

    def get_instances(self, output_path: str) -> list[Instance]:
        """One instance an example, in the order of the study.

        Raises:
            InputError: data that cannot be read, or a prompt that shows a picture.
        """
        part = study_part(self.study, self.dataset, Configuration.of(self.config))
        planned = plan_of(self.study, self.dataset, self.limit)
        return [_instance(planned, request, self.chat) for request in requests_of(planned, part)]

    def get_metadata(self) -> ScenarioMetadata:
        """The data set in all its configurations, which is a group of HELM's; needs no data.

        Raises:
            InputError: no such study or data set, as where the recipe's file is not in this folder.
        """
        part = study_part(self.study, self.dataset)
        card = dataset_entry(self.study, self.dataset).card
        return ScenarioMetadata(
            name=part.task,
            main_metric=card.main_metric,
            main_split=TEST_SPLIT,
            display_name=self.dataset,
            description=card.description,
            taxonomy=TaxonomyInfo(
                task=str(card.tags.get("task_categories", "")).replace("-", " ") or None,
                what="tables",
                language="English" if card.tags.get("language") == "en" else None,
            ),
        )


def _instance(planned: Plan, request: Request, chat: bool) -> Instance:
    if images_of(request.prompt):
        raise InputError(
            f"{request.dataset}: configuration {request.config.id!r} shows pictures; run specs ask texts"
        )
    return Instance(
        id=request.example,
        input=Input(messages=turns(request.prompt)) if chat else Input(text=plain_text(request.prompt)),
        references=[Reference(Output(text=text), tags=[CORRECT_TAG]) for text in request.references],
        split=TEST_SPLIT,
        extra_data={FIELD: record_of(planned, request).as_dict()},
    )
