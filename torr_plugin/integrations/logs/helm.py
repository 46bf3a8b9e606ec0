"""Logs of HELM 0.5, ``benchmark_output``, for their answers and for their scores."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ...core.errors import InputError, counted
from ..record import read_record
from .board import USUAL_METRICS, BoardScores, joined, stacked
from .files import read_json
from .frames import ItemTable
from .helm_files import (
    DOUBT,
    FILES,
    SPEC,
    STATE,
    STATS,
    TEST,
    InstanceKey,
    InstanceScores,
    RequestState,
    RunSpec,
    in_order,
    instance_scores,
    request_states,
    run_folders,
)
from .log import Log, LogFile, LogReader, OwnScore, Result
from .names import AS_IS, DEFAULT, NONE, DatasetConfig, digest

BY_HELM = "by HELM's client"
"""How a model was asked in one text: for a chat model, most clients make one user message of it."""

_SCORE, _CHANGED = "torr_score", "torr_prompt_changed"
_OTHER_SPLIT = "results are not of the test split, whose scores alone HELM's own pages show"
_NAMED_RUNS = 5
_PLAIN = f"{AS_IS}/{NONE}/{DEFAULT}"


def _whole_runs(path: Path, files: Sequence[str]) -> tuple[list[Path], tuple[str, ...]]:
    """The runs below a folder that have some files, and a note on the others."""
    folders = sorted(run_folders(path))
    whole = [folder for folder in folders if all((folder / name).is_file() for name in files)]
    unfinished = [folder for folder in folders if folder not in whole]
    if not whole:
        raise InputError(
            f"{(folders or [path])[0]}: half-written run: lacks one of {', '.join(files)}; none is whole"
        )
    if not unfinished:
        return whole, ()
    named = "; ".join([folder.name for folder in unfinished[:_NAMED_RUNS]])
    return whole, (
        f"{counted(len(unfinished), 'half-written run')} left out, so that cells are missing: {named}",
    )


# -- answers ---------------------------------------------------------------------------------------------


def _log(path: Path) -> Log:
    """The whole runs of ``benchmark_output``, its ``runs``, a suite, or one run."""
    folders, notes = _whole_runs(path, FILES)
    return Log(tuple(map(_file, folders)), notes=notes)


def _file(folder: Path) -> LogFile:
    spec = read_json(folder / SPEC, RunSpec)
    entry = spec.entry(f"{folder / SPEC}: adapter_spec")
    chat = BY_HELM if entry.model == "helm" and entry.chat is None else None
    return LogFile(spec.name, entry, partial(_results, folder, spec), chat)


def _results(folder: Path, spec: RunSpec) -> Sequence[Result]:
    path, scores, states = folder / STATE, instance_scores(folder), list(request_states(folder))
    if any(state.reference_index is not None for state in states):
        raise InputError(
            f"{path}: {spec.method} asks about each reference apart, so no answer is an instance's; "
            "torr audit reads the scores"
        )
    asked = spec.asks(str(folder / SPEC))
    doubt = DOUBT if spec.by_unitxt and not in_order(state.id for state in states) else ""
    tested = any(state.split == TEST for state in states)
    return [
        _result(
            state,
            f"{path}: request state {at}",
            dict(scores[state.key].scores) if state.key in scores else {},
            asked=asked,
            main=spec.main,
            note=doubt or (_OTHER_SPLIT if tested and state.split != TEST else ""),
        )
        for at, state in enumerate(states)
    ]


def _result(
    state: RequestState,
    where: str,
    scores: dict[str, float],
    *,
    asked: DatasetConfig,
    main: str | None,
    note: str,
) -> Result:
    changed = scores.pop(_CHANGED, 0.0) == 1.0
    answer, error = state.outcome()
    common: dict[str, Any] = {
        "where": where,
        "answer": answer,
        "error": error,
        "scores": scores,
        "cut": state.prompt_truncated or changed,
        "seconds": state.seconds,
    }
    prompt = state.input.as_prompt()  # as the scenario made it, before adapter and window
    if state.record is not None:
        record = read_record(state.record, where)
        score = None if answer is None else scores.get(_SCORE)
        claims = () if score is None else (OwnScore((record.config,), score),)
        return Result.of_record(record, prompt=prompt, claims=claims, **common)
    return Result(
        dataset=asked.dataset,
        example=state.id,
        config=_config(asked.config, state.key),
        prompt=state.request.as_prompt(),
        references=state.right(),
        same=digest(*(message.content for message in prompt)),
        note=note,
        main=main if main in scores else None,
        **common,
    )


def _config(config: str, key: InstanceKey) -> str:
    """The configuration, with HELM's own perturbation and trial as parts of it."""
    serializer, perturbation, design = config.split("/")
    if key.change:
        perturbation = "+".join([*([perturbation] * (perturbation != NONE)), key.change])
    return "/".join((serializer, perturbation, f"{design}+trial{key.trial}" if key.trial else design))


