"""How the figures were made, from study.yaml: data sets, models, versions, and the recipe to run it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from ..core.redaction import without_secrets
from ..recipes.model_entries import ModelEntry
from .source import PublishedSource


@dataclass(frozen=True)
class DatasetFacts:
    """What is known of a data set; texts are empty where a scores file does not say."""

    name: str
    metric: str
    examples: int
    configurations: int
    right: float | None  # the mean of the models' mean scores
    card: str
    description: str
    licence: str
    split: str
    shots: str
    keeps_labels: tuple[str, ...] | None  # of the perturbations asked; None: not stated
    fingerprints: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ModelFacts:
    """A model as lm-eval was given it."""

    label: str
    model: str
    args: tuple[tuple[str, str], ...]
    chat: str


_TEXTS = ("card", "description", "licence", "split", "shots")


def dataset_facts(source: PublishedSource) -> tuple[DatasetFacts, ...]:
    """One entry per data set, in the order of the tables."""
    entries: Mapping[str, Any] = source.study.get("datasets") or {}
    settings, scores = source.analysis.settings, source.scores
    parts = scores[["dataset", "perturbation"]].drop_duplicates() if "perturbation" in scores else None
    found = []
    for name, metric in settings.metrics.items():
        entry = entries.get(name) or {}
        asked = None if parts is None else set(parts.loc[parts["dataset"] == name, "perturbation"].map(str))
        keeps = entry.get("keeps_labels")
        found.append(
            DatasetFacts(
                name=name,
                metric=metric,
                examples=settings.examples[name],
                configurations=settings.configurations[name],
                right=_mean(own.datasets[name].value for own in source.analysis.performance.values()),
                keeps_labels=None
                if keeps is None
                else tuple(each for each in map(str, keeps) if asked is None or each in asked),
                fingerprints=tuple(_fingerprints(entry)),
                **{field: _text(entry.get(field)) for field in _TEXTS},
            )
        )
    return tuple(found)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _fingerprints(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Of the card, the data of each split, and the choice of examples."""
    data = entry.get("data")
    named = {
        "card": entry.get("fingerprint"),
        **(data if isinstance(data, Mapping) else {}),
        "examples asked": entry.get("examples_fingerprint"),
    }
    for name, value in named.items():
        if value:
            yield str(name), _text(value)


def model_facts(source: PublishedSource) -> tuple[ModelFacts, ...]:
    """One entry per model of the run."""
    return tuple(
        ModelFacts(
            label=_text(model["label"]),
            model=_text(model["model"]),
            args=tuple((str(name), _text(value)) for name, value in _args(model).items()),
            chat={True: "yes", False: "no"}.get(_templated(model), "automatic"),
        )
        for model in source.study.get("models") or ()
    )


def _templated(model: Mapping[str, Any]) -> Any:
    """Whether a chat template was applied, else whether one was asked for."""
    sent, asked = model.get("sent"), model.get("chat")
    return sent.get("apply_chat_template", asked) if isinstance(sent, Mapping) else asked


def _args(model: Mapping[str, Any]) -> dict[str, Any]:
    """A model's arguments; runs leave secrets out, and a file from elsewhere may not."""
    return without_secrets(model.get("args") or {})


def other_facts(source: PublishedSource) -> tuple[tuple[str, str], ...]:
    """Names and values of what else study.yaml records."""
    study, recipe = source.study, source.study.get("recipe") or {}
    generation = study.get("generation") or recipe.get("generation") or {}
    demonstrations = recipe.get("demonstrations") or {}
    replicates, requests = recipe.get("replicates") or {}, study.get("requests")
    found = {
        "Seed": study.get("seed"),
        "Started": study.get("created"),
        "Requests of each model"
        if not study.get("stages")
        else "First requests of each model": f"{requests:,}" if isinstance(requests, int) else None,
        "Demonstrations": _pairs(demonstrations),
        "Generation": _pairs(generation),
        "Replicates": _pairs(replicates) if replicates.get("share") else None,
        "Limit": study.get("limit"),
        "Fingerprint of the study": study.get("fingerprint"),
        "Versions": _pairs(study.get("versions") or {}),
    }
    return tuple((name, _text(value)) for name, value in found.items() if value not in (None, "", []))


def recipe_to_run_again(source: PublishedSource) -> str | None:
    """The recipe as YAML with the models of the run; None for a scores file."""
    recipe = source.study.get("recipe")
    if not recipe:
        return None
    models = [
        {
            **without_secrets({name: model[name] for name in ModelEntry.model_fields if name in model}),
            "name": model["label"],
            "chat": chat if isinstance(chat := model.get("chat"), bool) else None,  # a text: who decided
        }
        for model in source.study.get("models") or ()
    ]
    return yaml.safe_dump({**recipe, "models": models}, sort_keys=False, allow_unicode=True, width=100)


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {_text(value)}" for name, value in values.items() if value not in (None, "", [], ())
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(each) for each in value)
    if isinstance(value, Mapping):
        return _pairs(value)
    return str(value)
