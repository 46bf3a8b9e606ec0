"""What a harness carries along with a prompt, so that its results can be read as a run of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError

if TYPE_CHECKING:
    from ..recipes import Plan, Request

FIELD = "torr"
"""The key under which a harness's document, instance or row has the record."""

FORMAT = 1

_NAMES = (("card", "card", (".json",)), ("study", "recipe", (".yaml", ".yml")))


@dataclass(frozen=True, slots=True)
class RequestRecord:
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

    study: str
    card: str
    dataset: str
    example: str
    config: str
    key: str
    references: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    generation: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: str = ""
    format: int = FORMAT

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**asdict(self), "references": list(self.references)}


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


def read_record(value: object, where: str) -> RequestRecord:
    """The record in what a harness wrote.

    Args:
        value: what stands under :data:`FIELD`, JSON as a dict.
        where: file and place, for messages.

    Raises:
        InputError: no record, one of another format, or a field that is missing or of another kind.
    """
    if not isinstance(value, dict):
        raise InputError(f"{where}: {FIELD}: found {type(value).__name__}; expected the record of a request")
    if value.get("format") != FORMAT:
        raise InputError(f"{where}: {FIELD}.format: found {value.get('format')!r}; expected {FORMAT}")
    for name in ("study", "card", "dataset", "example", "config", "key"):
        if not isinstance(value.get(name), str) or not value[name]:
            raise InputError(f"{where}: {FIELD}.{name}: found {value.get(name)!r:.60}; expected a text")
    _refuse_paths(value, where)
    if len(parts := value["config"].split("/")) != 3 or not all(parts):
        found = f"{value['config']!r:.60}"
        raise InputError(f"{where}: {FIELD}.config: found {found}; expected serializer/perturbation/design")
    references, facts = value.get("references"), value.get("facts") or {}
    if not isinstance(references, list) or not all(isinstance(each, str) for each in references):
        raise InputError(f"{where}: {FIELD}.references: found {references!r:.60}; expected a list of texts")
    if not isinstance(facts, dict) or not all(isinstance(each, str) for each in facts.values()):
        raise InputError(f"{where}: {FIELD}.facts: found {facts!r:.60}; expected texts by name")
    generation = value.get("generation") or {}
    if not isinstance(generation, dict):
        raise InputError(
            f"{where}: {FIELD}.generation: found {generation!r:.60}; expected parameters by name"
        )
    return RequestRecord(
        **{name: value[name] for name in ("study", "card", "dataset", "example", "config", "key")},
        references=tuple(references),
        facts=facts,
        generation=generation,
        fingerprint=str(value.get("fingerprint") or ""),
    )


def _refuse_paths(value: Mapping[str, str], where: str) -> None:
    """Of what others wrote, as a path would have files of this machine opened."""
    for name, kind, endings in _NAMES:
        if value[name].endswith(endings) or any(sign in value[name] for sign in "/\\\0"):
            raise InputError(f"{where}: {FIELD}.{name}: found {value[name]!r:.60}; expected a {kind}'s name")
