"""unitxt's output folder as results: ``*_samples.json`` of its command, or instance scores saved as JSON.

A sample is an instance with its prediction and scores, and the fields of its task among them, as unitxt
1.26 writes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from ...core.errors import InputError
from ...prompts import Prompt
from ...recipes import ModelEntry
from ..record import FIELD, RequestRecord, read_record
from ..unitxt.instances import prompt_of
from .json_files import HarnessModel, Text, Texts, checked, files_below, no_results, number, parsed, read_json
from .names import DatasetConfig, arguments_of, dataset_config, digest, plain_name
from .results import HarnessOutput, Result, ResultBatch, ResultFile, distinct_models, model_entry

_PACKAGES = ("unitxt", "transformers", "torch", "vllm", "datasets")
_ENGINES = {"hf": "hf"}
_SAMPLES = re.compile(r"(?:(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)_)?.+_samples\.json")
_DATED = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d_.+\.json")
_WHAT = "a folder that unitxt-evaluate wrote with --output_path and --log_samples"
_NESTED = ("task_data", "score")


class _Environment(HarnessModel):
    parsed_arguments: dict[Any, Any] | None = None
    installed_packages: Any = None
    unitxt_version: Any = None


class _File(HarnessModel):
    """``*_samples.json``: samples by recipe."""

    samples: dict[Any, list[Any]]
    environment_info: _Environment | None = None


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


@dataclass(frozen=True, slots=True)
class UnitxtRun:
    """A file of samples: the model, and the recipes by name.

    ``counts`` is recipe -> how many samples.
    """

    path: Path
    entry: ModelEntry
    counts: Mapping[str, int]
    versions: Mapping[str, str]
    templated: bool
    tasks: str = ""

    def named(self, recipe: str) -> str:
        """The recipe's whole name: of a single task unitxt writes what comes after the data set alone."""
        whole = recipe.startswith("recipes.") or self.tasks in {"", recipe}
        return recipe if whole else f"{self.tasks}.{recipe}"


def unitxt_source(path: Path) -> HarnessOutput:
    """The runs of unitxt's command in a folder; of a recipe that a model was asked several times the newest.

    Raises:
        InputError: no samples, or files that are not what unitxt 1.26 writes.
    """
    read = [_read_run(each) for each in sample_files(path)]
    entries = distinct_models([run.entry for run in read])
    runs = [replace(run, entry=entry) for run, entry in zip(read, entries, strict=True)]
    newest: dict[tuple[str, str], UnitxtRun] = {}
    notes = []
    for run in runs:  # the oldest first
        for recipe in run.counts:
            name = run.named(recipe)
            if (run.entry.label, name) in newest:
                notes.append(f"{name}: several runs of {run.entry.label}; the newest counts, {run.path.name}")
            newest[run.entry.label, name] = run
    # a file is read once, whatever number of recipes it holds
    chosen = [
        (run, [recipe for recipe in run.counts if newest[run.entry.label, run.named(recipe)] is run])
        for run in runs
    ]
    pieces = [
        ResultFile(run.path.name, run.entry, partial(_read, run, recipes))
        for run, recipes in chosen
        if recipes
    ]
    versions = {name: text for run in runs for name, text in run.versions.items()}
    return HarnessOutput(
        harness="unitxt",
        path=path,
        pieces=tuple(pieces),
        versions=versions,
        notes=tuple(dict.fromkeys(notes)),
    )


def _read_run(path: Path) -> UnitxtRun:
    file = _contents(path)
    environment = file.environment_info or _Environment()
    given = environment.parsed_arguments or {}
    return UnitxtRun(
        path=path,
        entry=_entry(given, path),
        counts={recipe: len(samples) for recipe, samples in file.samples.items()},
        versions=_versions(environment),
        templated=given.get("apply_chat_template") is True,
        tasks=_tasks(given.get("tasks")),
    )


def _tasks(given: object) -> str:
    return "+".join(map(str, given)) if isinstance(given, list) else str(given or "")


def _contents(path: Path) -> _File:
    found = read_json(path)
    if isinstance(found, list):  # instance scores, saved by hand
        return _File(samples={path.name.removesuffix("_samples.json"): found})
    return checked(_File, found, str(path), "unitxt-evaluate 1.26 writes it with --log_samples")


def _read(run: UnitxtRun, recipes: Sequence[str]) -> ResultBatch:
    samples = _contents(run.path).samples
    found = list[Result]()
    for recipe in recipes:
        for subset, part in _subsets(recipe, samples[recipe]).items():
            where = f"{run.path}: {subset}"
            found += read_samples(part, _named(subset, where), where, templated=run.templated)
    return ResultBatch(found)


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


