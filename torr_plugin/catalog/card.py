"""Cards: values read from one JSON file each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..core.errors import CardError
from ..core.names import faithful_name
from ..core.validation import faults, listed
from . import artifacts
from .folders import CardDocument, card_document
from .schema import CardFile, CardRows, CardTemplate, RowReading, StructuralLoader, UnitxtCardRef


@dataclass(frozen=True)
class Template:
    """How an example is put into words.

    Attributes:
        instruction: what to do, written once before everything else.
        input_format: the example's text, with ``{table}`` and the inputs in :attr:`Example.fields`.
        target_prefix: the last line of the prompt, which the answer continues.
        output_format: the format of a demonstration's answer.
        postprocessors: names of unitxt's postprocessors, applied to answers before scoring.
    """

    instruction: str
    input_format: str
    target_prefix: str
    output_format: str
    postprocessors: tuple[str, ...]


@dataclass(frozen=True)
class Card:
    """A data set: where it is loaded from, how it is read, asked and scored.

    Attributes:
        name: e.g. ``cards.hctqa.real``; a card given by path is named after its file.
        dataset: the name without ``cards.``.
        metrics: names without ``metrics.`` and ``metrics.torr.``.
        main_metric: the score, one of those that the metrics give, that represents the data set.
        keeps_labels: the perturbations under which the references stay right.
        skills: ``knowledge_extraction``, ``textual_reasoning``, ``numerical_reasoning``, each ``required``,
            ``partial`` or ``none``.
        notes: remarks of the card's author, including reasons for ``keeps_labels``.
        tags: as unitxt's cards have them: ``task_categories``, ``language`` ...
        unitxt: unitxt's own card of the same data, if there is one.
        spellings: other words for its labels, which the lenient score alone takes for them.
        demo_split: the split of the demonstrations; None for a card without any.
        path: the card's file.
        fingerprint: a hash of the file's content, not of its layout; without ``spellings``, which change no
            prompt and none of the publisher's scores.
    """

    name: str
    description: str
    licence: str
    metrics: tuple[str, ...]
    main_metric: str
    keeps_labels: tuple[str, ...]
    skills: Mapping[str, str] = field(hash=False)
    notes: tuple[str, ...]
    template: Template
    demo_split: str | None
    test_split: str
    path: Path = field(compare=False)
    fingerprint: str
    loader: CardRows = field(repr=False)
    reading: RowReading = field(repr=False)
    tags: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)
    unitxt: UnitxtCardRef | None = field(default=None, hash=False, repr=False)
    spellings: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False, repr=False)

    @property
    def dataset(self) -> str:
        """The data set's name: ``hctqa.real`` of ``cards.hctqa.real``."""
        return self.name.removeprefix("cards.")

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits' names."""
        return tuple(self.loader.splits)


def load_card(card: str | Path) -> Card:
    """Load a card by name (``cards.wikitq`` or ``wikitq``), or from a JSON file.

    ``cards.hctqa.real.census`` is the subset ``census`` that the file of ``cards.hctqa.real`` describes.

    Raises:
        UnknownNameError: no such card; the nearest names are given.
        CardError: the file cannot be read or is invalid: file, field, found, expected.
    """
    found = card_document(card)
    whole = read_card_file(found.content if found.whole is None else found.whole, found.where)
    if found.whole is None:
        return _card(whole, found, _fingerprint_of(found.content))
    # a hash of the whole's and the subset's name, as runs have recorded it
    fingerprint = _fingerprint(f"{_fingerprint_of(found.whole)} {found.name.rpartition('.')[2]}")
    return _card(read_card_file(found.content, found.where), found, fingerprint)


def _fingerprint_of(document: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in document.items() if key != "spellings"}
    return _fingerprint(json.dumps(kept, sort_keys=True, separators=(",", ":")))


def sources_of(loader: StructuralLoader, card: str) -> list[Card]:
    """The cards that a card takes its tables from.

    Raises:
        CardError: one of them takes its tables from other cards itself.
        UnknownNameError: no such card.
    """
    sources = [load_card(name) for name in loader.cards]
    for source in sources:
        if source.loader.type_ == "load_structural":
            raise CardError(
                f"{card}: loader.cards: {source.name} takes its tables from other cards; name those"
            )
    return sources


def _card(file: CardFile, document: CardDocument, fingerprint: str) -> Card:
    return Card(
        name=document.name,
        description=file.description,
        licence=file.licence,
        metrics=tuple(map(_bare, file.metrics)),
        main_metric=file.main_metric,
        keeps_labels=tuple(file.keeps_labels),
        skills=file.skills.model_dump(),
        notes=tuple(file.notes),
        template=_template(file.template),
        demo_split=file.demo_split,
        test_split=file.test_split,
        path=document.path,
        fingerprint=fingerprint,
        loader=file.loader,
        reading=file.reading,
        tags=file.tags,
        unitxt=file.unitxt,
        spellings=file.spellings,
    )


def _template(template: CardTemplate) -> Template:
    return Template(
        instruction=template.instruction,
        input_format=template.input_format,
        target_prefix=template.target_prefix,
        output_format=template.output_format or "{target}",
        postprocessors=tuple(template.postprocessors),
    )


def _bare(metric: str) -> str:
    return metric.removeprefix("metrics.").removeprefix("torr.")


def _fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_card_file(document: Any, where: str) -> CardFile:
    """Validate a card's JSON document.

    Args:
        document: of the card.
        where: what messages begin with.

    Raises:
        CardError: invalid fields: file, and of each of them field, found, expected.
    """
    try:
        return CardFile.model_validate_json(json.dumps(document))
    except RecursionError:
        raise CardError(f"{where}: not a card: lists or objects nested too deep") from None
    except ValidationError as error:
        found = listed(
            faults(error, CardFile, document), lambda fault: f"{fault.field or 'the card'}: {fault.message}"
        )
        raise CardError(f"{where}: {found}") from None


def with_metrics(card: Card, metrics: Sequence[str] | None) -> Card:
    """Replace a card's metrics; None keeps them.

    Names may start with ``metrics.`` or ``metrics.torr.``. The main score stays the same where one of the
    metrics gives it, and is else that of the first. The fingerprint changes, as the scores do. Whether the
    metrics exist is checked when answers are scored.
    """
    if metrics is None:
        return card
    named = tuple(name.removeprefix("metrics.").removeprefix("torr.") for name in metrics)
    given = [artifacts.added_metrics.get(f"metrics.torr.{name}", ()) for name in named]
    gives_main = any(faithful_name(card.main_metric) in names for names in given)
    main = card.main_metric if gives_main or not all(given) else given[0][0]
    fingerprint = _fingerprint(" ".join([card.fingerprint, *named]))
    return replace(card, metrics=named, main_metric=main, fingerprint=fingerprint)
