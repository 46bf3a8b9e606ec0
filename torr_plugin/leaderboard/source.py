"""What a site is made from: a run directory with its failed requests, or a scores file alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..analysis import AnalysisResults, analyse, first_answers, read_scores, typed_scores
from ..analysis.descriptions import FIELDS
from ..analysis.frame import LABELS, OPTIONAL, as_categories
from ..analysis.options import SHAPE
from ..core.redaction import without_homes, without_homes_inside
from ..recipes import request_schema
from ..running import Run, design_bases, model_descriptions, run_status, with_prompt_tokens
from ..running.answer import cut, refused, unfinished
from ..running.store.joining import is_same_study
from ..running.store.shards import is_for
from ..scoring import joined_for_reading
from .battles.reading import published_battles
from .results import StudyResults


@dataclass(frozen=True)
class PublishedSource:
    """One study to publish.

    Attributes:
        name: the study's, or the scores file's.
        path: the run directory or scores file.
        analysis: its figures, as the site reads them.
        figures: the same as they are in analysis.json, to be published beside the page.
        study: study.yaml with ``~`` for home folders; empty for a scores file.
        failures: requests without an answer, one per model; empty for a scores file.
        descriptions: model -> ``family``, ``size`` (billions of parameters), ``open``, any of them absent.
        scores: a row per score, of the analysis's shape; names are categories of text.
        run: the run directory; None for a scores file.
        battles: verdicts on pairs of answers (:func:`.battles.published_battles`); None where there are none.
        notes: why its figures are not those of the run's own analysis.json, if they are not.
    """

    name: str
    path: Path
    analysis: StudyResults
    figures: Mapping[str, Any]
    study: Mapping[str, Any]
    scores: pd.DataFrame
    failures: tuple[ModelFailures, ...] = ()
    descriptions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    run: Run | None = None
    battles: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()


def open_source(path: Path, models: Mapping[str, Mapping[str, Any]] | None = None) -> PublishedSource:
    """The study in a run directory or scores file.

    Args:
        path: of either.
        models: model -> any of ``family``, ``size`` and ``open``; overrules, field by field, what a run says.

    Raises:
        RunError: the directory is not a run, or its scores are missing or damaged.
        AnalysisError: the file cannot be read as scores.
    """
    return _of_run(path, models or {}) if path.is_dir() else _of_file(path, models or {})


def study_groups(
    paths: Sequence[Path], title_of: Callable[[Path], str] = lambda path: ""
) -> list[tuple[Path, ...]]:
    """The runs of one study and name together, each scores file alone, in the order in which they were given.

    Args:
        paths: run directories and scores files.
        title_of: what the site calls a run's study; runs that it gives different titles stay apart.

    Raises:
        RunError: a directory is not a run, or is damaged.
    """
    groups: list[list[Path]] = []
    firsts: dict[int, Run] = {}
    for path in paths:
        run = Run.open(path) if path.is_dir() else None
        same = [
            place
            for place, first in firsts.items()
            if run and _name(run, title_of) == _name(first, title_of) and is_same_study(first, run)
        ]
        if same:
            groups[same[0]].append(path)
            continue
        if run:
            firsts[len(groups)] = run
        groups.append([path])
    return [tuple(group) for group in groups]


def _name(run: Run, title_of: Callable[[Path], str]) -> str:
    return title_of(run.path) or str(run.study.get("name"))


@contextmanager
def open_joined(
    paths: Sequence[Path], models: Mapping[str, Mapping[str, Any]] | None = None
) -> Iterator[PublishedSource]:
    """The study of several runs of it, or of the one path, while the block lasts.

    Raises:
        RunError: as :func:`open_source`; or a name stands for another model in another run.
        AnalysisError: as there.
    """
    if len(paths) == 1:
        yield open_source(paths[0], models)
        return
    with joined_for_reading(paths) as joined:
        source = open_source(joined.run.path, models)
        notes = (f"This study is put together from {len(paths)} runs", *joined.notes)
        yield replace(source, path=paths[0], notes=tuple(f"{without_homes(note)}." for note in notes))


def _of_file(path: Path, models: Mapping[str, Mapping[str, Any]]) -> PublishedSource:
    scores = read_scores(path)
    described = _described(scores, {}, models)
    figures = analyse(scores, models=described)
    shown = StudyResults(AnalysisResults.from_json(figures, str(path)))
    return PublishedSource(
        _stem(path), path, shown, figures, study={}, scores=_named_cells(scores), descriptions=described
    )


def _named_cells(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores with their types, and names as categories, so that millions of rows need little memory."""
    typed = typed_scores(scores)
    named = [name for name in (*LABELS, *OPTIONAL) if name in typed]
    found: pd.DataFrame = typed.assign(**{name: as_categories(typed[name]) for name in named})
    return found


