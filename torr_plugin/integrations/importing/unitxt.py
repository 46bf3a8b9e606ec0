"""unitxt's output folder as results.

MERGED: unitxt's files of samples in a folder.
MERGED: unitxt's samples: its instances with predictions and scores, the fields of the task among them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from ..record import FIELD, RequestRecord, read_record
from .json_files import expected, field, files_below, number, optional, read_json, texts
from .names import DatasetConfig, arguments_of, dataset_config, digest, plain_name
from .results import (
    HarnessOutput,
    HarnessScore,
    Result,
    ResultBatch,
    ResultFile,
    distinct_models,
    model_entry,
)

if TYPE_CHECKING:
    from ...prompts.message import Prompt
    from ...recipes import ModelEntry

_PACKAGES = ("unitxt", "transformers", "torch", "vllm", "datasets")
_ENGINES = {"hf": "hf"}


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
    read = [_read_run(each.path) for each in sample_files(path)]
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
        version=versions.get("unitxt"),
        settings={"versions": versions},
        notes=tuple(dict.fromkeys(notes)),
    )


def _read_run(path: Path) -> UnitxtRun:
    said = _contents(path)
    environment = optional(said, "environment_info", dict, str(path)) or {}
    given = optional(environment, "parsed_arguments", dict, f"{path}: environment_info") or {}
    return UnitxtRun(
        path=path,
        entry=_entry(given, path),
        counts={recipe: len(samples) for recipe, samples in _samples(said, path)},
        versions=_versions(environment),
        templated=given.get("apply_chat_template") is True,
        tasks=_tasks(given.get("tasks")),
    )


def _tasks(given: object) -> str:
    return "+".join(map(str, given)) if isinstance(given, list) else str(given or "")


def _contents(path: Path) -> dict[str, Any]:
    said = read_json(path, object)
    if isinstance(said, list):  # instance scores, saved by hand
        return {"samples": {path.name.removesuffix("_samples.json"): said}}
    if not isinstance(said, dict):
        raise InputError(f"{path}: found {type(said).__name__}; expected an object with 'samples'")
    return said


def _samples(said: Mapping[str, Any], path: Path) -> Iterator[tuple[str, Sequence[object]]]:
    found = field(said, "samples", dict, str(path), "unitxt-evaluate 1.26 writes it with --log_samples")
    for recipe, samples in found.items():
        if not isinstance(samples, list):
            raise InputError(f"{path}: samples: {recipe}: found {type(samples).__name__}; expected a list")
        yield recipe, samples


def _read(run: UnitxtRun, recipes: Sequence[str]) -> ResultBatch:
    samples = dict(_samples(_contents(run.path), run.path))
    found = [
        each
        for recipe in recipes
        for subset, part in _subsets(recipe, samples[recipe]).items()
        for each in _read_subset(run, subset, part)
    ]
    claims = tuple(claim for _, claim in found if claim is not None)
    return ResultBatch(run.entry.label, tuple(result for result, _ in found), claims)


def _read_subset(
    run: UnitxtRun, subset: str, samples: Sequence[object]
) -> Iterator[tuple[Result, HarnessScore | None]]:
    where = f"{run.path}: {subset}"
    return read_samples(samples, _named(subset, where), where, templated=run.templated)


def _subsets(recipe: str, samples: Sequence[object]) -> dict[str, list[object]]:
    """The samples by the part of a benchmark that they are of; of a recipe alone there is one part."""
    found: dict[str, list[object]] = {}
    for sample in samples:
        subset = sample.get("subset") if isinstance(sample, dict) else None
        inner = [str(each) for each in subset[1:]] if isinstance(subset, list) else []
        found.setdefault(".".join([recipe, *inner]), []).append(sample)
    return found


def _named(recipe: str, where: str) -> DatasetConfig:
    """Of a recipe's name or its ``card=...,serializer=...``; ours are named by their records instead."""
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


def _versions(environment: Mapping[str, Any]) -> dict[str, str]:
    packages = environment.get("installed_packages")
    installed = packages if isinstance(packages, dict) else {}
    found = {name: installed[name] for name in _PACKAGES if isinstance(installed.get(name), str)}
    version = environment.get("unitxt_version")
    return {**found, **({"unitxt": version} if isinstance(version, str) else {})}


_SAMPLES = re.compile(r"(?:(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)_)?.+_samples\.json")
_DATED = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d_.+\.json")
_WHAT = "a folder that unitxt-evaluate wrote with --output_path and --log_samples"


@dataclass(frozen=True, slots=True)
class UnitxtSampleFile:
    """A file of samples; ``date`` is when, empty where the name does not say."""

    path: Path
    date: str


