"""Logs of HELM 0.5, ``benchmark_output``, for their answers and for their scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ...core.errors import InputError, counted
from ..record import read_record
from .files import read_json
from .helm_files import (
    DOUBT,
    FILES,
    SPEC,
    STATE,
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
from .helm_scores import scores
from .log import Log, LogFile, LogReader, OwnScore, Result
from .names import NONE, DatasetConfig, digest

BY_HELM = "by HELM's client"
"""How a model was asked in one text: for a chat model, most clients make one user message of it."""

_SCORE, _CHANGED = "torr_score", "torr_prompt_changed"
_NAMED_RUNS = 5


# -- the folder ------------------------------------------------------------------------------------------


def _log(path: Path) -> Log:
    """The whole runs of ``benchmark_output``, its ``runs``, a suite, or one run; others are noted."""
    folders = sorted(run_folders(path))
    unfinished = [folder for folder in folders if not all((folder / name).is_file() for name in FILES)]
    if len(unfinished) == len(folders):
        raise InputError(f"{unfinished[0]}: half-written run: lacks one of {', '.join(FILES)}; none is whole")
    named = "; ".join([folder.name for folder in unfinished[:_NAMED_RUNS]])
    note = f"{counted(len(unfinished), 'half-written run')} left out, so that cells are missing: {named}"
    return Log(
        harness=HELM.name,
        path=path,
        files=tuple(_file(folder) for folder in folders if folder not in {*unfinished}),
        notes=(note,) if unfinished else (),
    )


def _file(folder: Path) -> LogFile:
    spec = read_json(folder / SPEC, RunSpec)
    entry = spec.entry(f"{folder / SPEC}: adapter_spec")
    chat = BY_HELM if entry.model == "helm" and entry.chat is None else None
    return LogFile(spec.name, entry, partial(_results, folder, spec), chat)


# -- a run -----------------------------------------------------------------------------------------------


def _results(folder: Path, spec: RunSpec) -> Sequence[Result]:
    path, asked = folder / STATE, spec.asks(str(folder / SPEC))
    scores = instance_scores(folder)
    states = list(request_states(folder))
    if any(state.reference_index is not None for state in states):
        raise InputError(
            f"{path}: {spec.method} asks about each reference apart, so no answer is an instance's; "
            "torr audit reads the scores"
        )
    ids = [state.id for state in states]
    run = _Run(asked, spec.main, DOUBT if spec.by_unitxt and not in_order(ids) else "")
    splits = {state.split for state in states}
    return [
        _result(
            state,
            f"{path}: request state {at}",
            _scores_of(scores, state),
            run if run.note or TEST not in splits or state.split == TEST else run._replace(note=_OTHER_SPLIT),
        )
        for at, state in enumerate(states)
    ]


_OTHER_SPLIT = "results are not of the test split, whose scores alone HELM's own pages show"


class _Run(NamedTuple):
    asked: DatasetConfig
    main: str | None
    note: str


def _scores_of(scores: Mapping[InstanceKey, InstanceScores], state: RequestState) -> dict[str, float]:
    return dict(scores[state.key].scores) if state.key in scores else {}


def _result(state: RequestState, where: str, scores: dict[str, float], run: _Run) -> Result:
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
        dataset=run.asked.dataset,
        example=state.id,
        config=_config(run.asked.config, state.key),
        prompt=state.request.as_prompt(),
        references=state.right(),
        same=digest(*(message.content for message in prompt)),
        note=run.note,
        main=run.main if run.main in scores else None,
        **common,
    )


def _config(config: str, key: InstanceKey) -> str:
    """The configuration, with HELM's own perturbation and trial as parts of it."""
    serializer, perturbation, design = config.split("/")
    if key.change:
        perturbation = "+".join([*([perturbation] * (perturbation != NONE)), key.change])
    return "/".join((serializer, perturbation, f"{design}+trial{key.trial}" if key.trial else design))


HELM = LogReader(
    "HELM",
    "benchmark_output, or a suite in its 'runs', of helm-run",
    re.compile("|".join(map(re.escape, FILES))),
    scores=scores,
    log=_log,
)
"""Reads what helm-run wrote."""