def _stem(path: Path) -> str:
    """A file's name without what says its format; a dot of a version, as in "gpt-4.1", stays."""
    name = path.name
    while (ending := Path(name).suffix).lower() in _ENDINGS:
        name = name.removesuffix(ending)
    return name


def _of_run(path: Path, models: Mapping[str, Mapping[str, Any]]) -> PublishedSource:
    run = Run.open(path)
    scores = run.scores()
    described = _described(scores, model_descriptions(run.study), models)
    figures, notes = _figures(run, scores, described)
    return PublishedSource(
        name=without_homes(str(run.study.get("name") or path.resolve().name)),
        path=path,
        analysis=StudyResults(AnalysisResults.from_json(figures, str(path / "analysis.json"))),
        figures=figures,
        study=_published(run.study),
        scores=_named_cells(scores),
        failures=tuple(failures(run)),
        descriptions=described,
        run=run,
        battles=published_battles(path),
        notes=notes,
    )


def _published(study: Mapping[str, Any]) -> Mapping[str, Any]:
    """A run's study.yaml without home folders; labels stay, as scores name models by them."""
    found: dict[str, Any] = without_homes_inside(study)
    for entry, given in zip(found.get("models") or (), study.get("models") or (), strict=True):
        entry["label"] = given["label"]
    return found


