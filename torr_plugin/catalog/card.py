"""The card, a value read from one JSON file: what a data set is, how it is asked and rated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CardError, UnknownNameError, nearest
from ..tables import perturbations
from . import artifacts
from .folders import card_place, name_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from .schema import CardFile, LoadGenerated, LoadTables, ReadExample, TemplateOf, UnitxtTwin


@dataclass(frozen=True)
class Template:
    """How an example is asked.

    Attributes:
        instruction: what to do, written once before everything else.
        input_format: the example, with ``{table}`` and the inputs by name, as in :attr:`Example.fields`.
        target_prefix: the prompt's last line, which the answer continues.
        output_format: how a demonstration's answer is written.
        postprocessors: unitxt's names of what is done to answers before they are rated.
    """

    instruction: str
    input_format: str
    target_prefix: str
    output_format: str
    postprocessors: tuple[str, ...]


@dataclass(frozen=True)
class Card:
    """A data set: where it is from, how it is read, asked and rated.

    Attributes:
        name: e.g. ``cards.hctqa.real``; a card read from a path of one's own has that file's name.
        dataset: the name without ``cards.``.
        metrics: names without ``metrics.`` and ``metrics.torr.``.
        main_metric: the score (one of those that the metrics give) that stands for the data set.
        keeps_labels: the perturbations under which the references stay true.
        skills: ``knowledge_extraction``, ``textual_reasoning``, ``numerical_reasoning``, each ``required``,
            ``partial`` or ``none``.
        notes: remarks of whoever wrote the card, the reasons for ``keeps_labels`` among them.
        unitxt: unitxt's own card of the same data, where it has one.
        path: the card's file.
        fingerprint: changes whenever anything in the file does but its layout.
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
    demo_split: str
    test_split: str
    path: Path = field(compare=False)
    fingerprint: str
    loader: LoadTables | LoadGenerated = field(repr=False)
    reading: ReadExample = field(repr=False)
    unitxt: UnitxtTwin | None = field(default=None, hash=False, repr=False)

    @property
    def dataset(self) -> str:
        """The data set's name: ``hctqa.real`` of ``cards.hctqa.real``."""
        return self.name.removeprefix("cards.")

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits' names."""
        return tuple(self.loader.splits)


def load_card(card: str | Path) -> Card:
    """The card called ``cards.wikitq`` or ``wikitq``, or the one in a JSON file.

    ``cards.hctqa.real.census`` is the subset ``census`` that the file of ``cards.hctqa.real`` describes.

    Raises:
        UnknownNameError: no such card; the nearest names are given.
        CardError: the file cannot be read, or says something a card cannot say: file, field, found, expected.
    """
    path, subset = card_place(card)
    text = _text(path)
    file, name, fingerprint = _validated(text, path), name_of(path), _fingerprint(text)
    if not subset:
        return _card(file, name, path, fingerprint)
    if subset not in file.subsets:
        raise UnknownNameError("subset", subset, file.subsets, where=name)
    fingerprint = hashlib.sha256(f"{fingerprint} {subset}".encode()).hexdigest()[:16]
    return _card(file.subset(subset), f"{name}.{subset}", path, fingerprint)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CardError(f"{path}: the card cannot be read: {error}") from None


def _validated(text: str, path: Path) -> CardFile:
    from pydantic import ValidationError

    from .schema import CardFile

    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise CardError(
            f"{path}: line {error.lineno}: not JSON: {error.msg} at column {error.colno}"
        ) from None
    except RecursionError:
        raise CardError(f"{path}: not a card: lists or objects nested too deep") from None
    try:
        return CardFile.model_validate_json(text)
    except ValidationError as error:
        raise CardError(f"{path}: {_one_line(error.errors(include_url=False))}") from None


