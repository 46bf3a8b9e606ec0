"""The task: a data set of a study in all its configurations, or in one, as lm-eval runs it.

lm-eval alone imports this module. Requests are those of ``torr run``, and so are the scores; lm-eval
averages them over the examples and gives the standard error of that mean. A document of lm-eval is an
example, with ``dataset``, ``example`` and the records of its requests, one a configuration.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from lm_eval.api.instance import Instance
from lm_eval.api.metrics import mean
from lm_eval.api.task import Task
from lm_eval.config.task import TaskConfig
from lm_eval.filters import build_filter_ensemble

from ... import plugins
from ...analysis.statistics import example_best, example_robustness, example_worst
from ...catalog import Card
from ...recipes import Configuration, Plan
from ...running.loaded_model import lm_eval_arguments
from ...scoring import card_score_names, score_example
from ..record import FIELD
from ..steps import scored_text, takes_steps
from ..studies import dataset_entry, plan_of, recipe_of, study_part
from .patches import IN_STEPS, give_models_a_method
from .requests import LmEvalRequest, RequestBuilder, SteppedInstance, generate_in_steps
from .task_files import FIGURES, pictures, read_task_config

Document = dict[str, Any]

_REMEMBERED = 500


class TableTask(Task):  # type: ignore[misc]  # lm-eval ships no types
    """Asks each example under its configurations.

    Args:
        config: of the task's file; what it is stands under ``metadata.torr`` (study, data set,
            configuration).

    Raises:
        InputError: the file does not say what to ask, or the study asks no such thing.
    """

    VERSION = 1
    OUTPUT_TYPE = "generate_until"
    multiple_input = multiple_inputs = 0  # of contexts to choose from; lm-eval 0.4.13's name, and its next

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        plugins.load()
        given = dict(config or {})
        self._study, self._dataset, self._configuration = read_task_config(given)
        self._generation = _generation(self._study)
        part = study_part(self._study, self._dataset, self._configuration)
        entry = dataset_entry(self._study, self._dataset)
        self._card: Card = entry.card
        self._config = TaskConfig(
            task=given.get("task") or part.task,
            task_alias=given.get("task_alias"),
            test_split=entry.split,
            target_delimiter="",  # a prompt is whole: nothing stands between it and the answer
            num_fewshot=0,  # demonstrations are the recipe's; at 0 lm-eval adds none, whatever is asked for
            output_type=self.OUTPUT_TYPE,
            generation_kwargs={**self._generation, **(given.get("generation_kwargs") or {})},
            metadata=given.get("metadata"),
        )
        self._filters = [build_filter_ensemble("none", [["take_first", None]])]
        self._instances: list[Instance] | None = None
        self._documents: list[Document] | None = None
        self._made: dict[str, list[LmEvalRequest]] = {}  # of documents whose requests are not sent yet
        self.MULTIMODAL = True in pictures(self._study, self._configuration)

    @cached_property
    def _plan(self) -> Plan:
        return plan_of(self._study, self._dataset)

    @cached_property
    def _builder(self) -> RequestBuilder:
        return self._built_with(None, None)

    @cached_property
    def _names(self) -> dict[str, None]:
        """The figures' names; results add those that a plugin's metric does not name."""
        names = figure_names(self._card, single=self._configuration is not None)
        return dict.fromkeys(names)

    @property
    def dataset(self) -> dict[str, list[Document]]:
        """The documents by split, of which there is one."""
        return {self._config.test_split: self.test_docs()}

    def should_decontaminate(self) -> bool:
        """No: generated answers are not compared with training data."""
        return False

    def download(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is downloaded here: the card reads its data when the plan is made."""

    def has_training_docs(self) -> bool:
        """No: demonstrations are in the prompts."""
        return False

    def has_validation_docs(self) -> bool:
        """No: the card's split is asked."""
        return False

    def has_test_docs(self) -> bool:
        """Yes."""
        return True

    def test_docs(self) -> list[Document]:
        """The examples; records are made of those that are asked."""
        if self._documents is None:
            examples = self._plan.examples[self._dataset]
            self._documents = [{"dataset": self._dataset, "example": each.id} for each in examples]
        return self._documents

    def doc_iterator(self, **options: Any) -> Iterator[tuple[int, Document]]:
        """As lm-eval's, with the records of each document."""
        for number, document in super().doc_iterator(**options):
            if FIELD not in document:
                requests = self._made[document["example"]] = self._requests(document)
                document[FIELD] = [each.record.as_dict() for each in requests]
                if number % _REMEMBERED == _REMEMBERED - 1:
                    self._plan.builders[self._dataset].forget()
            yield number, document

    def _requests(self, document: Document) -> list[LmEvalRequest]:
        """A request a configuration: of a design of several calls the first one's."""
        example = [self._plan.example(self._dataset, document["example"])]
        return [
            self._builder.made(next(self._plan.requests_of(self._dataset, config, example)))
            for config in self._configurations
        ]

    @property
    def _configurations(self) -> Sequence[Configuration]:
        return [self._configuration] if self._configuration else self._plan.configurations

    def doc_to_text(self, doc: Document) -> Any:
        """The prompt of the first configuration."""
        return self._builder.context(self._requests(doc)[0].prompt).text

    def doc_to_target(self, doc: Document) -> str:
        """The first of the right answers, under the first configuration."""
        return self._requests(doc)[0].record.references[0]

    def build_all_requests(
        self,
        *,
        system_instruction: str | None = None,
        apply_chat_template: bool = False,
        chat_template: Callable[..., Any] | None = None,
        **options: Any,
    ) -> None:
        """As lm-eval's, but without its cache of requests, which knows nothing of recipes and data."""
        self._documents = None
        self._builder = self._built_with(system_instruction, chat_template if apply_chat_template else None)
        super().build_all_requests(**{**options, "cache_requests": False})

    def _built_with(self, system: str | None, template: Callable[..., Any] | None) -> RequestBuilder:
        given, study = self._config.generation_kwargs, self._generation
        changes = {name: value for name, value in given.items() if name not in study or study[name] != value}
        return RequestBuilder(self._plan, system, changes, template)

    def fewshot_context(self, doc: Document, *args: Any, **kwargs: Any) -> None:
        """Nothing: demonstrations are those of the recipe, in the prompts."""

    def construct_requests(self, doc: Document, ctx: Any, **kwargs: Any) -> list[Instance]:
        """One request a configuration."""
        requests = self._made.pop(doc["example"], None) or self._requests(doc)
        known = {"metadata": kwargs["metadata"]} if "metadata" in kwargs else {}
        found = []
        for number, (request, config) in enumerate(zip(requests, self._configurations, strict=True)):
            given = (doc, self._builder.arguments(request), number)
            if takes_steps(config):
                give_models_a_method(generate_in_steps)
                found.append(SteppedInstance(IN_STEPS, *given, **known, builder=self._builder))
            else:
                found.append(Instance(self.OUTPUT_TYPE, *given, **known))
        return found

    def process_results(self, doc: Document, results: Sequence[Any]) -> dict[str, float]:
        """The figures of one example."""
        records = doc[FIELD]
        if self._configuration is None:
            found = example_figures(self._card, records, results)
        else:
            found = configuration_scores(self._card, records[0], results[0])
        self._names.update(dict.fromkeys(found))
        return found

    def aggregation(self) -> dict[str, Callable[..., float]]:
        """Average every figure over examples."""
        return dict.fromkeys(self._names, mean)

    def higher_is_better(self) -> dict[str, bool]:
        """True of every figure."""
        return dict.fromkeys(self._names, True)

    def dump_config(self) -> dict[str, Any]:
        """What the results file says of the task: also the demonstrations and the plan's fingerprint."""
        config = dict(self._config.to_dict())
        return {
            **config,
            "num_fewshot": self._plan.shots[self._dataset],
            "metadata": {**(config.get("metadata") or {}), "fingerprint": self._plan.fingerprint},
        }