def _described(
    scores: pd.DataFrame,
    known: Mapping[str, Mapping[str, Any]],
    models: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """The descriptions of a run's models: its own, overruled by those of a file."""
    there = set(map(str, scores["model"].unique()))
    names = dict.fromkeys((*known, *(name for name in models if name in there)))
    return {name: {**known.get(name, {}), **models.get(name, {})} for name in names}


def _figures(
    run: Run, scores: pd.DataFrame, described: Mapping[str, Mapping[str, Any]]
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The run's own analysis; a new one where there is none or it cannot serve, and a line that says why."""
    recipe = run.study.get("recipe") or {}
    options = {name: value for name, value in (recipe.get("analysis") or {}).items() if name in _OPTIONS}
    options["seed"] = int(run.study.get("seed") or 0)
    found = run.analysis() if (run.path / "analysis.json").exists() else None
    if found is None:
        why = "The run has no analysis.json"
    elif not _rests_on(found, scores):
        why = "The analysis.json of the run does not match its current scores"
    elif _grouped(described) != _grouped(model_descriptions(run.study)):
        why = "Families, sizes or openness of models were given separately from the run"
    elif is_complete(found):
        return found, ()
    else:
        why = "The analysis.json of the run is from an earlier version and lacks figures that are shown here"
        options = {name: found["settings"][name] for name in _SETTINGS if name in found["settings"]}
    figures = analyse(
        with_prompt_tokens(scores, run),
        **options,
        keeps_labels=keeps_labels(run.study),
        models=described,
        examples=run.examples(),
        lengths=run.lengths(),
        design_bases=design_bases(run.study),
    )
    return figures, (f"{why}: the figures of this site were recomputed from its scores.",)


def is_complete(found: Mapping[str, Any]) -> bool:
    """Whether an analysis is of this version's shape; that of another may lack what the pages show."""
    settings = found.get("settings")
    if not isinstance(settings, Mapping):
        return True  # no analysis: the error comes when it is read as one
    return bool(settings.get("shape") == SHAPE)


def _grouped(described: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Of descriptions what an analysis rests on."""
    found = {model: {name: own[name] for name in FIELDS if name in own} for model, own in described.items()}
    return {model: own for model, own in found.items() if own}


def _rests_on(found: Mapping[str, Any], scores: pd.DataFrame) -> bool:
    """Whether an analysis is of these models and of as many scores; a killed run may have newer scores."""
    if set(found.get("performance") or ()) != set(map(str, scores["model"].unique())):
        return False
    holes = found.get("holes")
    if not isinstance(holes, Mapping):
        return True  # no analysis: the error comes when it is read as one
    there = int(main_rows(scores)["score"].notna().sum())
    return bool(holes.get("expected", 0) - holes.get("missing", 0) == there)


def main_rows(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of first answers by each data set's main metric."""
    first = first_answers(scores)
    return first[first["main"].astype(bool)] if "main" in first else first


_ENDINGS = frozenset({".csv", ".tsv", ".json", ".jsonl", ".parquet", ".gz", ".bz2", ".xz", ".zip", ".zst"})
_OPTIONS = ("resamples", "level")
"""Of a recipe."""

_SETTINGS = (*_OPTIONS, "seed", "rankings", "repeats")
"""Of an analysis: with the same ones its figures are the same again."""


def keeps_labels(study: Mapping[str, Any]) -> dict[str, list[str]]:
    """Data set -> the perturbations that keep its labels; only those data sets that state it."""
    datasets: Mapping[str, Any] = study.get("datasets") or {}
    return {
        name: list(entry["keeps_labels"])
        for name, entry in datasets.items()
        if entry.get("keeps_labels") is not None
    }


MOST_ERRORS = 5


@dataclass(frozen=True)
class ModelFailures:
    """A model's requests without an answer, and its answers that did not end as they should.

    ``errors`` are the most frequent errors and how often each came, at most ``MOST_ERRORS``; ``kinds`` is how
    many different ones there are. ``unfinished`` answers ran out of tokens before any text, ``refused`` ones
    are refusals, ``cut`` ones were ended by the limit of tokens; all None where the run does not
    say how answers ended. ``cost`` is what its tokens cost in US dollars, and ``cost_of_right`` that for each
    right answer; None where its price is not known.
    """

    model: str
    requests: int
    failed: int
    unanswered: int
    errors: tuple[tuple[str, int], ...]
    kinds: int
    unfinished: int | None
    refused: int | None
    cut: int | None
    cost: float | None = None
    cost_of_right: float | None = None


def failures(run: Run) -> Iterator[ModelFailures]:
    """One entry for each model of the run, also for those without a failure.

    Raises:
        RunError: requests or answers are damaged.
    """
    columns = ["key", "model"]
    none = request_schema().empty_table().select(columns)
    requests = pa.concat_tables([none, *run.request_tables(columns)])
    status = {each.model: each for each in run_status(run.path).models}
    for model in run.models():
        keys = requests.filter(is_for(requests, model))["key"].unique()
        answers = run.predictions(model, ["key", "prediction", "error", "finish_reason"])
        known = answers.filter(pc.is_in(answers["key"], value_set=keys))
        errors = Counter[str]()
        for found in known["error"].drop_null().value_counts().to_pylist():
            errors[without_homes(found["values"])] += found["counts"]
        yield ModelFailures(
            model=model,
            requests=len(keys),
            failed=errors.total(),
            unanswered=len(keys) - len(known),
            errors=tuple(errors.most_common(MOST_ERRORS)),
            kinds=len(errors),
            **_endings(answers),
            cost=status[model].cost,
            cost_of_right=status[model].cost_of_right,
        )


def _endings(answers: pa.Table) -> dict[str, int | None]:
    known = answers["finish_reason"].null_count < answers.num_rows
    kinds = {"unfinished": unfinished, "refused": refused, "cut": cut}
    return {name: pc.sum(which(answers)).as_py() if known else None for name, which in kinds.items()}
