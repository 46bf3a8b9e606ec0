"""The task: a data set of a study in all its configurations, or in one, as lm-eval runs it.

lm-eval alone imports this module. Requests are those of ``torr run``, and so are the scores; lm-eval
averages them over the examples and gives the standard error of that mean.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.api.metrics import mean
from lm_eval.api.registry import get_metric_aggregation
from lm_eval.api.task import Task
from lm_eval.config.task import TaskConfig
from lm_eval.filters import build_filter_ensemble

from ... import plugins
from ...catalog import Card
from ...core.errors import InputError
from ...recipes import Plan
from ..record import FIELD
from ..steps import takes_steps
from ..studies import StudyPart, dataset_entry, plan_of, study_part
from .documents import ContextBuilder, Document, Documents, RequestChanges, arguments_of, changes
from .patches import IN_STEPS, give_models_a_method
from .scores import configuration_scores, example_figures, figure_names
from .stepwise import SteppedInstance, StepTaker, generate_in_steps, own
from .task_files import TaskFile, read_task_config

_BYPASS = "bypass"
_log = logging.getLogger(__name__)


class TableTask(Task):  # type: ignore[misc]  # lm-eval ships no types
    """Asks each example under its configurations; a document of lm-eval is an example.

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
        self._file: TaskFile = read_task_config(given)
        self._study = self._file.arguments()
        self._part: StudyPart = study_part(self._file.study, self._file.dataset, self._file.configuration)
        entry = dataset_entry(self._file.study, self._file.dataset)
        self._card: Card = entry.card
        self._config = TaskConfig(
            task=given.get("task") or self._part.task,
            task_alias=given.get("task_alias"),
            test_split=entry.split,
            target_delimiter="",  # a prompt is whole: nothing stands between it and the answer
            num_fewshot=0,  # demonstrations are the recipe's; at 0 lm-eval adds none, whatever is asked for
            output_type=self.OUTPUT_TYPE,
            generation_kwargs={**self._study, **(given.get("generation_kwargs") or {})},
            metadata=given.get("metadata"),
        )
        self._filters = [build_filter_ensemble("none", [["take_first", None]])]
        self._instances: list[Instance] | None = None
        self._documents: Documents | None = None
        self._system: str | None = None
        self._sending = ContextBuilder(None)
        self._bypassed = False
        self._unsolved = set[bool]()
        self.MULTIMODAL = self._file.shows_pictures()

    @cached_property
    def _plan(self) -> Plan:
        return plan_of(self._file.study, self._file.dataset)

    @cached_property
    def _names(self) -> dict[str, None]:
        """The figures' names; results add those that a plugin's metric does not name."""
        return dict.fromkeys(figure_names(self._card, single=self._file.configuration is not None))

    @property
    def dataset(self) -> dict[str, Documents]:
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

    def test_docs(self) -> Documents:
        """The examples, each made when it is asked for."""
        if self._documents is None:
            self._documents = Documents(self._plan, self._part, self._asking())
        return self._documents

    def _asking(self) -> RequestChanges:
        return RequestChanges(self._system, changes(self._config.generation_kwargs, self._study))

    def doc_iterator(self, **options: Any) -> Iterator[tuple[int, Document]]:
        """As lm-eval's, but make only the documents that are asked."""
        documents = self.test_docs()
        chosen = chosen_documents(self.task_name, len(documents), **options)
        return ((number, documents[place]) for number, place in chosen)

    def doc_to_text(self, doc: Mapping[str, Any]) -> Any:
        """The prompt of the first configuration."""
        return ContextBuilder(None).of(self.test_docs().first(doc).prompt).text

    def doc_to_target(self, doc: Mapping[str, Any]) -> str:
        """The first of the right answers, under the first configuration."""
        return str(doc[FIELD][0]["references"][0])

    def build_all_requests(
        self,
        *,
        system_instruction: str | None = None,
        apply_chat_template: bool = False,
        chat_template: Callable[..., Any] | None = None,
        **options: Any,
    ) -> None:
        """As lm-eval's, but without its cache of requests, which knows nothing of recipes and data."""
        self._system, self._documents = system_instruction, None
        self._sending = ContextBuilder(chat_template if apply_chat_template else None)
        super().build_all_requests(
            system_instruction=system_instruction,
            apply_chat_template=apply_chat_template,
            chat_template=chat_template,
            **{**options, "cache_requests": False},
        )
        taker = StepTaker(self._plan, self._asking(), self._sending)
        stepped = [each for each in self._instances or () if isinstance(each, SteppedInstance)]
        for each in stepped:
            each.taker = taker
        if stepped:
            give_models_a_method(generate_in_steps)

    def fewshot_context(self, doc: Mapping[str, Any], *args: Any, **kwargs: Any) -> list[Any]:
        """What is sent first, one a configuration; demonstrations are those of the recipe."""
        requests = self.test_docs().take(doc)
        return [arguments_of(self._sending.of(each.prompt), own(each.arguments)) for each in requests]

    def construct_requests(self, doc: Document, ctx: str | list[Any], **kwargs: Any) -> list[Instance]:
        """One request a configuration; a text alone is asked with the first configuration's parameters."""
        asked = [(ctx, own(self.test_docs().first(doc).arguments))] if isinstance(ctx, str) else ctx
        known = {"metadata": kwargs["metadata"]} if "metadata" in kwargs else {}
        configs = self.test_docs().configurations[: len(asked)]
        return [
            SteppedInstance(IN_STEPS, doc, arguments, number, **known)
            if takes_steps(config)
            else Instance(self.OUTPUT_TYPE, doc, arguments, number, **known)
            for number, (arguments, config) in enumerate(zip(asked, configs, strict=True))
        ]

    def process_results(self, doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, float]:
        """The figures of one example."""
        if self._bypassed:
            return {_BYPASS: 999}  # lm-eval's mark for what is not rated
        records = doc[FIELD]
        if self._file.configuration is None:
            found = example_figures(self._card, records, results)
            self._unsolved.add(found["best"] == 0)
        else:
            found = configuration_scores(self._card, records[0], results[0])
        self._names.update(dict.fromkeys(found))
        return found

    def override_metric(self, metric_name: str) -> None:
        """``--predict_only``: nothing is rated.

        Raises:
            InputError: any other metric; the card says which there are.
        """
        if metric_name != _BYPASS:
            raise InputError(f"{self.task_name}: its metrics are its card's; found {metric_name!r}")
        self._bypassed = True
        self._names = {_BYPASS: None}

    def aggregation(self) -> dict[str, Callable[..., float]]:
        """Average every figure over examples; lm-eval asks when all are rated, so a warning has its place."""
        if self._bypassed:
            return {_BYPASS: get_metric_aggregation(_BYPASS)}
        if self._unsolved == {True}:
            self._unsolved = set()
            _log.warning(
                "%s: %s is 0 for every answer rated here, and robustness is 1 for that reason alone",
                self.task_name,
                self._card.main_metric,
            )
        return dict.fromkeys(self._names, mean)

    def higher_is_better(self) -> dict[str, bool]:
        """True of every figure."""
        return dict.fromkeys(self._names, True)

    def dump_config(self) -> dict[str, Any]:
        """What the results file says of the task: also the demonstrations and the plan's fingerprint."""
        config = dict(self._config.to_dict())
        return {
            **config,
            "num_fewshot": self._plan.shots[self._file.dataset],
            "metadata": {**(config.get("metadata") or {}), "fingerprint": self._plan.fingerprint},
        }


def chosen_documents(
    task: str,
    count: int,
    *,
    rank: int = 0,
    limit: int | None = None,
    world_size: int = 1,
    samples: Sequence[int] | None = None,
) -> list[tuple[int, int]]:
    """Number and place of each document that is asked.

    Args:
        task: for messages.
        count: of the documents there are.
        rank: of this process; it asks every ``world_size``-th.
        limit: at most so many by all processes together; without effect where samples are named.
        world_size: processes.
        samples: places, asked in their order.

    Raises:
        InputError: samples name a place that is not there, or the limit allows none.
    """
    if limit is not None and limit < 1:
        raise InputError(f"--limit: {task}: expected a number above 0, of examples or as a share of them")
    places: Sequence[int] = range(count)
    if samples:
        _check(task, count, samples)
        places, limit = list(dict.fromkeys(samples)), None
    return list(
        itertools.islice(enumerate(places), int(rank), None if limit is None else int(limit), int(world_size))
    )


def _check(task: str, count: int, samples: Sequence[int]) -> None:
    wrong = next((each for each in samples if not 0 <= each < count), None)
    if wrong is not None:
        raise InputError(f"--samples: {task}: found {wrong}; expected numbers from 0 to {count - 1}")
