"""The status of a run, from its files alone: at any time, also while another process writes it.

Counted are the stored answers of each model: how they ended, what they cost, which errors came how often.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from ..core.errors import RunError
from ..core.parquet import read_parquet
from ..core.texts import NO_MARKS, ThinkingMarks
from ..recipes import Price
from .answer import CUT, IN_THOUGHTS, answer_schema, cut, refused, unfinished
from .progress import ProgressRecord, read_progress
from .runner import with_more_room
from .store.lock import LockHolder, WriterWatch, recorded_holder
from .store.manifest import STUDY_FILE, marks_of, read_study, recorded_study, study_of
from .store.run import ANALYSIS_FILE, SCORES, Run
from .store.shards import (
    DamagedShardError,
    Shard,
    later_tables,
    list_shards,
    one_a_key,
    read_anew,
    read_parts,
)
from .study_source import asked_again

if TYPE_CHECKING:
    from ..recipes import ModelEntry, Plan


MOST_CHARACTERS = 120
_QUOTED = re.compile(r"'[^']{0,200}'|\"[^\"]{0,200}\"")
_NUMBER = re.compile(r"(?<!\d)(?<!HTTP )\d[\d.,:]*")  # a status of HTTP is the kind itself
_TOKENS = ("prompt_tokens", "completion_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")
_ENDINGS = {"cut": cut, "unfinished": unfinished, "refused": refused}
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """How often an error came, with one request that has it."""

    kind: str
    count: int
    model: str
    key: str
    error: str


@lru_cache(maxsize=4096)
def kind_of(error: str) -> str:
    """An error without what differs between requests: numbers and quoted text."""
    plain = _NUMBER.sub("N", _QUOTED.sub("'...'", error[: 4 * MOST_CHARACTERS]))
    return " ".join(plain.split())[:MOST_CHARACTERS]


def most_frequent(errors: Iterable[tuple[str, str, str]], most: int = 5) -> list[ErrorKind]:
    """The most frequent kinds of errors, each with the first request that has it.

    Args:
        errors: model, key and error of each failed request.
        most: how many kinds.
    """
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    for found in errors:
        kinds.setdefault(kind_of(found[2]), []).append(found)
    counted = [ErrorKind(kind, len(rows), *rows[0]) for kind, rows in kinds.items()]
    return sorted(counted, key=lambda each: -each.count)[:most]


@dataclass(frozen=True)
class AnswerCounts:
    """Counts of a model's stored answers.

    Attributes:
        answered: requests with a prediction.
        failed: requests with an error alone.
        cut: answers with a text that ended at ``max_tokens``.
        unfinished: answers without a text, as they ran out of tokens or ended in their thoughts.
        refused: answers that are refusals.
        prompt_tokens: of all requests whose engine reports them, as are the next ones; also of answers that
            were asked again.
        completion_tokens: of the answers.
        cached_tokens: of the prompts, what a prefix cache had.
        cache_write_tokens: of the prompts, what was put into one.
        reasoning_tokens: of the answers, their thoughts.
        uncounted: answers whose engine does not report their tokens.
        last: when the newest shard was written, in seconds since 1970; None where there is none.
        damaged: shards that cannot be read, a line each; they are not counted.
    """

    answered: int = 0
    failed: int = 0
    cut: int = 0
    unfinished: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    uncounted: int = 0
    last: float | None = None
    damaged: tuple[str, ...] = ()


@dataclass
class AnswerWatch:
    """Counts the answers in a folder, which may grow; each look reads only the shards that are new.

    Attributes:
        folder: the model's.
        marks: of its thoughts.
        errors: key and error of the requests that had failed at the last look.
    """

    folder: Path
    marks: ThinkingMarks = NO_MARKS
    errors: list[tuple[str, str]] = field(default_factory=list)
    _counts: AnswerCounts = field(default_factory=AnswerCounts)
    _read: dict[Shard, pa.Table | str] = field(default_factory=dict)

    def look(self) -> AnswerCounts:
        """The counts now.

        Raises:
            RunError: the folder, or a file in it, may not be read.
        """
        for left in reversed(range(_ATTEMPTS)):
            shards = list_shards(self.folder)
            try:
                read = {shard: self._read.get(shard) or self._rows(shard) for shard in shards}
                last = max((shard.path.stat().st_mtime for shard in shards[-2:]), default=None)
            except (RunError, OSError):  # part of a larger one by now
                if not left:
                    raise
            else:
                break
        if read.keys() != self._read.keys():
            self._read = read
            self._count(last)
        return self._counts

    def _rows(self, shard: Shard) -> pa.Table | str:
        """What is counted of a shard; of a damaged one what is wrong."""
        try:
            return _read_endings(shard.path, self.marks)
        except DamagedShardError as error:
            return f"{shard.path}: damaged ({error.reason}); not counted"

    def _count(self, last: float | None) -> None:
        tables = [part for part in self._read.values() if isinstance(part, pa.Table)]
        rows = pa.concat_tables([_COLUMNS.empty_table(), *tables])
        answers = one_a_key(rows)
        failed, good = answers.filter(answers["error"].is_valid()), answers.filter(answers["error"].is_null())
        uncounted = pc.and_(rows["error"].is_null(), rows["completion_tokens"].is_null())
        self.errors = list(zip(failed["key"].to_pylist(), failed["error"].to_pylist(), strict=True))
        self._counts = AnswerCounts(
            answered=len(good),
            failed=len(failed),
            uncounted=_number(uncounted),
            last=last,
            damaged=tuple(part for part in self._read.values() if isinstance(part, str)),
            **{name: pc.sum(rows[name]).as_py() or 0 for name in _TOKENS},
            **{name: _number(which(good)) for name, which in _ENDINGS.items()},
        )


_COLUMNS = pa.schema(
    [answer_schema().field(name) for name in ("key", "error", "finish_reason", *_TOKENS, "prediction")]
)


def _read_endings(path: Path, marks: ThinkingMarks) -> pa.Table:
    """The rows of a shard, with texts only where one may be unfinished, by its finish reason or the marks."""
    schema, names = answer_schema(), _COLUMNS.names[:-1]
    table = pa.concat_tables(read_parts(path, schema, names))
    short = not {CUT, IN_THOUGHTS}.isdisjoint(table["finish_reason"].unique().to_pylist())
    if not short and marks == NO_MARKS:
        return table.append_column(_COLUMNS.field("prediction"), pa.nulls(len(table), pa.large_string()))
    whole = read_anew(pa.concat_tables(read_parts(path, schema, [*names, "prediction", "reasoning"])), marks)
    # of a text it matters whether it is empty
    texts = pc.utf8_slice_codeunits(pc.utf8_trim_whitespace(whole["prediction"]), 0, 1)
    return whole.select(names).append_column(_COLUMNS.field("prediction"), texts)


def _number(which: pa.ChunkedArray) -> int:
    return pc.sum(which).as_py() or 0


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
        status = replace(status, requests=max(planned, live.total))
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
    tables = later_tables(folder, label, ["key"])
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


def remaining_requests(
    run: Path, plan: Plan, models: Sequence[ModelEntry], unique: Mapping[str, int]
) -> dict[str, dict[str, int]]:
    """Requests by model: how many are ``answered``, ``failed``, ``still to ask``; empty without a run.

    Failed ones are asked again by ``--retry-failed`` only; answers that were cut at fewer tokens than are
    allowed now are still to ask. For designs of several calls, at most so many are
    still to ask, as later calls follow from answers.

    Args:
        run: the directory that the plan would be run in.
        plan: what is asked.
        models: the models to ask.
        unique: how many unique requests each has, by label.

    Raises:
        RunError: the directory holds another study's run or something else, or a label is another model
            there: to run there would be refused with the same words.
    """
    there = recorded_study(run)
    plan, models = with_more_room(plan, models, there)
    study_of(run, there, plan, models)  # refuses what `torr run` would refuse
    if not there:
        return {}
    found, opened = {each.model: each for each in run_status(run).models}, Run(run, there)
    return {
        entry.label: _remaining(opened, entry, found.get(entry.label), unique[entry.label], plan)
        for entry in models
    }


def _remaining(
    run: Run, entry: ModelEntry, status: ModelStatus | None, unique: int, plan: Plan
) -> dict[str, int]:
    if status is None:
        return {"answered": 0, "failed": 0, "still to ask": unique}
    counts = status.counts
    again = len(asked_again(run, plan, entry))
    # what follows from answers is known when nothing waits any more: nothing follows from a call that failed
    as_planned = status.requests and status.replicates == plan.replicate_requests
    known = status.requests if as_planned and not (plan.later and status.waiting) else unique
    left = max(0, known - counts.answered - counts.failed)
    return {"answered": counts.answered - again, "failed": counts.failed, "still to ask": left + again}
