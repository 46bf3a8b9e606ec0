"""Asks a judge about the answers of a run, and stores its verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ...core.atomic_files import write_atomically
from ...recipes import labelled, request_key
from ...running import Run, check_models, exclusive
from ...running.asking import PromptList, ask_prompts, predictions_in
from ...running.progress import Progress
from ...running.store.manifest import folder_name
from ...running.store.shards import parquet_bytes
from ..request_index import CELL
from .prompts import judged_answers
from .verdicts import JudgeAgreement, agreement, verdict_of

if TYPE_CHECKING:
    import pandas as pd

    from ...recipes import ModelEntry


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
    asked = PromptList(judge, wanted, folder, "judge")
    with exclusive(opened.path):
        failed = ask_prompts(
            [asked], generation, kept=folder, executor=executor, progress=progress, retry_failed=retry_failed
        )
        answers = {key: verdict_of(text) for key, text in predictions_in(folder).items()}
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
        failed=len(failed[judge.label]),
    )


def _agreement(frame: pd.DataFrame) -> JudgeAgreement:
    verdicts = [verdict if isinstance(verdict, str) else None for verdict in frame["verdict"]]
    return agreement(verdicts, frame["contained"])


def _write(folder: Path, frame: pd.DataFrame) -> None:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    write_atomically(folder / "verdicts.parquet", parquet_bytes(table))
