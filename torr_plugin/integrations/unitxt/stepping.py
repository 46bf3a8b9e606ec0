"""Designs of several calls in unitxt: an engine that takes the steps, and what finds the scored part.

unitxt hands an engine all instances at once. An instance of such a design shows the first prompt; the engine
makes the others of the study's plan, and its prediction holds all steps. Importing this imports unitxt.
"""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, TypeAlias

from unitxt.inference import InferenceEngine, TextGenerationInferenceOutput
from unitxt.operator import InstanceOperator

from ...core.errors import ModelError
from ...recipes import Configuration, Request, ScoreCell
from ..record import FIELD, record_of
from ..steps import TakenSteps, scored_text, take_steps, takes_steps
from ..studies import plan_of
from .instances import STUDY, source_of

Instances: TypeAlias = "Sequence[Mapping[str, Any]]"
Infer: TypeAlias = Callable[[list[dict[str, Any]]], Sequence[Any]]


def task_data(instance: Mapping[str, Any]) -> dict[str, Any]:
    """What unitxt keeps beside an instance's prompt, there as JSON."""
    data = instance.get("task_data") or {}
    return dict(json.loads(data) if isinstance(data, str) else data)


def inferred(
    dataset: Instances, infer: Infer, infer_texts: Infer, wrapped: Callable[[str], Any]
) -> list[Any]:
    """The predictions of instances of any design.

    Args:
        dataset: instances.
        infer: predicts those of one call.
        infer_texts: gives the text of each call of the others.
        wrapped: makes a prediction of a text.

    Raises:
        ModelError: a call has no answer, or no prompt can be built from earlier ones.
    """
    data = [task_data(each) for each in dataset]
    stepped = [at for at, each in enumerate(data) if _config(each) is not None]
    found: dict[int, Any] = {}
    single = [at for at in range(len(data)) if at not in set(stepped)]
    if single:
        found.update(zip(single, infer([dict(dataset[at]) for at in single]), strict=True))
    by_plan: dict[tuple[str, str], list[int]] = {}
    for at in stepped:
        by_plan.setdefault((data[at][STUDY], data[at][FIELD]["dataset"]), []).append(at)
    for (study, name), places in by_plan.items():
        texts = _in_steps(study, name, [(dataset[at], data[at]) for at in places], infer_texts)
        found.update(zip(places, map(wrapped, texts), strict=True))
    return [found[at] for at in range(len(data))]


def _config(data: Mapping[str, Any]) -> Configuration | None:
    """The configuration of an instance of a design of several calls; None of others."""
    record = data.get(FIELD)
    config = Configuration.of(record["config"]) if record else None
    return config if config is not None and takes_steps(config) else None


def _in_steps(
    study: str, dataset: str, asked: Sequence[tuple[Mapping[str, Any], dict[str, Any]]], infer: Infer
) -> list[str]:
    planned = plan_of(study, dataset)
    cells = {
        ScoreCell(dataset, data[FIELD]["example"], Configuration.of(data[FIELD]["config"])): (instance, data)
        for instance, data in asked
    }

    def as_instance(request: Request) -> dict[str, Any]:
        instance, data = cells[ScoreCell(dataset, request.example, request.config)]
        data = {**data, FIELD: record_of(planned, request).as_dict()}
        chat = not isinstance(instance["source"], str)
        text = json.dumps(data) if isinstance(instance["task_data"], str) else data
        return {**instance, "source": source_of(request.prompt, chat=chat), "task_data": text}

    def ask(requests: Sequence[Request]) -> list[str | None]:
        texts = infer([as_instance(each) for each in requests])
        return [text if isinstance(text, str) else None for text in texts]

    taken = take_steps(planned, cells, ask)
    return [_text(cell, taken[cell]) for cell in cells]


def _text(cell: ScoreCell, taken: TakenSteps) -> str:
    if taken.failure is not None:
        raise ModelError(f"{cell.dataset}, {cell.example}, {cell.config.id}: {taken.failure}")
    return taken.text()


class TorrStepsEngine(InferenceEngine):  # type: ignore[misc]
    """Another engine of unitxt's, made to take the steps of designs of several calls.

    All other instances go to that engine as they are. Every call generates as the engine was told.

    Attributes:
        engine: the other engine.
    """

    engine: InferenceEngine
    use_cache: bool = False

    def prepare_engine(self) -> None:
        """Nothing: the other engine is ready."""

    def get_engine_id(self) -> str:
        """The other engine's."""
        return str(self.engine.get_engine_id())

    def _infer(self, dataset: Any, return_meta_data: bool = False) -> list[Any]:
        return inferred(
            list(dataset),
            lambda some: self.engine.infer(some, return_meta_data),
            self.engine.infer,
            self.get_return_object if return_meta_data else str,
        )

    def get_return_object(self, text: str) -> TextGenerationInferenceOutput:
        """Steps with what unitxt keeps beside an answer."""
        return TextGenerationInferenceOutput(
            prediction=text, generated_text=text, model_name=self.get_engine_id()
        )


class ScoredPart(InstanceOperator):  # type: ignore[misc]
    """The part of a prediction that is scored: of a design's last step what the design says.

    Raises:
        InputError: the prediction is the answer to the first step alone.
    """

    def process(
        self,
        instance: dict[str, Any],
        stream_name: Optional[str] = None,  # noqa: UP045
    ) -> dict[str, Any]:
        """Replace the prediction."""
        record = task_data(instance)[FIELD]
        config = Configuration.of(record["config"])
        text = str(instance["prediction"])
        return {**instance, "prediction": scored_text(config, text, f"example {record['example']!r}")}
