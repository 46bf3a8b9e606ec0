"""The models a recipe names: lm-eval's name and arguments, and the label that stands for both in results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, JsonValue, field_validator, model_validator

from ..core.errors import RecipeError
from .fields import Flag, Part, Text, Whole
from .model_args import parse_model_args
from .pricing import Price


class Described(Part):
    """What is known of a model itself, by which groups of models are compared."""

    family: Text | None = None
    """The family it belongs to, e.g. ``llama-3.1``; models of a family differ in size."""

    size: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)] | None = None
    """Billions of parameters."""

    open: Flag | None = None
    """Whether its weights are published."""

    @property
    def description(self) -> dict[str, Any]:
        """What is said of ``family``, ``size`` and ``open``."""
        return self.model_dump(include=set(Described.model_fields), exclude_none=True)


class ModelEntry(Described):
    """A model as lm-eval knows it."""

    model: Text
    """lm-eval's name of the kind of model: ``hf``, ``vllm``, ``torr-lexical``, ..."""

    args: dict[str, JsonValue] = Field(default_factory=dict)
    """lm-eval's arguments, as a mapping or in its one-line form ``a=b,c=d``."""

    name: Text | None = None
    """The model's name in results; by default made of ``model`` and ``args``."""

    chat: Flag | None = None
    """Whether to ask through the chat template; by default as fits the kind of model."""

    gpus: Whole | None = None
    """GPUs that one copy of the model takes on a cluster; by default as its arguments say."""

    price: Price | None = None
    """What tokens cost, for ``torr plan``."""

    @model_validator(mode="before")
    @classmethod
    def _named_alone(cls, value: object) -> object:
        return {"model": value} if isinstance(value, str) else value

    @field_validator("args", mode="before")
    @classmethod
    def _one_line(cls, value: object) -> object:
        return parse_model_args(value) if isinstance(value, str) else ({} if value is None else value)

    @property
    def label(self) -> str:
        """The name in results: ``name``, else the end of argument ``pretrained`` or ``model``, or ``model``.

        Models of one study are told apart by :func:`labelled`.
        """
        if self.name is not None:
            return self.name
        given = next(
            (self.args[key] for key in ("pretrained", "model") if isinstance(self.args.get(key), str)), None
        )
        last = str(given).replace("\\", "/").rstrip("/").rpartition("/")[2] if given else ""
        return last if last and not self.model.startswith("torr-") else self.model

    @property
    def digest(self) -> str:
        """Six hex digits of the model and its arguments."""
        said = json.dumps([self.model, self.args, self.chat], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()[:6]


def labelled(models: Sequence[ModelEntry]) -> tuple[ModelEntry, ...]:
    """The models with labels that differ, also where upper and lower case are one (a label names a folder).

    Where a model without a ``name`` would be called as one before it, a hash of its arguments is added; the
    one before keeps its label, so that a model added to a study changes none that is there.

    Raises:
        RecipeError: two models have the same ``name``, or are the same in all.
    """
    taken: set[str] = set()
    found: list[ModelEntry] = []
    for entry in models:
        apart = entry
        if entry.name is None and entry.label.lower() in taken:
            apart = entry.model_copy(update={"name": f"{entry.label}-{entry.digest}"})
        if apart.label.lower() in taken or any(
            (entry.name, entry.digest) == (other.name, other.digest) for other in models[: len(found)]
        ):
            raise RecipeError(
                f"two models are called {entry.label!r}; give each a 'name' of its own, or leave one out"
            )
        taken.add(apart.label.lower())
        found.append(apart)
    return tuple(found)


def described_as(models: Sequence[ModelEntry], known: Sequence[ModelEntry]) -> list[ModelEntry]:
    """The models with what is known of those of their labels.

    A model without a description of its own takes that of the known one; likewise ``gpus`` and ``price``.
    """
    others = {entry.label: entry for entry in known}
    return [_completed(entry, others.get(entry.label)) for entry in models]


def _completed(entry: ModelEntry, known: ModelEntry | None) -> ModelEntry:
    if known is None:
        return entry
    told = {} if entry.description else dict(known.description)
    told |= {name: getattr(known, name) for name in ("gpus", "price") if getattr(entry, name) is None}
    return entry.model_copy(update=told)


def model_entry(model: str, args: str = "") -> ModelEntry:
    """A model given on the command line.

    Raises:
        RecipeError: the arguments cannot be read.
    """
    if not model:
        raise RecipeError("found an empty model name; expected one of lm-eval's, e.g. hf")
    return ModelEntry(model=model, args=parse_model_args(args))
