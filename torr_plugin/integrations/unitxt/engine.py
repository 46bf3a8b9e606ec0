"""Engines of unitxt that take the steps of designs of several calls; models named as in lm-eval are one.

unitxt hands an engine all instances at once. An instance of such a design shows the first prompt; the engine
makes the others of the study's plan, and its prediction holds all steps. Importing this imports unitxt.
"""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypeAlias

from pydantic import ValidationError
from unitxt.inference import InferenceEngine, TextGenerationInferenceOutput
from unitxt.settings_utils import get_settings

from ...core.errors import ModelError
from ...recipes import (
    Configuration,
    Generation,
    ModelEntry,
    Request,
    ScoreCell,
    Trust,
    parse_model_args,
    trusted,
)
from ...running.loaded_model import Model, load_model
from ...running.request_sources import PendingRequest
from ..record import FIELD, record_of
from ..steps import take_steps, takes_steps
from ..studies import plan_of
from .instances import STUDY, prompt_of, source_of, task_data

Instance: TypeAlias = "Mapping[str, Any]"


class StepTakingEngine(InferenceEngine):  # type: ignore[misc]
    """An engine of which :meth:`texts` alone is told; of other designs than ours it answers as that does."""

    use_cache: bool = False

    @abstractmethod
    def texts(self, instances: Sequence[Instance]) -> list[str | None]:
        """The answers to instances, each in one call."""

    def _infer(self, dataset: Any, return_meta_data: bool = False) -> list[Any]:
        instances = list(dataset)
        data = [task_data(each) for each in instances]
        stepped = [at for at, each in enumerate(data) if _config(each) is not None]
        single = [at for at in range(len(data)) if at not in set(stepped)]
        found: dict[int, Any] = {}
        if single:
            found.update(zip(single, self.texts([instances[at] for at in single]), strict=True))
        by_plan: dict[tuple[str, str], list[int]] = {}
        for at in stepped:
            by_plan.setdefault((data[at][STUDY], data[at][FIELD]["dataset"]), []).append(at)
        for (study, name), places in by_plan.items():
            texts = self._in_steps(study, name, [(instances[at], data[at]) for at in places])
            found.update(zip(places, texts, strict=True))
        answers = [found[at] for at in range(len(data))]
        return [self.get_return_object(each) for each in answers] if return_meta_data else answers

    def _in_steps(
        self, study: str, dataset: str, asked: Sequence[tuple[Instance, dict[str, Any]]]
    ) -> list[str]:
        """The steps of instances of one plan.

        Raises:
            ModelError: a call has no answer, or no prompt can be built from earlier ones.
        """
        planned = plan_of(study, dataset)
        cells = {_cell(data): (instance, data) for instance, data in asked}

        def as_instance(request: Request) -> dict[str, Any]:
            instance, data = cells[ScoreCell(dataset, request.example, request.config)]
            data = {**data, FIELD: record_of(planned, request).as_dict()}
            source = source_of(request.prompt, chat=not isinstance(instance["source"], str))
            return {**instance, "source": source, "task_data": json.dumps(data)}

        taken = take_steps(planned, cells, lambda requests: self.texts([*map(as_instance, requests)]))
        for cell, each in taken.items():
            if each.failure is not None:
                raise ModelError(f"{cell.dataset}, {cell.example}, {cell.config.id}: {each.failure}")
        return [each.text() for each in taken.values()]

    def get_return_object(self, text: str) -> TextGenerationInferenceOutput:
        """An answer with what unitxt keeps beside it."""
        return TextGenerationInferenceOutput(
            prediction=text, generated_text=text, model_name=self.get_engine_id()
        )


def _cell(data: Mapping[str, Any]) -> ScoreCell:
    record = data[FIELD]
    return ScoreCell(record["dataset"], record["example"], Configuration.of(record["config"]))


def _config(data: Mapping[str, Any]) -> Configuration | None:
    """The configuration of an instance of a design of several calls; None of others."""
    config = _cell(data).config if FIELD in data else None
    return config if config is not None and takes_steps(config) else None


class TorrStepsEngine(StepTakingEngine):
    """Another engine of unitxt's, made to take the steps of designs of several calls.

    Every call generates as the engine was told.

    Attributes:
        engine: the other engine.
    """

    engine: InferenceEngine

    def prepare_engine(self) -> None:
        """Nothing: the other engine is ready."""

    def get_engine_id(self) -> str:
        """The other engine's."""
        return str(self.engine.get_engine_id())

    def texts(self, instances: Sequence[Instance]) -> list[str | None]:
        """The other engine's answers."""
        return list(self.engine.infer([dict(each) for each in instances]))


class TorrEngine(StepTakingEngine):
    """A model of lm-eval's registry, the embedded baselines and those of plugins among them.

    A recipe of ours says in each instance how answers are generated, as the study does. For other instances,
    and where they are given here, ``max_tokens`` and ``temperature`` decide.

    Attributes:
        model: lm-eval's name, e.g. ``torr-lexical``, ``hf``.
        model_args: lm-eval's arguments, as a mapping or in one line ``a=b,c=d``.
        chat: whether to ask through the chat template; by default as fits the kind of model.
    """

    model: str
    model_args: Any = None
    chat: Optional[bool] = None  # noqa: UP045
    max_tokens: Optional[int] = None  # noqa: UP045
    temperature: Optional[float] = None  # noqa: UP045

    def prepare_engine(self) -> None:
        """Load the model.

        Raises:
            ModelError: it is not known, or cannot be loaded.
        """
        given = self.model_args or {}
        args = parse_model_args(given) if isinstance(given, str) else dict(given)
        entry = ModelEntry(model=self.model, args=args, chat=self.chat)
        # an engine may stand in somebody's file: unitxt's own word for trusting these
        self._entry = trusted(entry, Trust(typed=bool(get_settings().allow_unverified_code)))
        self._loaded: Model = load_model(self._entry, self._generation({}))

    def get_engine_id(self) -> str:
        """The model's label, as in results of ``torr run``."""
        return self._entry.label if hasattr(self, "_entry") else self.model

    def texts(self, instances: Sequence[Instance]) -> list[str | None]:
        """The model's answers.

        Raises:
            ModelError: a request failed.
        """
        asked = [
            PendingRequest(str(at), prompt_of(each["source"]), self._generation(_generation_of(each)))
            for at, each in enumerate(instances)
        ]
        answers = self._loaded.answers(asked)
        failed = [each for each in answers if each.prediction is None]
        if failed:
            raise ModelError(f"{len(failed)} of {len(answers)} requests failed, the first: {failed[0].error}")
        return [each.prediction for each in answers]

    def _generation(self, of_study: Mapping[str, Any]) -> dict[str, Any]:
        own = {"max_tokens": self.max_tokens, "temperature": self.temperature}
        given = {name: value for name, value in own.items() if value is not None}
        try:
            return Generation.model_validate({**of_study, **given}).model_dump(mode="json")
        except ValidationError as wrong:
            first = wrong.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise ModelError(
                f"model {self.model!r}: {where}: {first['msg']}; found {first['input']!r}"
            ) from wrong


def _generation_of(instance: Instance) -> Mapping[str, Any]:
    """The generation parameters of an instance's study; empty if it has none."""
    record = task_data(instance).get(FIELD) or {}
    return dict(record.get("generation") or {})
