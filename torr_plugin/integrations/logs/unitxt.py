"""Logs of unitxt 1.26: ``*_samples.json`` of its command.

A sample is an instance with its prediction and scores, and the fields of its task among them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from ...core.errors import InputError
from ...core.validation import validate
from ...recipes import ModelEntry
from ..record import read_record
from ..unitxt.instances import prompt_of
from .files import HarnessModel, Text, at, folders_below, number, read_json
from .log import Log, LogFile, LogReader, OwnScore, Result, model_entry
from .names import DatasetConfig, arguments_of, dataset_config, digest, plain_name

BY_UNITXT = "by unitxt's engine"
"""How a model was asked without ``--apply_chat_template``: engines of servers make one user message of it."""

_SAMPLES = re.compile(r"(?:(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)_)?.+_samples\.json")


# -- the file's records ----------------------------------------------------------------------------------


class _File(HarnessModel):
    """``*_samples.json``: samples by recipe, and the options of unitxt-evaluate."""

    samples: dict[str, list[Any]]
    model: Text = at("environment_info", "parsed_arguments", "model")
    args: dict[str, Any] | str | None = at("environment_info", "parsed_arguments", "model_args", default=None)
    tasks: list[Text] = at("environment_info", "parsed_arguments", "tasks", default=[])
    chat: bool = at("environment_info", "parsed_arguments", "apply_chat_template", default=False)
    version: Text | None = at("environment_info", "unitxt_version", default=None)

    def entry(self, where: str) -> ModelEntry:
        """The model; ``hf`` and our own by lm-eval's names."""
        args, chat = self.args or {}, self.chat or None
        if self.model == "hf" or self.model.startswith("torr-"):
            return model_entry(where, model=self.model, args=args, chat=chat if self.model == "hf" else None)
        return model_entry(where, model="unitxt", args={"model": self.model}, name=self.model, chat=chat)

    def recipe(self, name: str) -> str:
        """A recipe's whole name: of a single task unitxt writes what comes after the data set alone."""
        tasks = "+".join(self.tasks)
        return name if name.startswith("recipes.") or tasks in {"", name} else f"{tasks}.{name}"


class _LoggedInstance(HarnessModel):
    """An instance with its prediction; its scores and its task's fields stand beside these."""

    model_config = ConfigDict(extra="allow")

    source: Text | list[Any]
    prediction: Any
    references: list[Any] = at("references", default=[])
    score_name: Text | None = None
    score: Any = None
    subset: list[Any] = at("subset", default=[])
    torr: Any = None

    def scores(self) -> dict[str, float]:
        """Numbers that may be scores: the main one, and those in [0, 1]; a task's own may be anything."""
        found = {name: number(value) for name, value in (self.model_extra or {}).items()}
        return {
            name: value
            for name, value in found.items()
            if value is not None and (name == self.score_name or 0 <= value <= 1)
        }


# -- the folder ------------------------------------------------------------------------------------------


def _log(path: Path) -> Log:
    """The runs below a folder; of a recipe that a model was asked several times the newest."""
    paths = (folder / name for folder, names in folders_below(path) for name in names)
    dated = ((match["date"] or "", each) for each in paths if (match := _SAMPLES.fullmatch(each.name)))
    heads = {each: _head(each) for _, each in sorted(dated)}  # the oldest first
    entries = {file: head.entry(str(file)) for file, head in heads.items()}
    newest, notes = dict[tuple[str, str], tuple[Path, str]](), list[str]()
    for file, head in heads.items():
        for recipe in head.samples:
            of = (entries[file].digest, name := head.recipe(recipe))
            if of in newest:
                notes.append(f"{name}: several runs of {entries[file].label}; the newest counts, {file.name}")
            newest[of] = (file, recipe)
    files = []
    for file, entry in entries.items():
        counts = [recipe for where, recipe in newest.values() if where == file]
        if counts:  # read once, whatever number of recipes it holds
            chat = None if entry.chat or entry.model.startswith("torr-") else BY_UNITXT
            files.append(LogFile(file.name, entry, partial(_results, file, counts), chat))
    version = next(reversed(heads.values())).version
    return Log(UNITXT.name, path, tuple(files), version, notes=tuple(dict.fromkeys(notes)))


def _head(path: Path) -> _File:
    """A file without its samples: all of them do not fit into memory."""
    file = read_json(path, _File)
    return file.model_copy(update={"samples": dict.fromkeys(file.samples)})


# -- a file of samples -----------------------------------------------------------------------------------


def _results(path: Path, recipes: Sequence[str]) -> Sequence[Result]:
    file = read_json(path, _File)
    found, places = list[Result](), Counter[str]()
    for recipe in recipes:
        for value in file.samples[recipe]:
            sample = validate(_LoggedInstance, value, f"{path}: {recipe}: sample {len(found)}")
            # a part of a benchmark is a recipe of its own
            name = ".".join([recipe, *map(str, sample.subset[1:])])
            where = f"{path}: {name}: sample {places[name]}"
            found.append(_result(sample, name, places[name], where, templated=file.chat))
            places[name] += 1
    return found


@lru_cache(maxsize=1024)
def _asks(recipe: str) -> DatasetConfig:
    """What a recipe's name or ``card=...,serializer=...`` asks; our own go by their records instead."""
    arguments = arguments_of(recipe)
    return dataset_config(
        arguments if arguments.keys() & {"recipe", "card"} else {"recipe": plain_name(recipe)}, recipe
    )


def _result(sample: _LoggedInstance, recipe: str, place: int, where: str, *, templated: bool) -> Result:
    """A sample's result, with unitxt's own score if it is ours."""
    try:
        prompt = prompt_of(sample.source)
    except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{where}: source: expected a text or messages: {error}") from None
    answer = _text(sample.prediction)
    if sample.torr is not None:
        record, score = read_record(sample.torr, where), number(sample.score)
        claims = () if score is None else (OwnScore((record.config,), score),)
        return Result.of_record(record, answer=answer, prompt=prompt, where=where, claims=claims)
    asked = _asks(recipe)
    return Result(
        dataset=asked.dataset,
        # unitxt gives instances no id; the order of a split is the recipe's, whatever serializer or augmentor
        example=str(place),
        config=asked.config,
        prompt=prompt,
        references=tuple(map(_text, sample.references)),
        answer=answer,
        where=where,
        scores=sample.scores(),
        main=sample.score_name,
        same="" if templated else digest(*(message.content for message in prompt)),
    )


def _text(value: object) -> str:
    """A text; as JSON if unitxt has something else, such as a list."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


UNITXT = LogReader(
    "unitxt",
    "a folder that unitxt-evaluate wrote with --output_path and --log_samples",
    _SAMPLES,
    _log,
)
"""Reads what unitxt-evaluate's ``--output_path`` named, or a folder above several."""
