"""The status of a run, from its files alone: at any time, also while another process writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from ..core.errors import RunError
from ..core.parquet import read_parquet
from ..recipes import Price
from .answer_counts import AnswerCounts, AnswerWatch, ErrorKind, most_frequent
from .progress import ProgressRecord, read_progress
from .store import requests
from .store.lock import LockHolder, WriterWatch, recorded_holder
from .store.manifest import STUDY_FILE, marks_of, read_study
from .store.run import ANALYSIS_FILE, SCORES
from .traffic import NO_TRAFFIC, ServerTraffic

RunState = Literal["running", "stopped", "done"]
RunStep = Literal["planning", "asking", "scoring", "analysing", "done"]

_MOST = 10**15


@dataclass(frozen=True)
class ModelStatus:
    """The progress of one model.

    Attributes:
        model: its label.
        requests: how many different ones there are, as far as is known by now.
        counts: what is stored.
        rate: requests a second lately; None where no process asks, or it is unknown.
        token_rate: tokens of answers a second.
        seconds_left: at that rate.
        unloaded: why it could not be loaded, or broke; None where it did not, or was not tried.
        replicates: how many of the planned requests ask a prompt again.
        traffic: what its server did besides answering, in the last attempt.
        price: of its tokens; None where it is not known.
        right: the sum of its main scores, once all answers are scored; None before.
    """

    model: str
    requests: int
    counts: AnswerCounts
    rate: float | None = None
    token_rate: float | None = None
    seconds_left: float | None = None
    unloaded: str | None = None
    replicates: int = 0
    traffic: ServerTraffic = NO_TRAFFIC
    price: Price | None = None
    right: float | None = None

    @property
    def cost_of_right(self) -> float | None:
        """US dollars for each right answer: the cost by the sum of main scores; None where one is unknown."""
        return self.cost / self.right if self.right and self.cost is not None else None

    @property
    def cost(self) -> float | None:
        """US dollars for the tokens that its engine reports; None without a price, or if it reports none."""
        if self.price is None or (self.counts.uncounted and not self.counts.completion_tokens):
            return None
        counts = self.counts
        prompts = self.price.of_prompts(counts.prompt_tokens, counts.cached_tokens, counts.cache_write_tokens)
        return prompts + self.price.of_answers(counts.completion_tokens)

    @property
    def waiting(self) -> int:
        """Requests without an answer or an error."""
        return max(0, self.requests - self.counts.answered - self.counts.failed)


@dataclass(frozen=True)
class RunStatus:
    """The status of a run.

    Attributes:
        run: the directory.
        name: the study's.
        state: ``running`` where a process holds the run, ``done`` where all is there, else ``stopped``.
        step: what it does, or did when it stopped.
        writer: the process that holds it; ``alive`` is None where that is not visible from this host.
        last_writer: ``host`` and ``pid`` of who wrote it last, where that is known.
        models: a status a model, in the run's order.
        errors: the most frequent kinds of errors.
        notes: what was found and mended, and what cannot be read.
        asked: requests that were answered or failed in the last attempt ...
        seconds: ... in so many seconds of asking; 0 where that is unknown.
    """

    run: Path
    name: str
    state: RunState
    step: RunStep
    writer: LockHolder | None
    last_writer: tuple[str, int] | None
    models: tuple[ModelStatus, ...]
    errors: tuple[ErrorKind, ...]
    notes: tuple[str, ...]
    asked: int = 0
    seconds: float = 0.0


class RunWatch:
    """Watches a run; each look reads only what is new.

    A process on another host that writes the run without a heartbeat while this watches is dead.

    Raises:
        RunError: the directory is not there.
    """

    def __init__(self, directory: Path | str) -> None:
        self._path = Path(directory)
        if not self._path.is_dir():
            kind = "is a file" if self._path.exists() else "is not there"
            raise RunError(f"{self._path}: {kind}; expected a run directory")
        self._answers: dict[str, AnswerWatch] = {}
        self._writer_watch = WriterWatch(self._path)

    def look(self) -> RunStatus:
        """The status now.

        Raises:
            RunError: it is no run, or may not be read.
        """
        # before the files, so that a run which ends meanwhile is not taken for one that was killed
        holder = self._writer_watch.writer()
        progress = read_progress(self._path)
        if not (self._path / STUDY_FILE).exists() and (last_holder := recorded_holder(self._path)):
            return self._planning_status(holder, last_holder)
        study = read_study(self._path)
        if holder is not None and progress.writer != (holder.name, holder.pid):
            progress = ProgressRecord()  # the file is of an earlier attempt
        running = holder is not None and progress.step != "done"
        models = tuple(self._model(model, study, progress, running=running) for model in study["models"])
        step = _step(self._path, study, progress, models)
        if step in ("analysing", "done"):
            right = right_answers(self._path / SCORES)
            models = tuple(replace(model, right=right.get(model.model)) for model in models)
        return RunStatus(
            run=self._path,
            name=str(study.get("name") or self._path.name),
            state="running" if running else "done" if step == "done" else "stopped",
            step=step,
            writer=holder,
            last_writer=progress.writer,
            models=models,
            errors=tuple(
                most_frequent(
                    (label, *error) for label, watch in self._answers.items() for error in watch.errors
                )
            ),
            notes=(*progress.notes, *(text for model in models for text in model.counts.damaged)),
            asked=progress.asked,
            seconds=progress.seconds,
        )

    def _planning_status(self, holder: LockHolder | None, last_holder: LockHolder) -> RunStatus:
        """The status while data are read and the study is planned, or if that was killed."""
        state: RunState = "stopped" if holder is None else "running"
        last = (last_holder.name, last_holder.pid)
        return RunStatus(self._path, self._path.name, state, "planning", holder, last, (), (), ())

    def _model(
        self, model: Mapping[str, Any], study: Mapping[str, Any], progress: ProgressRecord, *, running: bool
    ) -> ModelStatus:
        label, folder = str(model["label"]), self._path / "predictions" / str(model["folder"])
        marks, watch = marks_of(model), self._answers.get(label)
        if watch is None or watch.marks != marks:  # named later, they change what an answer is
            watch = self._answers[label] = AnswerWatch(folder, marks)
        planned, live = _written(study, "unique"), progress.models.get(label)
        status = ModelStatus(
            label,
            planned,
            watch.look(),
            unloaded=progress.unloaded.get(label),
            replicates=_written(study, "replicates"),
            price=_price(model),
        )
        if live is None:
            return replace(status, requests=planned + _follow_ups(self._path / "requests", label))
        status = replace(status, requests=max(planned, live.total), traffic=live.traffic)
        rates = ("rate", "token_rate", "seconds_left")
        return replace(status, **{name: getattr(live, name) for name in rates}) if running else status


def run_status(directory: Path | str) -> RunStatus:
    """The status of a run now.

    Raises:
        RunError: the directory is not there, is no run, or may not be read.
    """
    return RunWatch(directory).look()


def _written(study: Mapping[str, Any], name: str) -> int:
    """A count of study.yaml's ``written``; 0 where there is none, as in a file of others."""
    count = (study.get("written") or {}).get(name)
    return count if isinstance(count, int) and 0 <= count <= _MOST else 0


