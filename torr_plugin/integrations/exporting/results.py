"""What is exported of a run: its models, the scores of its analysis, its answers one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ...analysis import AnalysisResults, first_answers
from ...analysis.cube import cubes
from ...analysis.figures.configurations import CONFIGURATION_SCORES
from ...analysis.figures.model_scores import MODEL_SCORES
from ...analysis.figures.pairs import RANK_INTERVALS
from ...analysis.figures.settings import SETTINGS
from ...analysis.frame import main_scores
from ...analysis.shared_examples import comparable_configurations, scored_examples
from ...catalog import load_card
from ...core.errors import InputError, RunError, UnknownNameError
from ...core.redaction import without_homes_inside, without_secrets
from ...running import Run
from ...running.store.run import ANALYSIS_FILE
from ...scoring.run_answers import REPLICATE
from ..logs.torr import example_tables
from .answers import ExportedAnswer, answers_of

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
"""Matches ``maker/model``, as the hub names models."""


class HubData(NamedTuple):
    """Where a data set is on the Hugging Face hub: its repository, revision and split."""

    path: str
    revision: str | None
    split: str


@dataclass(frozen=True)
class ExportedDataset:
    """A data set of a study.

    Attributes:
        name: as in scores.
        metric: the one that the analysis is of.
        examples: how many were asked.
        description: of its card; empty where there is none.
        task: of its card, as the hub names tasks; None where it does not say.
        hub: where its card's data is; None where that is not on the hub.
    """

    name: str
    metric: str
    examples: int
    description: str = ""
    task: str | None = None
    hub: HubData | None = None


@dataclass(frozen=True)
class ModelScore:
    """A model's score on a data set: the mean over examples of their mean over configurations.

    Attributes:
        dataset: which.
        value: in [0, 1].
        low: the interval's lower bound, None where there is none.
        high: its upper bound.
        complete: whether no score is missing.
        rank: the first and the last place that the model may have on the data set.
        missing: how many first answers have no score.
        shared: over how many examples the means of configurations are: those scored in all of them.
        configurations: configuration -> the mean over these.
    """

    dataset: ExportedDataset
    value: float
    low: float | None
    high: float | None
    complete: bool
    rank: tuple[int, int] | None
    missing: int
    shared: int
    configurations: Mapping[str, float]


@dataclass(frozen=True)
class ExportedRun:
    """A run whose results are written for others; see :func:`read_results`.

    Attributes:
        run: the run.
        analysis: the contents of its analysis.json.
        models: the labels of those that are exported.
        created: when the run was begun.
        datasets: by name.
        notes: what is left out, a line each.
    """

    run: Run
    analysis: AnalysisResults
    models: tuple[str, ...]
    created: datetime
    datasets: Mapping[str, ExportedDataset]
    notes: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str:
        """The study's."""
        return str(self.run.study.get("name") or self.run.path.resolve().name)

    @property
    def epoch(self) -> str:
        """When the run was begun, in seconds since 1970."""
        return str(int(self.created.timestamp()))

    @property
    def level(self) -> float:
        """Of the intervals."""
        return self.analysis[SETTINGS].level

    @property
    def version(self) -> str:
        """Of torr-plugin, with which the run was made."""
        return str((self.run.study.get("versions") or {}).get("torr-plugin") or "unknown")

    def scores(self, model: str) -> list[ModelScore]:
        """A model's score on each data set where it has one."""
        performance = self.analysis[MODEL_SCORES].performance[model].datasets
        ranks = self.analysis[RANK_INTERVALS].rank_intervals_datasets
        configurations = self.analysis[CONFIGURATION_SCORES]
        found = []
        for name, dataset in self.datasets.items():
            figure = performance.get(name)
            if figure is None or figure.value is None:
                continue
            missing = self.counts(model, name, replicates=False)[1]
            means = {config: own.get(model) for config, own in configurations.get(name, {}).items()}
            found.append(
                ModelScore(
                    dataset,
                    figure.value,
                    figure.low,
                    figure.high,
                    figure.complete,
                    ranks.get(name, {}).get(model),
                    missing,
                    self._shared.get(name, {}).get(model, 0),
                    {config: mean for config, mean in means.items() if mean is not None},
                )
            )
        return found

    def record(self, model: str) -> dict[str, Any]:
        """What study.yaml says of a model, without secrets and home folders."""
        record = self.run.record(model)
        return {**record, "args": without_homes_inside(without_secrets(record["args"]))}

    def generation(self, model: str) -> dict[str, Any]:
        """The generation parameters of the study, as a model has them of its own where it has."""
        own = self.record(model).get("generation")
        both = {**(self.run.study.get("generation") or {}), **(own if isinstance(own, Mapping) else {})}
        found = without_homes_inside(without_secrets(both))
        return {name: value for name, value in found.items() if value is not None}

    def hub_id(self, model: str) -> str | None:
        """The name of a model's weights on the hub, where its arguments have such a name."""
        arguments = self.record(model)["args"]
        for name in ("pretrained", "model"):
            if isinstance(found := arguments.get(name), str) and HUB_ID.fullmatch(found):
                return found
        return None

    def scored_as(self, dataset: str) -> dict[str, bool]:
        """The metrics of a data set, the main one first; and whether all of its scores are 0 or 1."""
        rows, main = self._scores[self._scores["dataset"] == dataset], self.datasets[dataset].metric
        whole = rows["score"].isin((0, 1)) | rows["score"].isna()
        found = whole.groupby(rows["metric"].astype(str)).all().to_dict()
        return {main: found.get(main, False), **found}

    @cached_property
    def _scores(self) -> Any:
        return self.run.scores()

    @cached_property
    def _first(self) -> Any:
        return first_answers(self._scores)

    @cached_property
    def _shared(self) -> dict[str, dict[str, int]]:
        """Data set -> model -> over how many examples its configurations are compared."""
        metrics = {name: dataset.metric for name, dataset in self.datasets.items()}
        wanted = self._first["dataset"].astype(str).map(metrics) == self._first["metric"].astype(str)
        rows = self._first[wanted.to_numpy()].drop(columns="main", errors="ignore")
        return {
            cube.dataset: dict(
                zip(cube.models, scored_examples(comparable_configurations(cube)).tolist(), strict=True)
            )
            for cube in cubes(main_scores(rows))
        }

    @cached_property
    def _tables(self) -> dict[tuple[str, str], str]:
        return example_tables(self.run.examples())

    def counts(self, model: str, dataset: str, *, replicates: bool = True) -> tuple[int, int]:
        """How many answers of a model were to be scored, and how many of them have no score."""
        scores = self._scores if replicates else self._first
        main = (scores["metric"] == self.datasets[dataset].metric) & (scores["dataset"] == dataset)
        own = scores.loc[main & (scores["model"] == model), "score"]
        return len(own), int(own.isna().sum())

    def replicates(self) -> int:
        """How often a prompt was asked, at most."""
        return 1 + (int(self._scores[REPLICATE].max()) if REPLICATE in self._scores else 0)

    def answers(self, model: str) -> Iterator[ExportedAnswer]:
        """The answers of a model, see :func:`.answers.answers_of`.

        Raises:
            RunError: requests or answers are damaged.
        """
        own = self._scores[self._scores["model"] == model]
        return answers_of(self.run, model, self.datasets, own, self._tables)


