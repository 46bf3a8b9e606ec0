"""Requests of a study as unitxt's instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...core.errors import UnknownNameError
from ...prompts.perturbed import perturb_example
from ...scoring.metrics import metrics
from ...tables import perturbations
from ..record import FIELD, record_of
from ..studies import plan_of, single_calls
from .source import source_of

if TYPE_CHECKING:
    from ...catalog import Card, Example
    from ...recipes import Configuration, Plan, Request


def instances_of(
    study: str, dataset: str, config: Configuration, limit: int | None, *, chat: bool
) -> Iterator[dict[str, Any]]:
    """A data set's requests in one configuration, in their order, as a template of unitxt's leaves them.

    Args:
        study: as :func:`torr_plugin.recipes.load` knows it.
        dataset: one that it asks.
        config: one of its configurations.
        limit: at most so many examples.
        chat: whether prompts of one message are a chat too.

    Raises:
        InputError: as :func:`..studies.plan_of` and a prompt that cannot be built.
        UnknownNameError: the study does not ask in that configuration, or not in one call.
    """
    planned = plan_of(study, dataset, limit)
    known = single_calls(planned.configurations)
    if config not in known:
        raise UnknownNameError(
            "configuration", config.id, [each.id for each in known], where=f"recipe {study!r}"
        )
    requests = planned.requests_of(dataset, config)
    for example, request in zip(planned.examples[dataset], requests, strict=True):
        yield _instance(planned, example, request, chat=chat)


def metric_names(card: Card) -> list[str]:
    """What rates a card's answers, as unitxt's artifacts; what gives the main score comes first.

    unitxt's ``score`` is the main score of the first metric.
    """
    named = [(name, metrics.get(name).main) for name in card.metrics]
    if len(named) == 1 and named[0][1] != card.main_metric:
        return [f"metrics.torr.{named[0][0]}[main_score={card.main_metric}]"]
    return [
        f"metrics.torr.{name}" for name, main in sorted(named, key=lambda each: each[1] != card.main_metric)
    ]


def _instance(planned: Plan, example: Example, request: Request, *, chat: bool) -> dict[str, Any]:
    from ...catalog.unitxt_artifacts import instance_of

    perturbation = perturbations.get(request.config.perturbation)
    changed = perturb_example(example, perturbation, planned.recipe.seed, request.dataset)
    fields = instance_of(changed)
    inputs = {name: fields.pop(name) for name in ("table", *changed.fields)}
    fields |= {"references": list(request.references), "facts": dict(request.facts)}
    return {
        "source": source_of(request.prompt, chat=chat),
        "target": changed.target,
        "references": list(request.references),
        "input_fields": inputs,
        "reference_fields": {**fields, FIELD: record_of(planned, request).as_dict()},
        "media": {},
    }
