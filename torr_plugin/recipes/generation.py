"""How models answer: the generation parameters of a study, and those of one model, which outdo them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, JsonValue, SerializerFunctionWrapHandler, model_serializer, model_validator

from ..core.errors import RecipeError
from .fields import LISTED, ConfigSection, Positive, Share, Text, Whole

Temperature = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


class _Sampling(ConfigSection):
    """What most studies leave to the model."""

    top_p: Share | None = None
    """The share of probability that is sampled from."""

    top_k: Positive | None = None
    """How many of the likeliest tokens are sampled from."""

    seed: Whole | None = None
    """The seed of sampling, for servers and engines that have one."""

    reasoning_effort: Text | None = None
    """How long a model thinks, as its server or chat template calls it: ``low``, ``medium``, ``high``."""

    chat_template_kwargs: dict[str, JsonValue] | None = None
    """Arguments of the chat template, such as ``enable_thinking``."""

    extra_body: dict[str, JsonValue] | None = None
    """Further fields of the body that a server is sent."""

    @model_validator(mode="before")
    @classmethod
    def _stop(cls, value: object) -> object:
        """``stop``, as servers call it, is another name of ``until``."""
        if not isinstance(value, dict) or "stop" not in value:
            return value
        if "until" in value:
            raise RecipeError("found both 'stop' and 'until'; expected one of them")
        return {**{name: each for name, each in value.items() if name != "stop"}, "until": value["stop"]}


class Generation(_Sampling):
    """How models answer; part of every request's key, but for ``thinking_tokens``."""

    max_tokens: Positive = 100
    """The longest answer, in tokens of the model."""

    temperature: Temperature = 0.0
    """0 for the likeliest answer, higher for more randomness."""

    until: Annotated[tuple[Text, ...], LISTED] = ()
    """Stop texts (also ``stop``): an answer ends at the first of them."""

    thinking_tokens: Whole = 8192
    """Room for thoughts beside ``max_tokens``, in tokens, for models that are known to think."""

    @model_serializer(mode="wrap")
    def _without_unset(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        always = ("max_tokens", "temperature", "until")
        given = plain(self)
        return {
            name: value
            for name, value in given.items()
            if name in always or (name in self.model_fields_set and value is not None)
        }

    def in_keys(self) -> dict[str, Any]:
        """The parameters of every request's key, as plain data."""
        return without_room(self.model_dump(mode="json"))


def without_room(generation: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters without the room for thoughts, which only some models are given."""
    return {name: value for name, value in generation.items() if name != "thinking_tokens"}


class ModelGeneration(_Sampling):
    """One model's own parameters; what is null is not sent, and what is not there is the study's."""

    max_tokens: Positive | None = None
    """The longest answer, in tokens of the model."""

    temperature: Temperature | None = None
    """0 for the likeliest answer, higher for more randomness."""

    until: Annotated[tuple[Text, ...] | None, LISTED] = None
    """Stop texts (also ``stop``): an answer ends at the first of them."""

    thinking_tokens: Whole | None = None
    """Room for thoughts beside ``max_tokens``, in tokens; by default the study's, if it thinks."""

    @property
    def given(self) -> dict[str, Any]:
        """What is there, also if it is null, as plain data."""
        return self.model_dump(mode="json", exclude_unset=True)

    @property
    def left_out(self) -> frozenset[str]:
        """The parameters that are not to be sent."""
        return frozenset(name for name, value in self.given.items() if value is None)
