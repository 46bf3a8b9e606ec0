"""The status of a run, from its files alone: at any time, also while another process writes it.

Counted are the stored answers of each model: how they ended, what they cost, which errors came how often.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

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


_COLUMNS = ("key", "error", "finish_reason", *_TOKENS, "prediction")


def count_answers(
    folder: Path, marks: ThinkingMarks = NO_MARKS
) -> tuple[AnswerCounts, list[tuple[str, str]]]:
    """Count the answers in a folder, which may grow meanwhile.

    Args:
        folder: the model's.
        marks: of its thoughts.

    Returns:
        The counts; key and error of each request that has failed.

    Raises:
        RunError: the folder, or a file in it, may not be read.
    """
    shards, damaged = list_shards(folder), list[str]()
    tables = [answer_schema().empty_table().select(_COLUMNS)]
    for shard in shards:
        try:
            tables.append(_endings(shard.path, marks))
        except DamagedShardError as error:
            damaged.append(f"{shard.path}: damaged ({error.reason}); not counted")
        except RunError:
            if list_shards(folder) == shards:
                raise
            return count_answers(folder, marks)  # it has become a part of a larger one
    rows = pa.concat_tables(tables)
    answers = one_a_key(rows)
    failed, good = answers.filter(answers["error"].is_valid()), answers.filter(answers["error"].is_null())
    counts = AnswerCounts(
        answered=len(good),
        failed=len(failed),
        uncounted=_number(pc.and_(rows["error"].is_null(), rows["completion_tokens"].is_null())),
        last=max((shard.written for shard in shards), default=None),
        damaged=tuple(damaged),
        **{name: pc.sum(rows[name]).as_py() or 0 for name in _TOKENS},
        **{name: _number(which(good)) for name, which in _ENDINGS.items()},
    )
    return counts, list(zip(failed["key"].to_pylist(), failed["error"].to_pylist(), strict=True))


def _endings(shard: Path, marks: ThinkingMarks) -> pa.Table:
    """What is counted of a shard: whether texts are empty, read where reasons or marks say one may be."""
    schema, names = answer_schema(), _COLUMNS[:-1]
    rows = pa.concat_tables(read_parts(shard, schema, names))
    texts = pa.nulls(len(rows), schema.field("prediction").type)
    if marks != NO_MARKS or not {CUT, IN_THOUGHTS}.isdisjoint(rows["finish_reason"].unique().to_pylist()):
        whole = pa.concat_tables(read_parts(shard, schema, (*_COLUMNS, "reasoning")))
        rows = read_anew(whole, marks)
        texts = pc.utf8_slice_codeunits(pc.utf8_trim_whitespace(rows["prediction"]), 0, 1)
    return rows.select(names).append_column(schema.field("prediction"), texts)


def _number(which: pa.ChunkedArray) -> int:
    return pc.sum(which).as_py() or 0


RunState = Literal["running", "stopped", "done"]
RunStep = Literal["planning", "asking", "scoring", "analysing", "done"]


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


class RunWatch:
    """Watches a run.

    A process on another host that writes the run without a heartbeat while this watches is dead.

    Raises:
        RunError: the directory is not there.
    """

    def __init__(self, directory: Path | str) -> None:
        self._path = Path(directory)
        if not self._path.is_dir():
            kind = "is a file" if self._path.exists() else "is not there"
            raise RunError(f"{self._path}: {kind}; expected a run directory")
        self._writer_watch = WriterWatch(self._path)

    def look(self) -> RunStatus:
        """The status now.

        Raises:
            RunError: it is no run, or may not be read.
        """
        path = self._path
        # before the files, so that a run which ends meanwhile is not taken for one that was killed
        holder, last = self._writer_watch.writer(), recorded_holder(path)
        progress = read_progress(path)
        planning = last is not None and not (path / STUDY_FILE).exists()
        study: dict[str, Any] = {"models": []} if planning else read_study(path)
        if holder is not None and progress.writer != (holder.name, holder.pid):
            progress = ProgressRecord()  # the file is of an earlier attempt
        running = holder is not None and progress.step != "done"
        models, errors = list[ModelStatus](), list[tuple[str, str, str]]()
        for model in study["models"]:
            status, failed = _model_status(path, model, study, progress, running=running)
            models.append(status)
            errors += [(status.model, *each) for each in failed]
        step = _step(path, study, progress, models)
        if step in ("analysing", "done"):
            right = right_answers(path / SCORES)
            models = [replace(model, right=right.get(model.model)) for model in models]
        return RunStatus(
            run=path,
            name=str(study.get("name") or path.name),
            state="running" if running else "done" if step == "done" else "stopped",
            step=step,
            writer=holder,
            last_writer=progress.writer or ((last.name, last.pid) if last else None),
            models=tuple(models),
            errors=tuple(most_frequent(errors)),
            notes=(*progress.notes, *(text for model in models for text in model.counts.damaged)),
        )


def run_status(directory: Path | str) -> RunStatus:
    """The status of a run now.

    Raises:
        RunError: the directory is not there, is no run, or may not be read.
    """
    return RunWatch(directory).look()


def _model_status(
    run: Path, model: Mapping[str, Any], study: Mapping[str, Any], progress: ProgressRecord, *, running: bool
) -> tuple[ModelStatus, list[tuple[str, str]]]:
    """The progress of a model; key and error of each request that has failed."""
    label, written = str(model["label"]), study.get("written") or {}
    counts, failed = count_answers(run / "predictions" / str(model["folder"]), marks_of(model))
    planned, live = written.get("unique", 0), progress.models.get(label)
    status = ModelStatus(
        label,
        max(planned, live.total) if live else planned + _follow_ups(run / "requests", label),
        counts,
        **(live.model_dump(exclude={"total"}) if live and running else {}),
        unloaded=progress.unloaded.get(label),
        replicates=written.get("replicates", 0),
        price=Price.model_validate(model["price"]) if model.get("price") else None,
    )
    return status, failed


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


def _step(
    path: Path, study: Mapping[str, Any], progress: ProgressRecord, models: Sequence[ModelStatus]
) -> RunStep:
    """The step that the run reports; else what its files show."""
    if not study.get("written"):
        return "planning"
    if progress.step != "asking":
        return progress.step
    if any(model.waiting and model.unloaded is None for model in models):
        return "asking"
    # a file server's clock wrote all three times
    answered = max((model.counts.last or 0.0 for model in models), default=0.0)
    scored, analysed = _written_at(path / SCORES), _written_at(path / ANALYSIS_FILE)
    return "scoring" if scored < answered else "analysing" if analysed < scored else "done"


def _written_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return -1.0


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