def _follow_ups(folder: Path, label: str) -> int:
    """How many different requests followed from a model's answers so far; damaged ones are made again."""
    tables = requests.later_tables(folder, label, ["key"])
    return len({key for table in tables for key in table["key"].to_pylist()})


def right_answers(scores: Path) -> dict[str, float]:
    """Model -> the sum of its main scores; empty where there are no scores, or no readable ones."""
    try:
        with scores.open("rb") as file:  # opened here: Arrow takes no path that is not UTF-8
            table = read_parquet(file, ["model", "score", "main"])
        main = table.filter(pc.and_(table["main"], pc.is_finite(table["score"])))
        named = pa.table({"model": main["model"].cast(pa.string()), "score": main["score"]})
        sums = named.group_by("model").aggregate([("score", "sum")])
    except (OSError, KeyError, pa.ArrowException):  # a file of others, or one that is damaged
        return {}
    return dict(zip(sums["model"].to_pylist(), sums["score_sum"].to_pylist(), strict=True))


def _price(model: Mapping[str, Any]) -> Price | None:
    """The price in a model's record; None where there is none, or nothing sensible."""
    try:
        return Price.model_validate(model["price"]) if model.get("price") else None
    except ValidationError:
        return None


def _step(
    path: Path, study: Mapping[str, Any], progress: ProgressRecord, models: tuple[ModelStatus, ...]
) -> RunStep:
    """The step that the run reports; else what its files show."""
    if not study.get("written"):
        return "planning"
    if progress.step != "asking":
        return progress.step
    if any(model.waiting and model.unloaded is None for model in models):
        return "asking"
    return _step_of_files(path, max((model.counts.last or 0.0 for model in models), default=0.0))


def _step_of_files(path: Path, last_answer: float) -> RunStep:
    scored, analysed = _written_at(path / SCORES), _written_at(path / ANALYSIS_FILE)
    # a file server's clock wrote both times
    if scored is None or scored < last_answer:
        return "scoring"
    return "analysing" if analysed is None or analysed < scored else "done"


def _written_at(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