def sample_files(path: Path) -> list[UnitxtSampleFile]:
    """The files of samples in a folder and those below it, the oldest first.

    Raises:
        InputError: there are none.
    """
    files = [path] if path.is_file() and path.suffix == ".json" else files_below(path, ".json")
    found = [
        UnitxtSampleFile(each, match["date"] or "")
        for each in files
        if (match := _SAMPLES.fullmatch(each.name))
    ]
    if found:
        return sorted(found, key=lambda each: (each.date, each.path))
    dated = next((each for each in files if _DATED.fullmatch(each.name)), None)
    if dated is not None:
        raise InputError(f"{dated}: has no samples beside it, only means; run it again with --log_samples")
    raise InputError(expected(path, "unitxt", _WHAT))


_NESTED = ("task_data", "score")
_MOST_NESTED = 16 << 20


def read_samples(
    samples: Sequence[object], asked: DatasetConfig, where: str, *, templated: bool
) -> Iterator[tuple[Result, HarnessScore | None]]:
    """The results of one recipe, and what unitxt said of those that are ours.

    Args:
        samples: as unitxt wrote them.
        asked: data set and configuration of a foreign recipe.
        where: the file and the recipe, for messages.
        templated: whether prompts went through a chat template, which each model has of its own.

    Raises:
        InputError: a sample is not what unitxt 1.26 writes.
    """
    for place, sample in enumerate(samples):
        at = f"{where}: sample {place}"
        if not isinstance(sample, dict):
            raise InputError(f"{at}: found {type(sample).__name__}; expected an object")
        flat = _flat(sample, at)
        record = _record(flat, at)
        if record is None:
            yield _foreign(flat, asked, place, at, templated=templated), None
        else:
            yield _ours(flat, record, at)


def _flat(sample: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The fields of a sample side by side, as unitxt's command writes them; saved by hand they are nested."""
    found = dict(sample)
    for name in _NESTED:
        inner = found.get(name)
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            inner = _parsed(inner, f"{where}: {name}")
        if isinstance(inner, dict):
            inner = inner.get("instance", inner) if name == "score" else inner
            found = {**inner, **{key: value for key, value in found.items() if key != name}} | (
                {"score": inner.get("score")} if name == "score" else {}
            )
    return found


def _parsed(text: str, where: str) -> object:
    if len(text) > _MOST_NESTED:
        raise InputError(f"{where}: has {len(text)} characters; expected at most {_MOST_NESTED}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is not JSON: {str(error)[:120]}") from None


def _record(sample: Mapping[str, Any], where: str) -> RequestRecord | None:
    said = sample.get(FIELD)
    if said is None:
        return None
    return read_record(_parsed(said, f"{where}: {FIELD}") if isinstance(said, str) else said, where)


def _ours(sample: Mapping[str, Any], record: RequestRecord, where: str) -> tuple[Result, HarnessScore | None]:
    result = Result(
        dataset=record.dataset,
        example=record.example,
        config=record.config,
        prompt=_prompt(sample, where),
        references=record.references,
        answer=_answer(sample, where),
        where=where,
        record=record,
    )
    score = number(sample.get("score"))
    if score is None:
        return result, None
    return result, HarnessScore(record.dataset, record.example, (record.config,), score)


def _foreign(
    sample: Mapping[str, Any], asked: DatasetConfig, place: int, where: str, *, templated: bool
) -> Result:
    main = optional(sample, "score_name", str, where)
    scores = {
        name: score for name, value in sample.items() if (score := _score(name, value, main)) is not None
    }
    prompt = _prompt(sample, where)
    return Result(
        dataset=asked.dataset,
        # unitxt gives instances no id; the order of a split is the recipe's, whatever serializer or augmentor
        example=str(place),
        config=asked.config,
        prompt=prompt,
        references=texts(sample.get("references", []), f"{where}: references"),
        answer=_answer(sample, where),
        where=where,
        scores=scores,
        main=main,
        same="" if templated else digest(*(message.content for message in prompt)),
    )


def _score(name: str, value: object, main: str | None) -> float | None:
    """A number that may be a score: the main one, or one in [0, 1]; a task's own numbers may be anything."""
    found = number(value)
    if found is None or name == "score" or (name != main and not 0 <= found <= 1):
        return None
    return found


def _prompt(sample: Mapping[str, Any], where: str) -> Prompt:
    from ..unitxt.instances import prompt_of

    source = sample.get("source")
    if not isinstance(source, (str, list)) or not source:
        raise InputError(f"{where}: source: found {source!r:.60}; expected a text or messages")
    try:
        prompt: Prompt = prompt_of(source)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{where}: source: {type(error).__name__}: expected a text or messages") from None
    return prompt


def _answer(sample: Mapping[str, Any], where: str) -> str:
    if "prediction" not in sample:
        field(sample, "prediction", str, where, "unitxt 1.26 writes it")
    said = sample["prediction"]
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
