"""What a harness carries along with a prompt, so that its results can be read as a run of ours."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ..core.validation import NonEmpty, validate
from ..recipes import Plan, Request

FIELD = "torr"
"""The key under which a harness's document, instance or row has the record."""


def _no_path(name: str) -> str:
    """Refuse a path where a name is expected: a stranger's path would open files of this machine."""
    if name.endswith((".yaml", ".yml", ".json")) or any(sign in name for sign in "/\\\0"):
        raise ValueError(f"found {name!r:.60}; expected a name, no file")
    return name


def _configuration(name: str) -> str:
    parts = name.split("/")
    if len(parts) != 3 or not all(parts):
        raise ValueError(f"found {name!r:.60}; expected serializer/perturbation/design")
    return name


class RequestRecord(BaseModel):
    """Which cell of which study a prompt belongs to, and what rates its answer.

    Attributes:
        study: the recipe's name.
        card: the card's name, also where a recipe asks it by its file.
        dataset: as in scores.
        example: the example's id.
        config: ``serializer/perturbation/design``.
        key: of the request, as in ``requests/*.parquet``.
        references: of the example under this configuration.
        facts: what the metric needs beside them.
        generation: the request's generation parameters.
        fingerprint: of the study's plan, equal to ``fingerprint`` in a run's study.yaml of the same plan.
        format: version of this record.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    study: Annotated[NonEmpty, AfterValidator(_no_path)]
    card: Annotated[NonEmpty, AfterValidator(_no_path)]
    dataset: NonEmpty
    example: NonEmpty
    config: Annotated[NonEmpty, AfterValidator(_configuration)]
    key: NonEmpty
    references: tuple[str, ...] = Field(strict=False)
    facts: dict[str, str] = Field(default_factory=dict)
    generation: dict[str, Any] = Field(default_factory=dict)
    fingerprint: str = ""
    format: Literal[1] = 1

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return self.model_dump(mode="json")


def record_of(planned: Plan, request: Request) -> RequestRecord:
    """The record of a request of a plan."""
    return RequestRecord(
        study=planned.recipe.name,
        card=planned.cards[request.dataset].name,
        dataset=request.dataset,
        example=request.example,
        config=request.config.id,
        key=request.key,
        references=request.references,
        facts=dict(request.facts),
        generation=planned.generation_of(request),
        fingerprint=planned.fingerprint,
    )


class _Carrier(BaseModel):
    torr: RequestRecord


def read_record(value: object, where: str) -> RequestRecord:
    """The record in what a harness wrote.

    Args:
        value: what stands under :data:`FIELD`, JSON as a dict.
        where: file and place, for messages.

    Raises:
        InputError: no record, one of another format, or a field that is missing or of another kind.
    """
    if isinstance(value, dict):  # tables fill up what an object lacks
        value = {name: each for name, each in value.items() if each is not None}
    return validate(_Carrier, {FIELD: value}, where).torr