def _one_line(errors: list[ErrorDetails]) -> str:
    # an unknown key explains the missing one that it was meant to be, so it is said first
    error = min(errors, key=lambda each: each["type"] != "extra_forbidden")
    place = [str(part) for part in error["loc"]]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if error["type"] == "extra_forbidden":
        return f"{_field(place)}: unknown key {place[-1]!r}; {nearest(place[-1], _keys_beside(place))}{more}"
    if error["type"] == "missing":
        return f"{_field(place)}: missing{more}"
    found = "" if error["type"] == "value_error" else f", found {_clip(error['input'])}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{_field(place)}: {message}{found}{more}"


def _field(place: list[str]) -> str:
    return ".".join(part for part in place if part not in _TAGS) or "the card"


_TAGS = ("load_tables", "load_generated")


def _keys_beside(place: list[str]) -> list[str]:
    """The keys that are known where an unknown one stands."""
    from . import schema

    models: dict[str, type[Any]] = {
        "": schema.CardFile,
        "load_tables": schema.LoadTables,
        "load_generated": schema.LoadGenerated,
        "hub": schema.Hub,
        "preprocess_steps": schema.ReadExample,
        "templates": schema.TemplateOf,
        "table": schema.TableOf,
        "id": schema.ExampleId,
        "skills": schema.Skills,
        "unitxt": schema.UnitxtTwin,
        "mix": schema.Mix,
        "constants": schema.ConstantOf,
        "file": schema.HubFile,
        "subsets": schema.Subset,
    }
    named = [part for part in place[:-1] if part in models]
    inside_text = bool(set(place) & {"inputs", "references", "target", "groups", "facts", "carried_prompt"})
    if not named and "splits" in place:
        model: type[Any] = schema.Split
    else:
        model = (
            (schema.FactOf if "facts" in place else schema.TextOf)
            if inside_text
            else schema.Split
            if "splits" in place
            else models[named[-1] if named else ""]
        )
    return [each.alias or name for name, each in model.model_fields.items()]


def _clip(value: object, width: int = 80) -> str:
    shown = repr(value)
    return shown if len(shown) <= width else shown[: width - 3] + "..."


def _card(file: CardFile, name: str, path: Path, fingerprint: str) -> Card:
    _check_names(file, path)
    return Card(
        name=name,
        description=file.description,
        licence=file.licence,
        metrics=tuple(_bare(metric) for metric in artifacts.metrics_of(file, path)),
        main_metric=file.main_metric,
        keeps_labels=tuple(file.keeps_labels),
        skills=file.skills.model_dump(),
        notes=tuple(file.notes),
        template=_template(file.template),
        demo_split=file.demo_split,
        test_split=file.test_split,
        path=path,
        fingerprint=fingerprint,
        loader=file.loader,
        reading=file.reading,
        unitxt=file.unitxt,
    )


def _check_names(file: CardFile, path: Path) -> None:
    """Everything that a card refers to by name is there."""
    from .generated import generator_names
    from .reading import reader_names

    def check(kind: str, name: str, known: list[str], where: str) -> None:
        if name not in known:
            raise CardError(str(UnknownNameError(kind, name, known, where=f"{path}: {where}")))

    for index, name in enumerate(file.keeps_labels):
        check("perturbation", name, perturbations.names(), f"keeps_labels.{index}")
    if file.reading.table.reader is not None:
        check("reader", file.reading.table.reader, reader_names(), "preprocess_steps.0.table.reader")
    if file.loader.type_ == "load_generated":
        check("generator", file.loader.generator, generator_names(), "loader.generator")
    for name, constant in file.reading.constants.items():
        if artifacts.unitxt_file(constant.unitxt) is None:
            raise CardError(
                f"{path}: preprocess_steps.0.constants.{name}.unitxt: unitxt has no {constant.unitxt!r}; "
                "expected an artifact of its catalog"
            )
    check("task", file.task_name, artifacts.names("tasks"), "task")
    artifacts.check_template(file, path)


def _template(template: TemplateOf) -> Template:
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
    canonical = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
