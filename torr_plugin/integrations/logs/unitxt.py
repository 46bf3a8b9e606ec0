"""Logs of unitxt 1.26: ``*_samples.json`` of its command.

A sample is an instance with its prediction and scores, and the fields of its task among them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from ...core.errors import InputError
from ...prompts import Prompt
from ...recipes import ModelEntry
from ..record import read_record
from ..unitxt.instances import prompt_of
from .files import HarnessModel, Text, Texts, checked, files_below, names_below, number, read_json
from .log import FileResults, Log, LogFile, OwnScore, Result, distinct_models, model_entry
from .names import DatasetConfig, arguments_of, dataset_config, digest, plain_name

BY_UNITXT = "by unitxt's engine"
"""How a model was asked without ``--apply_chat_template``: engines of servers make one user message of it."""

_PACKAGES = ("unitxt", "transformers", "torch", "vllm", "datasets")
_SAMPLES = re.compile(r"(?:(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)_)?.+_samples\.json")
_DATED = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d_.+\.json")


# -- the file's records ----------------------------------------------------------------------------------


class _Arguments(HarnessModel):
    """The options of unitxt-evaluate."""

    model: Text
    model_args: Any = None
    tasks: Any = None
    apply_chat_template: Any = None


class _Environment(HarnessModel):
    parsed_arguments: _Arguments
    installed_packages: Any = None
    unitxt_version: Any = None

    @property
    def templated(self) -> bool:
        """Whether prompts went through a chat template, which differs between models."""
        return self.parsed_arguments.apply_chat_template is True

    def versions(self) -> dict[str, str]:
        """Of unitxt and of packages beside it."""
        installed = self.installed_packages if isinstance(self.installed_packages, dict) else {}
        found = {name: installed.get(name) for name in _PACKAGES} | {"unitxt": self.unitxt_version}
        return {name: version for name, version in found.items() if isinstance(version, str)}


class _File(HarnessModel):
    """``*_samples.json``: samples by recipe."""

    samples: dict[Any, list[Any]]
    environment_info: _Environment


class _UnitxtSample(HarnessModel):
    """An instance with its prediction; its scores and its task's fields stand beside these."""

    model_config = ConfigDict(extra="allow")

    source: Any = None
    prediction: Any
    references: Texts = ()
    score_name: Text | None = None
    score: Any = None
    torr: Any = None

    def prompt(self, where: str) -> Prompt:
        """What was sent."""
        if not isinstance(self.source, (str, list)) or not self.source:
            raise InputError(f"{where}: source: found {self.source!r:.60}; expected a text or messages")
        try:
            return prompt_of(self.source)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"{where}: source: {type(error).__name__}: expected a text or messages"
            ) from None

    def answer(self) -> str:
        """The prediction; as JSON if unitxt turned it into something else than text, such as a list."""
        found = self.prediction
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)

    def scores(self) -> dict[str, float]:
        """Numbers that may be scores: the main one, and those in [0, 1]; a task's own may be anything."""
        found = {name: number(value) for name, value in (self.model_extra or {}).items()}
        return {
            name: value
            for name, value in found.items()
            if value is not None and (name == self.score_name or 0 <= value <= 1)
        }


# -- the folder ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _SamplesFile:
    """A file of samples: the model, the names of its recipes, and what unitxt says of the run."""

    path: Path
    entry: ModelEntry
    recipes: tuple[str, ...]
    environment: _Environment

    def named(self, recipe: str) -> str:
        """The recipe's whole name: of a single task unitxt writes what comes after the data set alone."""
        found = self.environment.parsed_arguments.tasks
        tasks = "+".join(map(str, found)) if isinstance(found, list) else str(found or "")
        whole = recipe.startswith("recipes.") or tasks in {"", recipe}
        return recipe if whole else f"{tasks}.{recipe}"


