"""Asks a judge about the answers of a run, and stores its verdicts."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import yaml

from ...core.atomic_files import make_directory, read_error, write_atomically
from ...core.errors import ModelError, RunError
from ...recipes import labelled, request_key
from ...running import Run, check_models, exclusive
from ...running.executors import ModelJob, open_executor
from ...running.interruption import Interrupted, stoppable
from ...running.pending_request import ListedRequests, PendingRequest, StoppableSource
from ...running.progress import NoProgress, Progress
from ...running.store.manifest import folder_name, model_record
from ...running.store.predictions import AnswerStore, read_answers
from ...running.store.shards import parquet_bytes
from ..answers import CELL
from .prompts import judged_answers
from .verdicts import JudgeAgreement, agreement, verdict_of

if TYPE_CHECKING:
    import pandas as pd

    from ...prompts import Prompt
    from ...recipes import ModelEntry
    from ...running import Answer

JUDGE_FILE = "judge.yaml"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Judgement:
    """A judge's verdicts on a run's answers.

    Attributes:
        folder: ``RUN/judged/<judge>``: ``answers/*.parquet`` (key, prediction, error, ...),
            ``verdicts.parquet`` and ``judge.yaml``.
        judge: the judge's label.
        verdicts: a row an answer: ``CELL``, key, ``verdict`` (yes, no, unclear; null where the judge failed),
            ``contained``.
        overall: agreement with complete containment over all answers.
        datasets: the same for each data set.
        models: the same for each judged model.
        asked: the number of different prompts; equal answers to equal questions are judged once.
        failed: the number of those with an error.
    """

    folder: Path
    judge: str
    verdicts: pd.DataFrame
    overall: JudgeAgreement
    datasets: Mapping[str, JudgeAgreement]
    models: Mapping[str, JudgeAgreement]
    asked: int
    failed: int


def judge_run(
    run: Path | str,
    judge: ModelEntry,
    *,
    executor: str = "local",
    limit: int | None = None,
    max_tokens: int = 64,
    progress: Progress | None = None,
    retry_failed: bool = False,
) -> Judgement:
    """Ask a judge about every answer of a run that it has not judged yet; run again to resume.

    Args:
        run: the run directory.
        judge: any of lm-eval's models.
        executor: ``local`` or ``ray``.
        limit: at most so many examples a data set.
        max_tokens: of a verdict; more for models that think aloud.
        progress: reports how far the judge is.
        retry_failed: ask again what has an error from an earlier attempt.

    Raises:
        RunError: no run, another judge of this name judged it before, or the data of a card changed.
        ModelError: the judge or an argument is unknown, or it cannot be loaded; what was judged before is
            kept.
        Interrupted: Ctrl-C; what was judged is kept.
    """
    (judge,) = labelled([judge])
    check_models([judge], here=False)  # with all verdicts there, what it needs may be gone
    opened = Run.open(run)
    cells = judged_answers(opened, limit)
    generation = {"max_tokens": max_tokens, "temperature": 0.0, "until": []}
    keys = [request_key(prompt, generation) for prompt in cells["asked"]]
    wanted = dict(zip(keys, cells["asked"], strict=True))
    folder = opened.path / "judged" / folder_name(judge.label)
    asking = _JudgeQueries(judge, generation, executor, progress or NoProgress(), retry_failed)
    with exclusive(opened.path):
        failed = asking.ask(wanted, folder)
        answers = dict(_verdicts_by_key(folder / "answers"))
        verdicts: Any = [answers.get(key) for key in keys]
        # lists, so that categories and texts of any kind become what the file will have
        names: dict[str, Any] = {name: cells[name].tolist() for name in CELL}
        frame = cells[[*CELL, "contained"]].assign(**names, key=keys, verdict=verdicts)
        _write(folder, frame)
    return Judgement(
        folder=folder,
        judge=judge.label,
        verdicts=frame,
        overall=_agreement(frame),
        datasets={str(name): _agreement(part) for name, part in frame.groupby("dataset", sort=False)},
        models={str(name): _agreement(part) for name, part in frame.groupby("model", sort=False)},
        asked=len(wanted),
        failed=len(failed),
    )


@dataclass(frozen=True, slots=True)
class _JudgeQueries:
    judge: ModelEntry
    generation: Mapping[str, Any]
    executor: str
    progress: Progress
    retry_failed: bool

    def ask(self, wanted: Mapping[str, Prompt], folder: Path) -> set[str]:
        """Ask the judge the prompts without a verdict; return the keys that have an error."""
        make_directory(folder)
        store = AnswerStore.resume(folder / "answers")
        for note in store.notes:
            _log.warning("%s", note)
        # failures under other arguments, such as a wrong address, are not held against these
        again = _record(folder, self.judge, judged=bool(store.answered)) or self.retry_failed
        pending = {
            key: prompt
            for key, prompt in wanted.items()
            if key not in store.answered and (again or key not in store.failed)
        }
        try:
            self._pending(pending, len(wanted) - len(pending), store)
        except KeyboardInterrupt:
            raise Interrupted(folder) from None
        return {key for key in wanted if key in store.failed}

    def _pending(self, pending: Mapping[str, Prompt], done: int, store: AnswerStore) -> None:
        """Ask the pending prompts, and store the answers batch by batch."""
        self.progress.start(self.judge.label, len(pending) + done, done)
        if pending:
            with stoppable(_log.warning) as stop:
                source = ListedRequests(PendingRequest(key, prompt) for key, prompt in pending.items())
                on_traffic = partial(self.progress.traffic, self.judge.label)
                asked = StoppableSource(source, stop)
                job = ModelJob(self.judge, self.generation, asked, len(pending), on_traffic)
                with open_executor(self.executor) as executor, closing(executor.run([job])) as batches:
                    for _, answers in batches:
                        self._store(answers, store)
                if stop.requested:
                    raise KeyboardInterrupt
        self.progress.finish(self.judge.label)

    def _store(self, answers: Sequence[Answer] | ModelError, store: AnswerStore) -> None:
        """Store a batch of the judge's answers.

        Raises:
            ModelError: there is none, as the judge cannot be loaded.
        """
        if isinstance(answers, ModelError):
            raise answers
        store.append(answers)
        failed = sum(answer.error is not None for answer in answers)
        self.progress.advance(self.judge.label, len(answers), failed)


def _verdicts_by_key(folder: Path) -> Iterator[tuple[str, str]]:
    """Key and verdict of everything the judge answered."""
    table = read_answers(folder).select(["key", "prediction"])
    for row in table.to_pylist():
        if row["prediction"] is not None:
            yield row["key"], verdict_of(row["prediction"])


def _agreement(frame: pd.DataFrame) -> JudgeAgreement:
    verdicts = [verdict if isinstance(verdict, str) else None for verdict in frame["verdict"]]
    return agreement(verdicts, frame["contained"])


def _record(folder: Path, judge: ModelEntry, *, judged: bool) -> bool:
    """Record the judge; return whether its model or arguments differ from those recorded before.

    Raises:
        RunError: they do, and the former one ``judged`` something, so that the verdicts would mix; or the
            record cannot be read or written.
    """
    path, record = folder / JUDGE_FILE, model_record(judge, folder.name)
    there = _recorded(path)
    if judged and there not in (None, record):
        raise RunError(
            f"{path}: the judge {judge.label!r} was another model or had other arguments "
            f"(found {there!r:.200}); give this one another name, remove {folder}, or judge with the former"
        )
    write_atomically(path, yaml.safe_dump(record, sort_keys=False, allow_unicode=True).encode("utf-8"))
    return there not in (None, record)


def _recorded(path: Path) -> Any:
    """What ``judge.yaml`` holds; None where there is none."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None
    except OSError as error:
        raise read_error(path, error) from error
    except (yaml.YAMLError, UnicodeDecodeError):
        raise RunError(f"{path}: is not YAML; expected what 'torr judge' wrote") from None


def _write(folder: Path, frame: pd.DataFrame) -> None:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    write_atomically(folder / "verdicts.parquet", parquet_bytes(table))
