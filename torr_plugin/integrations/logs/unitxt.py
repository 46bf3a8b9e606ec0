"""Logs of unitxt 1.26: ``*_samples.json`` of its command, for their answers and for their scores.

A sample is an instance with its prediction and scores, and the fields of its task among them.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ConfigDict

from ...core.errors import InputError
from ...core.validation import validate
from ...recipes import ModelEntry
from ...recipes.model_entries import labelled
from ..record import read_record
from ..unitxt.instances import prompt_of
from .board import BoardScores, joined, stacked
from .files import DATE, HarnessModel, Text, at, number, read_json
from .frames import ItemTable
from .log import Log, LogFile, LogReader, OwnScore, Result, model_entry, newest_runs
from .names import DatasetConfig, arguments_of, dataset_config, digest, plain_name

BY_UNITXT = "by unitxt's engine"
"""How a model was asked without ``--apply_chat_template``: engines of servers make one user message of it."""

_SAMPLES = re.compile(rf"(?:(?P<date>{DATE})_)?.+_samples\.json")


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


class _Run(NamedTuple):
    """A file without its samples: all of them do not fit into memory.

    Attributes:
        path: of the file.
        head: what it says of its run.
        entry: the model.
        recipes: those in it that count; of one that a model was asked several times the newest.
    """

    path: Path
    head: _File
    entry: ModelEntry
    recipes: list[str]


def _runs(path: Path) -> tuple[list[_Run], list[str]]:
    """The files in a folder, the oldest first, each under a label of its model's own; and what was chosen."""
    matches = ((_SAMPLES.fullmatch(file.name), file) for file in UNITXT.files(path))
    runs = list[_Run]()
    for _, file in sorted(((match and match["date"]) or "", file) for match, file in matches):
        head = read_json(file, _File)
        head = head.model_copy(update={"samples": dict.fromkeys(head.samples)})
        runs.append(_Run(file, head, head.entry(str(file)), []))
    newest, notes = newest_runs(
        [(place, recipe) for place, run in enumerate(runs) for recipe in run.head.samples],
        of=lambda each: (runs[each[0]].entry.digest, runs[each[0]].head.recipe(each[1])),
        when=lambda each: each[0],
        said=lambda each: (
            runs[each[0]].head.recipe(each[1]),
            runs[each[0]].entry.label,
            runs[each[0]].path.name,
        ),
    )
    for place, recipe in newest:
        runs[place].recipes.append(recipe)
    return runs, notes


def _log(path: Path) -> Log:
    runs, notes = _runs(path)
    files = [
        LogFile(
            run.path.name,
            run.entry,
            partial(_results, run),
            None if run.entry.chat or run.entry.model.startswith("torr-") else BY_UNITXT,
        )
        for run in runs
        if run.recipes
    ]
    return Log(tuple(files), runs[-1].head.version, tuple(notes))


def _holds(path: Path, head: bytes) -> bool:
    return _SAMPLES.fullmatch(path.name) is not None and head.lstrip()[:1] == b"{"


# -- a file of samples -----------------------------------------------------------------------------------


class _PlacedSample(NamedTuple):
    """A sample with its recipe and its place in it."""

    sample: _LoggedInstance
    recipe: str
    at: int
    where: str


def _samples(run: _Run) -> Iterator[_PlacedSample]:
    samples, places, count = read_json(run.path, _File).samples, Counter[str](), 0
    for recipe in run.recipes:
        for value in samples[recipe]:
            sample = validate(_LoggedInstance, value, f"{run.path}: {recipe}: sample {count}")
            # a part of a benchmark is a recipe of its own
            name = ".".join([recipe, *map(str, sample.subset[1:])])
            yield _PlacedSample(sample, name, places[name], f"{run.path}: {name}: sample {places[name]}")
            places[name] += 1
            count += 1


def _results(run: _Run) -> Sequence[Result]:
    return [_result(*each, templated=run.head.chat) for each in _samples(run)]


def _scores(path: Path) -> BoardScores:
    """The scores in files of samples, an instance's place in its split being its id."""
    runs, notes = _runs(path)
    different = {run.entry.digest: run.entry for run in runs}
    labels = dict(zip(different, labelled(list(different.values())), strict=True))
    parts = (_of_file(run, labels[run.entry.digest].label) for run in runs if run.recipes)
    return joined([BoardScores(notes=tuple(notes)), *parts])


def _of_file(run: _Run, model: str) -> BoardScores:
    tables, main = defaultdict[DatasetConfig, ItemTable](ItemTable), dict[str, str]()
    for sample, recipe, at_, where in _samples(run):
        if sample.torr is not None:
            record = read_record(sample.torr, where)
            asked, item, same = DatasetConfig(record.dataset, record.config), record.example, record.key
        else:
            asked, item = _asks(recipe), str(at_)
            source = "" if run.head.chat else _text(sample.source)
            same = digest(source, *map(_text, sample.references))
        name = sample.score_name
        if name is not None and main.setdefault(asked.dataset, name) != name:
            raise InputError(
                f"{where}: score_name: found {name!r}; expected {main[asked.dataset]!r} as before"
            )
        scores: dict[str, float | None] = {} if name is None else {name: number(sample.score)}
        tables[asked].add(item, scores | sample.scores(), same=same)
    items = stacked(table.frame(model, *asked) for asked, table in tables.items())
    return BoardScores(items=items, main=main)


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
    scores=_scores,
    holds=_holds,
    log=_log,
)
"""Reads what unitxt-evaluate's ``--output_path`` named, or a folder above several."""