class UnitxtLogs:
    """Reads what unitxt-evaluate's ``--output_path`` named, or a folder above several."""

    name = "unitxt"
    expected = "a folder that unitxt-evaluate wrote with --output_path and --log_samples"

    def recognises(self, path: Path) -> bool:
        """Whether there are files of samples."""
        return any(name.endswith("_samples.json") for name in names_below(path))

    def read(self, path: Path) -> Log:
        """The runs below a folder; of a recipe that a model was asked several times the newest.

        Raises:
            InputError: means without samples, or files that are not what unitxt 1.26 writes.
        """
        read = [_sample_file(each) for each in _sample_paths(path)]
        entries = distinct_models([each.entry for each in read])
        there = [replace(each, entry=entry) for each, entry in zip(read, entries, strict=True)]
        newest: dict[tuple[str, str], _SamplesFile] = {}
        notes = []
        for each in there:  # the oldest first
            label = each.entry.label
            for name in map(each.named, each.recipes):
                if (label, name) in newest:
                    notes.append(f"{name}: several runs of {label}; the newest counts, {each.path.name}")
                newest[label, name] = each
        files = []
        for each in there:  # read once, whatever number of recipes it holds
            counts = [name for name in each.recipes if newest[each.entry.label, each.named(name)] is each]
            if counts:
                chat = None if each.entry.chat or each.entry.model.startswith("torr-") else BY_UNITXT
                files.append(LogFile(each.path.name, each.entry, partial(_results, each, counts), chat))
        return Log(
            harness=self.name,
            path=path,
            files=tuple(files),
            versions={name: text for each in there for name, text in each.environment.versions().items()},
            notes=tuple(dict.fromkeys(notes)),
        )


def _sample_paths(path: Path) -> list[Path]:
    """The files of samples, the oldest first by the date in their names."""
    files = files_below(path, ".json")
    found = [(match["date"] or "", each) for each in files if (match := _SAMPLES.fullmatch(each.name))]
    dated = next((each for each in files if _DATED.fullmatch(each.name)), None)
    if dated is not None and not found:
        raise InputError(f"{dated}: has no samples beside it, only means; run it again with --log_samples")
    return [each for _, each in sorted(found)]


def _sample_file(path: Path) -> _SamplesFile:
    file = _contents(path)
    return _SamplesFile(path, _entry(file.environment_info, path), tuple(file.samples), file.environment_info)


def _contents(path: Path) -> _File:
    return checked(_File, read_json(path), str(path), "unitxt-evaluate 1.26 writes it with --log_samples")


def _entry(environment: _Environment, path: Path) -> ModelEntry:
    name, args = environment.parsed_arguments.model, environment.parsed_arguments.model_args
    where = f"{path}: parsed_arguments"
    kept: Any = args if isinstance(args, (dict, str)) else {}
    if name.startswith("torr-"):
        return model_entry(where, model=name, args=kept)
    chat = environment.templated or None
    if name == "hf":
        return model_entry(where, model=name, args=kept, chat=chat)
    return model_entry(where, model="unitxt", args={"model": name}, name=name, chat=chat)


# -- a file of samples -----------------------------------------------------------------------------------


def _results(file: _SamplesFile, recipes: Sequence[str]) -> FileResults:
    samples, templated = _contents(file.path).samples, file.environment.templated
    found = list[Result]()
    for recipe in recipes:
        for subset, part in _subsets(recipe, samples[recipe]).items():
            where = f"{file.path}: {subset}"
            asked = _named(subset, where)
            found += [
                _result(each, place, asked, f"{where}: sample {place}", templated=templated)
                for place, each in enumerate(part)
            ]
    return FileResults(found)


def _subsets(recipe: str, samples: Sequence[object]) -> dict[str, list[object]]:
    """Group samples by their part of a benchmark; a single recipe is one part."""
    found: dict[str, list[object]] = {}
    for sample in samples:
        subset = sample.get("subset") if isinstance(sample, dict) else None
        inner = [str(each) for each in subset[1:]] if isinstance(subset, list) else []
        found.setdefault(".".join([recipe, *inner]), []).append(sample)
    return found


def _named(recipe: str, where: str) -> DatasetConfig:
    """Read a recipe's name or ``card=...,serializer=...``; our own recipes go by their records instead."""
    arguments = arguments_of(recipe)
    return dataset_config(
        arguments if arguments.keys() & {"recipe", "card"} else {"recipe": plain_name(recipe)}, where
    )


def _result(value: object, place: int, asked: DatasetConfig, where: str, *, templated: bool) -> Result:
    """A sample's result, with unitxt's own score if it is ours; ``asked`` is what a foreign recipe asks."""
    sample = checked(_UnitxtSample, value, where, "unitxt 1.26 writes it")
    prompt = sample.prompt(where)
    if sample.torr is not None:
        record, score = read_record(sample.torr, where), number(sample.score)
        claims = () if score is None else (OwnScore((record.config,), score),)
        return Result.of_record(record, answer=sample.answer(), prompt=prompt, where=where, claims=claims)
    return Result(
        dataset=asked.dataset,
        # unitxt gives instances no id; the order of a split is the recipe's, whatever serializer or augmentor
        example=str(place),
        config=asked.config,
        prompt=prompt,
        references=sample.references,
        answer=sample.answer(),
        where=where,
        scores=sample.scores(),
        main=sample.score_name,
        same="" if templated else digest(*(message.content for message in prompt)),
    )
