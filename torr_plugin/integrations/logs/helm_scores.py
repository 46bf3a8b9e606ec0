"""The scores in runs of HELM: of the test split, an instance an item."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ...core.errors import InputError
from ..record import read_record
from .board import USUAL_METRICS, BoardScores, ItemTable, joined, stacked
from .files import read_json
from .helm_files import (
    DOUBT,
    SPEC,
    STATE,
    STATS,
    TEST,
    InstanceKey,
    InstanceScores,
    RunSpec,
    in_order,
    instance_scores,
    request_states,
    run_folders,
)
from .names import AS_IS, DEFAULT, NONE, digest

_PLAIN = f"{AS_IS}/{NONE}/{DEFAULT}"


def scores(path: Path) -> BoardScores:
    """The runs below a folder that have scores.

    Raises:
        InputError: none has, or one is damaged; or a model was asked a run twice.
    """
    folders = sorted(run_folders(path))
    whole = [each for each in folders if (each / SPEC).is_file() and (each / STATS).is_file()]
    if not whole:
        raise InputError(
            f"{(folders or [path])[0]}: half-written run: lacks {SPEC} or {STATS}; none is whole"
        )
    left = len(folders) - len(whole)
    notes = [f"{left} runs without {SPEC} or {STATS} left out"] if left else []
    return joined([BoardScores(notes=tuple(notes)), *map(_of_run, whole)])


class _Place(NamedTuple):
    task: str
    config: str
    split: str


def _of_run(folder: Path) -> BoardScores:
    spec = read_json(folder / SPEC, RunSpec)
    asked, model = spec.asks(str(folder / SPEC)), spec.model
    tables = defaultdict[_Place, ItemTable](lambda: ItemTable(str(folder)))
    found, notes, ids = instance_scores(folder), list[str](), list[str]()
    for place, key, same, failed in _instances(folder, asked.dataset, asked.config, found):
        known = {} if failed else found.get(key, InstanceScores(place.split, {})).scores
        ids.append(key.id)
        tables[place].add(key.id, known, replicate=key.trial, failed=failed, same=same)
    names = list(dict.fromkeys(name for each in found.values() for name in each.scores))
    frames = {place: table.frame(model, place.task, place.config, names) for place, table in tables.items()}
    main = dict[str, str]()
    for task in dict.fromkeys(place.task for place in frames):
        if (metric := _main(spec, names)) is not None:
            main[task] = metric
            if len(names) > 1:
                notes.append(f"{task}: {metric} is the main one of {len(names)} metrics")
    if spec.by_unitxt and not in_order(ids):
        notes.append(f"{asked.dataset}: {model}: {DOUBT}")
    if not (folder / STATE).is_file():
        notes.append(f"{model}: a run has no {STATE}, so failed requests count as HELM rated them")
    kept = [*_of_test(frames, main, notes)]
    return BoardScores(items=stacked(kept), main=main, notes=tuple(notes))


def _instances(
    folder: Path, task: str, config: str, found: dict[InstanceKey, InstanceScores]
) -> Iterator[tuple[_Place, InstanceKey, str, bool]]:
    """Each instance: where it belongs, what tells its question from another, whether its request failed."""
    if not (folder / STATE).is_file():
        for key, scores_ in found.items():
            yield _Place(task, _config(config, key), scores_.split), key, "", False
        return
    apart = dict[tuple[_Place, InstanceKey, str], bool]()  # asked about each reference
    for at, state in enumerate(request_states(folder)):
        key, same = state.key, ""
        if state.record is not None:
            record = read_record(state.record, f"{folder / STATE}: request state {at}")
            place, same = _Place(record.dataset, record.config, TEST), record.key
            key = key._replace(id=record.example)
        else:
            place = _Place(task, _config(config, key), state.split)
            same = digest(*(turn.content for turn in state.input.as_prompt()), *state.right())
        failed = state.outcome()[0] is None
        if state.reference_index is None:
            yield place, key, same, failed
        else:
            apart[place, key, same] = failed or apart.get((place, key, same), False)
    yield from ((*of, failed) for of, failed in apart.items())


def _config(config: str, key: InstanceKey) -> str:
    """Empty for a run that asks in one way; with HELM's own perturbation."""
    plain = "" if config == _PLAIN else config
    return "+".join(filter(None, (plain, key.change)))


def _main(spec: RunSpec, names: list[str]) -> str | None:
    wanted = [spec.main] if spec.main in names else [name for name in USUAL_METRICS if name in names]
    return next(iter(wanted), names[0] if len(names) == 1 else None)


def _of_test(
    frames: dict[_Place, pd.DataFrame], main: dict[str, str], notes: list[str]
) -> Iterator[pd.DataFrame]:
    """The test split, where there is one; HELM's own pages show it alone."""
    splits = defaultdict[tuple[str, str], dict[str, pd.DataFrame]](dict)
    for place, frame in frames.items():
        splits[place.task, place.config][place.split] = frame
    for (task, _), parts in splits.items():
        if TEST not in parts or len(parts) == 1:
            yield from parts.values()
            continue
        yield parts[TEST]
        others = Counter({split: part["item"].nunique() for split, part in parts.items() if split != TEST})
        named = ", ".join(f"{count} {split}" for split, count in others.items())
        means = [_mean(each, main.get(task, "")) for each in (parts[TEST], stacked(parts.values()))]
        both = f": {main[task]} {means[0]:.3f}, with them {means[1]:.3f}" if task in main else ""
        notes.append(f"{task}: the test split counts, without {named} instances{both}")


def _mean(frame: pd.DataFrame, metric: str) -> float:
    return float(frame.loc[frame["metric"] == metric, "score"].mean())
