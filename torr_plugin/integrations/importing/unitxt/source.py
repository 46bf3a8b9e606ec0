"""unitxt's output folder as results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....core.errors import InputError
from ..fields import field, optional
from ..json_text import read_json
from ..models import model_entry, told_apart
from ..names import Named, arguments_of, named
from ..plain import plain_name
from ..result import Batch, Claim, Piece, Result, Source
from .finding import sample_files
from .samples import read_samples

if TYPE_CHECKING:
    from ....recipes import ModelEntry

_PACKAGES = ("unitxt", "transformers", "torch", "vllm", "datasets")
_ENGINES = {"hf": "hf"}


@dataclass(frozen=True, slots=True)
class Run:
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


def unitxt_source(path: Path) -> Source:
    """The runs of unitxt's command in a folder; of a recipe that a model was asked several times the newest.

    Raises:
        InputError: no samples, or files that are not what unitxt 1.26 writes.
    """
    read = [_read_run(each.path) for each in sample_files(path)]
    entries = told_apart([run.entry for run in read])
    runs = [replace(run, entry=entry) for run, entry in zip(read, entries, strict=True)]
    newest: dict[tuple[str, str], Run] = {}
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
        Piece(run.path.name, run.entry, partial(_read, run, recipes)) for run, recipes in chosen if recipes
    ]
    versions = {name: text for run in runs for name, text in run.versions.items()}
    return Source(
        harness="unitxt",
        path=path,
        pieces=tuple(pieces),
        version=versions.get("unitxt"),
        settings={"versions": versions},
        notes=tuple(dict.fromkeys(notes)),
    )


def _read_run(path: Path) -> Run:
    said = _contents(path)
    environment = optional(said, "environment_info", dict, str(path)) or {}
    given = optional(environment, "parsed_arguments", dict, f"{path}: environment_info") or {}
    return Run(
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


def _read(run: Run, recipes: Sequence[str]) -> Batch:
    samples = dict(_samples(_contents(run.path), run.path))
    found = [
        each
        for recipe in recipes
        for subset, part in _subsets(recipe, samples[recipe]).items()
        for each in _read_subset(run, subset, part)
    ]
    claims = tuple(claim for _, claim in found if claim is not None)
    return Batch(run.entry.label, tuple(result for result, _ in found), claims)


def _read_subset(run: Run, subset: str, samples: Sequence[object]) -> Iterator[tuple[Result, Claim | None]]:
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


def _named(recipe: str, where: str) -> Named:
    """Of a recipe's name or its ``card=...,serializer=...``; ours are named by their records instead."""
    arguments = arguments_of(recipe)
    return named(
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
