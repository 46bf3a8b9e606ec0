"""Results of MTEB: ``MODEL/REVISION/TASK.json``, one score a split and language."""

from __future__ import annotations

import re
from pathlib import Path

from .board import BoardScores, MetricScale, joined
from .files import HarnessModel, Number, Text, read_json
from .frames import aggregate_frame, number_of_digits
from .log import LogReader, newest_runs

_NAMED = re.compile(r".+\.json")
_MAIN = "main_score"
_OVERALL = {
    "CQADupstackRetrieval": r"CQADupstack\w+Retrieval",
    "CQADupstackRetrieval-Fa": r"CQADupstack\w+Retrieval-Fa",
    "CQADupstackRetrieval-PL": r"CQADupstack-\w+-PL",
    "CQADupstack-NL": r"CQADupstack\w+-NL",
    "SynPerChatbotConvSAClassification": r"SynPerChatbotConvS\w+(?<!Classification)",
    "VisualSTS17Eng": "STS17MultilingualVisualSTS",
    "VisualSTS17Multilingual": "STS17MultilingualVisualSTS",
    "VisualSTS-b-Eng": "STSBenchmarkMultilingualVisualSTS",
    "VisualSTS-b-Multilingual": "STSBenchmarkMultilingualVisualSTS",
}
"""MTEB's aggregate tasks, and the names of their parts."""


class _Score(HarnessModel):
    """Of a split and language."""

    main_score: Number = None
    hf_subset: Text


class _Task(HarnessModel):
    """``TASK.json`` since version 1.11."""

    task_name: Text
    mteb_version: Text | None = None
    scores: dict[str, list[_Score]]


class _Meta(HarnessModel):
    """``model_meta.json``."""

    name: Text | None = None


def _read(path: Path) -> BoardScores:
    """The results below a folder, or one.

    Raises:
        InputError: a file is damaged or older than version 1.11.
    """
    tasks = {file: read_json(file, _Task) for file in MTEB.files(path)}
    models = {folder: _model(folder) for folder in {file.parent for file in tasks}}
    newest, notes = newest_runs(
        tasks,
        of=lambda file: (models[file.parent], tasks[file].task_name),
        when=lambda file: (_version(tasks[file]), file),
        said=lambda file: (tasks[file].task_name, models[file.parent], f"of {file.parent.name}"),
    )
    there = {(models[file.parent], tasks[file].task_name) for file in newest}
    parts = list[BoardScores]()
    for file in newest:
        model, name = models[file.parent], tasks[file].task_name
        pattern = _OVERALL.get(name)
        if pattern and any(of == model and re.fullmatch(pattern, other) for of, other in there):
            notes.append(f"{name}: left out, because its parts are here")
        else:
            parts.append(_scores(model, tasks[file]))
    return joined([*parts, BoardScores(notes=tuple(notes))])


def _version(task: _Task) -> list[int]:
    return [int(each) for each in re.findall(r"\d{1,9}", task.mteb_version or "")[:3]]


def _model(folder: Path) -> str:
    """By ``model_meta.json`` or the folder's name; an experiment's arguments are part of it."""
    meta_file = folder / "model_meta.json"
    meta = read_json(meta_file, _Meta) if meta_file.is_file() else _Meta()
    above = folder.absolute()
    experiment = f" ({above.name})" if above.parent.name == "experiments" else ""
    model = above.parents[2] if experiment else above.parent
    return (meta.name or model.name.replace("__", "/")) + experiment


def _scores(model: str, task: _Task) -> BoardScores:
    """Languages are configurations, whose mean is MTEB's score of the task; of the splits, test counts."""
    splits, notes = {name: scores for name, scores in task.scores.items() if scores}, list[str]()
    if "test" in splits and len(splits) > 1:
        notes.append(
            f"{task.task_name}: split test counts, {', '.join(sorted(splits.keys() - {'test'}))} left out"
        )
        splits = {"test": splits["test"]}
    rows = [
        (split, each) for split, scores in splits.items() for each in scores if each.main_score is not None
    ]
    if not rows:
        return BoardScores(notes=(f"{task.task_name}: has no score of {model}, and is left out",))
    values = [each.main_score or 0.0 for _, each in rows]
    frame = aggregate_frame(
        values,
        model=model,
        task=task.task_name,
        config=_configurations(rows, len(splits)),
        metric=_MAIN,
        digits=max(map(number_of_digits, values)),
    )
    # correlations may be negative
    return BoardScores(aggregates=frame, scales={_MAIN: MetricScale(-1.0, 1.0)}, notes=tuple(notes))


def _configurations(rows: list[tuple[str, _Score]], splits: int) -> list[str]:
    subsets = {each.hf_subset for _, each in rows}
    names = [[split] * (splits > 1) + [each.hf_subset] * (subsets != {"default"}) for split, each in rows]
    return ["/".join(each) for each in names]


def _holds(path: Path, head: bytes) -> bool:
    if path.suffix != ".json" or path.name == "model_meta.json":
        return False
    return b'"dataset_revision"' in head and (b'"mteb_version"' in head or b'"mteb_dataset_name"' in head)


MTEB = LogReader(
    "mteb",
    "a folder of MTEB's results, MODEL/REVISION/TASK.json",
    _NAMED,
    scores=_read,
    holds=_holds,
)
"""Reads the results of MTEB 1.11 and later, the public repository of results or a part of it."""