# -- scores: of the test split, an instance an item ----------------------------------------------------------


def _scores(path: Path) -> BoardScores:
    """The runs below a folder that have scores.

    Raises:
        InputError: none has, or one is damaged.
    """
    folders, notes = _whole_runs(path, (SPEC, STATS))
    return joined([BoardScores(notes=notes), *map(_of_run, folders)])


class _AskedInstance(NamedTuple):
    """An instance: where it belongs, what tells it from others of its run, and its question from another."""

    task: str
    config: str
    split: str
    key: InstanceKey
    same: str


def _of_run(folder: Path) -> BoardScores:
    spec, found = read_json(folder / SPEC, RunSpec), instance_scores(folder)
    asked, notes = _instances(folder, spec, found), list[str]()
    tables = defaultdict[tuple[str, str], dict[str, ItemTable]](dict)
    for each, failed in asked.items():
        known = found.get(each.key) if not failed else None
        table = tables[each.task, each.config].setdefault(each.split, ItemTable())
        scores = {} if known is None else known.scores
        table.add(each.key.id, scores, replicate=each.key.trial, failed=failed, same=each.same)
    names = list(dict.fromkeys(name for each in found.values() for name in each.scores))
    usual = (name for name in (spec.main, *USUAL_METRICS) if name in names)
    main = next(usual, names[0] if len(names) == 1 else None)
    if spec.by_unitxt and not in_order(each.key.id for each in asked):
        notes.append(f"{spec.asks(str(folder)).dataset}: {spec.model}: {DOUBT}")
    if not (folder / STATE).is_file():
        notes.append(f"{spec.model}: a run has no {STATE}, so failed requests count as HELM rated them")
    kept = list[pd.DataFrame]()
    for of, splits in tables.items():
        frames = {split: table.frame(spec.model, *of, names) for split, table in splits.items()}
        if TEST in frames and len(frames) > 1:
            notes.append(_without_others(of[0], frames, main))
            frames = {TEST: frames[TEST]}
        kept += frames.values()
    return BoardScores(
        items=stacked(kept),
        main={} if main is None else dict.fromkeys([task for task, _ in tables], main),
        notes=tuple(notes),
    )


def _instances(
    folder: Path, spec: RunSpec, found: Mapping[InstanceKey, InstanceScores]
) -> dict[_AskedInstance, bool]:
    """Whether the request of each instance failed, or of one that was asked by reference any of them."""
    task, config = spec.asks(str(folder / SPEC))
    plain = "" if config == _PLAIN else config
    if not (folder / STATE).is_file():
        return {
            _AskedInstance(task, _changed(plain, key), known.split, key, ""): False
            for key, known in found.items()
        }
    asked = dict[_AskedInstance, bool]()
    for at, state in enumerate(request_states(folder)):
        if state.record is not None:
            record = read_record(state.record, f"{folder / STATE}: request state {at}")
            each = _AskedInstance(record.dataset, record.config, TEST, state.key, record.key)
        else:
            same = digest(*(turn.content for turn in state.input.as_prompt()), *state.right())
            each = _AskedInstance(task, _changed(plain, state.key), state.split, state.key, same)
        asked[each] = asked.get(each, False) or state.outcome()[0] is None
    return asked


def _changed(config: str, key: InstanceKey) -> str:
    """A configuration, empty of a run that asks in one way, with HELM's own perturbation."""
    return "+".join(filter(None, (config, key.change)))


def _without_others(task: str, frames: Mapping[str, pd.DataFrame], main: str | None) -> str:
    """That the test split counts alone, as on HELM's own pages, and what the others would change."""
    named = ", ".join(f"{part['item'].nunique()} {split}" for split, part in frames.items() if split != TEST)
    both = ""
    if main is not None:
        test, whole = (
            frame.loc[frame["metric"] == main, "score"].mean()
            for frame in (frames[TEST], stacked(frames.values()))
        )
        both = f": {main} {test:.3f}, with them {whole:.3f}"
    return f"{task}: the test split counts, without {named} instances{both}"


HELM = LogReader(
    "HELM",
    "benchmark_output, or a suite in its 'runs', of helm-run",
    re.compile("|".join(map(re.escape, FILES))),
    scores=_scores,
    log=_log,
)
"""Reads what helm-run wrote."""
