"""Models named as in lm-eval, as an inference engine of unitxt. Importing this imports unitxt."""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from pydantic import ValidationError
from unitxt.inference import InferenceEngine, TextGenerationInferenceOutput
from unitxt.settings_utils import get_settings

from ...core.errors import ModelError
from ...recipes import Generation, ModelEntry, Trust, parse_model_args, trusted
from ...running.loading import load_model
from ...running.model import Model
from ...running.pending_request import PendingRequest
from ..record import FIELD
from .instances import prompt_of
from .stepping import inferred, task_data


class TorrEngine(InferenceEngine):  # type: ignore[misc]
    """A model of lm-eval's registry, the embedded baselines and those of plugins among them.

    A recipe of ours says in each instance how answers are generated, as the study does. For other instances,
    and where they are given here, ``max_tokens`` and ``temperature`` decide. Designs of several calls are
    asked step by step (:mod:`.stepping`).

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
    use_cache: bool = False

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

    def _infer(self, dataset: Any, return_meta_data: bool = False) -> list[Any]:
        wrapped = self.get_return_object if return_meta_data else str
        return inferred(list(dataset), lambda some: [*map(wrapped, self._ask(some))], self._ask, wrapped)

    def _ask(self, dataset: Sequence[Mapping[str, Any]]) -> list[str]:
        asked = [
            PendingRequest(str(at), prompt_of(instance["source"]), self._generation(_generation_of(instance)))
            for at, instance in enumerate(dataset)
        ]
        return _texts(self._loaded, asked)

    def get_return_object(self, text: str) -> TextGenerationInferenceOutput:
        """An answer with what unitxt keeps beside it."""
        return TextGenerationInferenceOutput(
            prediction=text, generated_text=text, model_name=self.get_engine_id(), inference_type=self.model
        )

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


def _generation_of(instance: Mapping[str, Any]) -> Mapping[str, Any]:
    """The generation parameters of an instance's study; empty if it has none."""
    record = task_data(instance).get(FIELD) or {}
    return dict(record.get("generation") or {})


def _texts(model: Model, asked: Sequence[PendingRequest]) -> list[str]:
    answers = model.answers(asked)
    failed = [each for each in answers if each.prediction is None]
    if failed:
        raise ModelError(f"{len(failed)} of {len(answers)} requests failed, the first: {failed[0].error}")
    return [str(each.prediction) for each in answers]