def read_results(path: Path, models: Sequence[str] = ()) -> ExportedRun:
    """The results of a run that was analysed.

    Args:
        path: its directory.
        models: the labels of those to export; none for all.

    Raises:
        InputError: it is no run, has no scores or no analysis, or lacks a model.
    """
    run = Run.open(path)
    analysis = AnalysisResults.from_json(run.analysis(), str(path / ANALYSIS_FILE))
    analysed = [
        model
        for model, own in analysis[MODEL_SCORES].performance.items()
        if any(figure.value is not None for figure in own.datasets.values())
    ]
    for name in models:
        if name not in analysed:
            raise UnknownNameError("model", name, analysed, "--model")
    known = [label for label in run.models() if label in analysed and (not models or label in models)]
    if not known:
        raise RunError(f"{path}: its analysis has none of its models; 'torr analyse' makes a new one")
    left = [] if models else [label for label in run.models() if label not in analysed]
    return ExportedRun(
        run,
        analysis,
        tuple(known),
        _created(run),
        _datasets(run, analysis),
        (f"not exported, for the analysis has no score of it: {', '.join(left)}",) if left else (),
    )


def _created(run: Run) -> datetime:
    found = run.study.get("created")
    try:
        at = datetime.fromisoformat(str(found))
    except ValueError:
        raise RunError(
            f"{run.path / 'study.yaml'}: created: found {str(found)!r:.60}; expected a time"
        ) from None
    return at.replace(tzinfo=at.tzinfo or timezone.utc)


def _datasets(run: Run, analysis: AnalysisResults) -> dict[str, ExportedDataset]:
    settings, recorded = analysis[SETTINGS], run.study.get("datasets") or {}
    found = {}
    for name, metric in settings.metrics.items():
        entry = recorded.get(name)
        facts = entry if isinstance(entry, Mapping) else {}
        about = {"description": str(facts.get("description") or ""), **_of_card(str(facts.get("card") or ""))}
        found[name] = ExportedDataset(name, metric, settings.examples[name], **about)
    return found


def _of_card(name: str) -> dict[str, Any]:
    """What a card says that is here under its name; a file of someone's disk is not opened."""
    if not name.startswith("cards."):
        return {}
    try:
        card = load_card(name)
    except InputError:
        return {}
    task = card.tags.get("task_categories")
    found: dict[str, Any] = {"task": task if isinstance(task, str) else None}
    if card.loader.type_ == "load_tables" and (hub := card.loader.hub) is not None:
        split = card.loader.splits[card.test_split].hub[0]
        found["hub"] = HubData(hub.path, getattr(hub, "revision", None), split)
    return found
