"""Requests of a study as unitxt's instances, and prompts as their ``source``, there and back."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...catalog import Card, Example
from ...catalog.examples import instance_of
from ...core.errors import InputError, UnknownNameError
from ...core.names import faithful_name
from ...prompts import IMAGE, Message, Prompt
from ...prompts.rendering import perturb_example
from ...recipes import Configuration, Plan, Request
from ...scoring.metrics import metrics
from ...tables import perturbations
from ..record import FIELD, record_of
from ..studies import plan_of

STUDY = "torr_study"
"""The field of an instance by which its study is found again; the record has the study's own name."""


def instances_of(
    study: str, dataset: str, config: Configuration, limit: int | None, *, chat: bool
) -> Iterator[dict[str, Any]]:
    """A data set's requests in one configuration, in their order, as a template of unitxt's leaves them.

    Of a design of several calls the first one's.

    Args:
        study: as :func:`torr_plugin.recipes.load` knows it.
        dataset: one that it asks.
        config: one of its configurations.
        limit: at most so many examples.
        chat: whether prompts of one message are a chat too.

    Raises:
        InputError: as :func:`..studies.plan_of` and a prompt that cannot be built.
        UnknownNameError: the study does not ask in that configuration.
    """
    planned = plan_of(study, dataset, limit)
    known = planned.configurations
    if config not in known:
        raise UnknownNameError(
            "configuration", config.id, [each.id for each in known], where=f"recipe {study!r}"
        )
    requests = (each for each in planned.requests_of(dataset, config) if not each.stage)
    for example, request in zip(planned.examples[dataset], requests, strict=True):
        yield _instance(planned, study, example, request, chat=chat)


def metric_names(card: Card) -> list[str]:
    """The artifacts that rate a card's answers; the one with the main score comes first.

    unitxt's ``score`` is the main score of the first metric: the publisher's, as unitxt has no lenient one.
    """
    of_card = faithful_name(card.main_metric)
    named = [(name, metrics.get(name).main) for name in card.metrics]
    if len(named) == 1 and named[0][1] != of_card:
        return [f"metrics.torr.{named[0][0]}[main_score={of_card}]"]
    return [f"metrics.torr.{name}" for name, main in sorted(named, key=lambda each: each[1] != of_card)]


def _instance(planned: Plan, study: str, example: Example, request: Request, *, chat: bool) -> dict[str, Any]:
    perturbation = perturbations.get(request.config.perturbation)
    changed = perturb_example(example, perturbation, planned.recipe.seed, request.dataset)
    fields = instance_of(changed)
    inputs = {name: fields.pop(name) for name in ("table", "document", *changed.fields) if name in fields}
    fields |= {"references": list(request.references), "facts": dict(request.facts)}
    return {
        "source": source_of(request.prompt, chat=chat),
        "target": changed.target,
        "references": list(request.references),
        "input_fields": inputs,
        "reference_fields": {**fields, FIELD: record_of(planned, request).as_dict(), STUDY: study},
        "media": {},
    }


_PNG = "data:image/png;base64,"


def source_of(prompt: Prompt, *, chat: bool) -> str | list[dict[str, Any]]:
    """A prompt as unitxt's engines take it.

    One user message of text is that text, or a chat of one turn where ``chat`` is wished. A prompt with
    other turns or with pictures is a chat either way, for no text holds it without loss.
    """
    if not chat and len(prompt) == 1 and prompt[0].role == "user" and not prompt[0].images:
        return prompt[0].content
    return [{"role": message.role, "content": _content(message)} for message in prompt]


def prompt_of(source: object) -> Prompt:
    """The prompt that a ``source`` holds; the inverse of :func:`source_of`.

    Raises:
        InputError: neither a text nor a chat of texts and pictures.
    """
    if isinstance(source, str):
        return (Message("user", source),)
    if not isinstance(source, Sequence) or not all(isinstance(turn, Mapping) for turn in source):
        raise InputError(f"source: found {type(source).__name__}; expected a text or a chat")
    return tuple(_message(turn) for turn in source)


def _content(message: Message) -> str | list[dict[str, Any]]:
    """The text, or its pieces with a picture wherever one belongs."""
    if not message.images:
        return message.content
    pieces: list[dict[str, Any]] = []
    texts = message.content.split(IMAGE)
    for at, text in enumerate(texts):
        if text:
            pieces.append({"type": "text", "text": text})
        if at < len(texts) - 1:
            url = _PNG + base64.b64encode(message.images[at]).decode()
            pieces.append({"type": "image_url", "image_url": {"url": url}})
    return pieces


def _message(turn: Mapping[str, Any]) -> Message:
    role, content = turn.get("role"), turn.get("content")
    if role not in ("system", "user", "assistant"):
        raise InputError(f"source: role: found {role!r}; expected system, user or assistant")
    if isinstance(content, str):
        return Message(role, content)
    if not isinstance(content, Sequence):
        raise InputError(f"source: content: found {type(content).__name__}; expected texts and pictures")
    images = tuple(_image(piece) for piece in content if piece.get("type") == "image_url")
    texts = [IMAGE if piece.get("type") == "image_url" else str(piece.get("text", "")) for piece in content]
    return Message(role, "".join(texts), images)


def _image(piece: Mapping[str, Any]) -> bytes:
    url = str(piece["image_url"]["url"])
    if not url.startswith(_PNG):
        raise InputError(f"source: image_url: found {url[:40]!r}; expected a PNG as {_PNG}...")
    return base64.b64decode(url.removeprefix(_PNG))