def _generation(study: str) -> dict[str, Any]:
    """The study's generation parameters by lm-eval's names; it sends a server a field each."""
    generation = recipe_of(study).generation.in_keys()
    extra = generation.pop("extra_body", {})
    return lm_eval_arguments({**generation, **extra})


def configuration_scores(card: Card, record: Mapping[str, Any], answer: Any) -> dict[str, float]:
    """Score one answer by all metrics; an answer that is no text has no score, unlike a wrong one.

    Returns:
        Scores in [0, 1] by the card's names; the main one alone, NaN, where there is no answer.
    """
    if not isinstance(answer, str):
        return {card.main_metric: math.nan}
    where = f"example {record['example']!r}"
    scored = scored_text(Configuration.of(record["config"]), answer, where)
    return score_example(card, scored, record["references"], record["facts"])


def example_figures(
    card: Card, records: Sequence[Mapping[str, Any]], answers: Sequence[Any]
) -> dict[str, float]:
    """Performance, robustness, worst and best of an example, and the means of the card's metrics.

    Each figure of a data set is a mean over its examples (ToRR, section 2.2). An example with a hole has no
    figures (NaN): a range over fewer configurations would look more robust than it is.

    Args:
        card: the data set's.
        records: of the document, one a configuration.
        answers: in the same order.
    """
    scores = [
        configuration_scores(card, record, answer) for record, answer in zip(records, answers, strict=True)
    ]
    names = dict.fromkeys(name for each in scores for name in each)
    means = {name: math.fsum(each.get(name, math.nan) for each in scores) / len(scores) for name in names}
    main = np.array([each[card.main_metric] for each in scores]).reshape(1, -1, 1)
    whole = not np.isnan(main).any()
    figures = {
        "performance": means[card.main_metric],
        "robustness": float(example_robustness(main)[0, 0]) if whole else math.nan,
        "worst": float(example_worst(main)[0, 0]) if whole else math.nan,
        "best": float(example_best(main)[0, 0]) if whole else math.nan,
    }
    return {**figures, **means, **figures}  # a metric may have a figure's name


def figure_names(card: Card, *, single: bool) -> list[str]:
    """The names of a task's figures, before an answer is scored.

    Args:
        card: the data set's.
        single: whether the task asks one configuration.
    """
    names = card_score_names(card)
    return names if single else [*FIGURES, *names]