def _entry(given: Mapping[str, Any], path: Path) -> ModelEntry:
    kind = given.get("model")
    name = kind if isinstance(kind, str) and kind else plain_name(path.name.removesuffix("_samples.json"))
    args = given.get("model_args")
    where = f"{path}: parsed_arguments"
    if name.startswith("torr-") or name in _ENGINES:
        kept: Any = args if isinstance(args, (dict, str)) else {}
        return model_entry(where, model=_ENGINES.get(name, name), args=kept)
    return model_entry(where, model="unitxt", args={"model": name}, name=name)


def _versions(environment: _Environment) -> dict[str, str]:
    packages = environment.installed_packages
    installed = packages if isinstance(packages, dict) else {}
    found = {name: installed[name] for name in _PACKAGES if isinstance(installed.get(name), str)}
    version = environment.unitxt_version
    return {**found, **({"unitxt": version} if isinstance(version, str) else {})}


def sample_files(path: Path) -> list[Path]:
    """The files of samples in a folder and those below it, the oldest first by the date in their names.

    Raises:
        InputError: there are none.
    """
    files = [path] if path.is_file() and path.suffix == ".json" else files_below(path, ".json")
    found = [(match["date"] or "", each) for each in files if (match := _SAMPLES.fullmatch(each.name))]
    if found:
        return [each for _, each in sorted(found)]
    dated = next((each for each in files if _DATED.fullmatch(each.name)), None)
    if dated is not None:
        raise InputError(f"{dated}: has no samples beside it, only means; run it again with --log_samples")
    raise no_results(path, "unitxt", _WHAT)


def read_samples(
    samples: Sequence[object], asked: DatasetConfig, where: str, *, templated: bool
) -> Iterator[Result]:
    """The results of one recipe, with unitxt's own scores of those that are ours.

    Args:
        samples: as unitxt wrote them.
        asked: data set and configuration of a foreign recipe.
        where: the file and the recipe, for messages.
        templated: whether prompts went through a chat template, which differs between models.

    Raises:
        InputError: a sample is not what unitxt 1.26 writes.
    """
    for place, value in enumerate(samples):
        at = f"{where}: sample {place}"
        sample = checked(_UnitxtSample, _flat(value, at), at, "unitxt 1.26 writes it")
        record = _record(sample, at)
        if record is None:
            yield _foreign(sample, asked, place, at, templated=templated)
        else:
            yield Result.of_record(
                record,
                score=number(sample.score),
                prompt=sample.prompt(at),
                answer=sample.answer(),
                where=at,
            )


def _flat(sample: object, where: str) -> object:
    """Flatten a sample as unitxt's command writes it; saved by hand, its fields are nested."""
    if not isinstance(sample, dict):
        return sample
    found = dict(sample)
    for name in _NESTED:
        inner = found.get(name)
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            inner = parsed(inner, f"{where}: {name}")
        if isinstance(inner, dict):
            inner = inner.get("instance", inner) if name == "score" else inner
            found = {**inner, **{key: value for key, value in found.items() if key != name}} | (
                {"score": inner.get("score")} if name == "score" else {}
            )
    return found


def _record(sample: _UnitxtSample, where: str) -> RequestRecord | None:
    found = parsed(sample.torr, f"{where}: {FIELD}") if isinstance(sample.torr, str) else sample.torr
    return None if found is None else read_record(found, where)


def _foreign(
    sample: _UnitxtSample, asked: DatasetConfig, place: int, where: str, *, templated: bool
) -> Result:
    prompt = sample.prompt(where)
    return Result(
        dataset=asked.dataset,
        # unitxt gives instances no id; the order of a split is the recipe's, whatever serializer or augmentor
        example=str(place),
        config=asked.config,
        prompt=prompt,
        references=sample.references,
        answer=sample.answer(),
        where=where,
        scores=_scores(sample),
        main=sample.score_name,
        same="" if templated else digest(*(message.content for message in prompt)),
    )


def _scores(sample: _UnitxtSample) -> dict[str, float]:
    """Numbers that may be scores: the main one, and those in [0, 1]; a task's own numbers may be anything."""
    found = {name: number(value) for name, value in (sample.model_extra or {}).items()}
    return {
        name: value
        for name, value in found.items()
        if value is not None and (name == sample.score_name or 0 <= value <= 1)
    }
