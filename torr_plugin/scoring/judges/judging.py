"""Asks a judge about the answers of a run, and stores its verdicts and their scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import counted
from ...recipes import LONGEST_VERDICT, request_key
from ...running import Run, exclusive
from ...running.asking import cut_in, predictions_in
from ...running.progress import Progress
from ...running.store.run import SCORES
from ..request_index import CELL
from .answers import judged_answers
from .notes import contestant_notes, in_dollars
from .prompts import YES_NO, JudgeKind, judge_kind
from .rows import metric_of, with_verdicts, write_verdicts
from .sending import VerdictPrompts, checked_judge, judge_generation
from .verdicts import Grades, JudgeAgreement, agreement, grades

if TYPE_CHECKING:
    import pandas as pd

    from ...recipes import ModelEntry
    from ...running.executors import RayCluster

Summary = JudgeAgreement | Grades


@dataclass(frozen=True)
class Judgement:
    """A judge's verdicts on a run's answers.

    Attributes:
        folder: ``RUN/judged/<judge>``: ``answers/*.parquet`` (key, prediction, error, ...),
            ``verdicts.parquet`` and ``judge.yaml``.
        judge: the judge's label.
        kind: ``yes-no`` or ``score``.
        metric: its scores' name in scores.parquet.
        verdicts: a row an answer: ``CELL``, key, ``verdict`` (yes, no, a score from 0 to 100 as text,
            unclear; null where the judge failed), and what it is compared with: ``contained``, or ``main``.
        overall: of ``yes-no`` agreement with complete containment over all answers; of ``score`` the means.
        datasets: the same for each data set.
        models: the same for each judged model.
        asked: the number of different prompts; equal answers to equal questions are judged once.
        failed: the number of those with an error.
        cut: the number of those whose reply was cut at the most tokens; whatever it says is unclear.
        unclear: the first reply without a verdict, if there is one.
    """

    folder: Path
    judge: str
    kind: str
    metric: str
    verdicts: pd.DataFrame
    overall: Summary
    datasets: Mapping[str, Summary]
    models: Mapping[str, Summary]
    asked: int
    failed: int
    cut: int
    unclear: str | None


@dataclass(frozen=True)
class JudgePlan:
    """What a judge would be asked.

    Attributes:
        judge: its label.
        folder: where its verdicts go.
        answers: how many answers of models are judged.
        requests: the number of different prompts.
        answered: how many of these have a reply already.
        tokens: of the prompts that are left, a token per four characters.
        cost: of these and of verdicts as long as they may be, in US dollars; None without a price.
        notes: what to know before it is asked.
    """

    judge: str
    folder: Path
    answers: int
    requests: int
    answered: int
    tokens: int
    cost: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The plan in a sentence."""
        left = self.requests - self.answered
        already = f"; {self.answered:,} have one already" if self.answered else ""
        return (
            f"{self.judge}: {counted(self.answers, 'answer')} to judge, {counted(left, 'request')} "
            f"of some {self.tokens:,} tokens to send{in_dollars(self.cost)}{already}"
        )


def plan_judging(
    run: Path | str,
    judge: ModelEntry,
    *,
    kind: str = YES_NO.name,
    limit: int | None = None,
    datasets: Collection[str] | None = None,
    max_tokens: int = LONGEST_VERDICT,
) -> JudgePlan:
    """What :func:`judge_run` would ask, without asking or writing anything; arguments and errors as there."""
    return _Judging.of(run, judge, judge_kind(kind), limit, datasets, max_tokens=max_tokens).plan()


def judge_run(
    run: Path | str,
    judge: ModelEntry,
    *,
    kind: str = YES_NO.name,
    executor: str | RayCluster = "local",
    limit: int | None = None,
    datasets: Collection[str] | None = None,
    max_tokens: int = LONGEST_VERDICT,
    progress: Progress | None = None,
    retry_failed: bool = False,
    tell: Callable[[str], object] = lambda line: None,
) -> Judgement:
    """Ask a judge about every answer of a run that it has not judged yet; run again to resume.

    Verdicts become rows of scores.parquet, where the run has been scored.

    Args:
        run: the run directory.
        judge: any of lm-eval's models. One without a name that gives scores is called ``<model>-score``.
        kind: ``yes-no`` asks whether an answer is right, ``score`` for a score from 0 to 100 with the table.
        executor: ``local``, ``ray`` or a Ray cluster.
        limit: at most so many examples a data set.
        datasets: only these data sets (or cards).
        max_tokens: of a verdict; more for models that think long, as a reply that is cut is unclear.
        progress: reports how far the judge is.
        retry_failed: ask again what has an error from an earlier attempt.
        tell: is given lines on what is about to be sent.

    Raises:
        RunError: no run, another judge of this name judged it before, or the data of a card changed.
        InputError: no such kind, or no such data set.
        ModelError: the judge or an argument is unknown, or it cannot be loaded; what was judged before is
            kept.
        Interrupted: Ctrl-C; what was judged is kept.
    """
    judging = _Judging.of(run, judge, judge_kind(kind), limit, datasets, max_tokens=max_tokens)
    planned = judging.plan()
    for line in (planned.line, *planned.notes):
        tell(line)
    with exclusive(judging.run.path):
        failed = judging.prompts.send(executor=executor, progress=progress, retry_failed=retry_failed)
        judgement = judging.judgement(failed)
        write_verdicts(judgement.folder, judgement.verdicts)
        if (judging.run.path / SCORES).exists():
            judging.run.write_scores(with_verdicts(judging.run.scores(), judging.run.path))
    return judgement


@dataclass(frozen=True)
class _Judging:
    """A judge and the answers of a run: ``cells`` with the ``keys`` of their prompts."""

    run: Run
    judge: ModelEntry
    kind: JudgeKind
    generation: Mapping[str, Any]
    cells: pd.DataFrame
    keys: Sequence[str]

    @classmethod
    def of(
        cls,
        run: Path | str,
        judge: ModelEntry,
        kind: JudgeKind,
        limit: int | None,
        datasets: Collection[str] | None,
        *,
        max_tokens: int,
    ) -> _Judging:
        named = checked_judge(judge, kind.name)
        opened = Run.open(run)
        cells = judged_answers(opened, limit, kind=kind, datasets=datasets)
        generation = judge_generation(max_tokens)
        known: dict[int, str] = {}  # equal prompts are one object
        for prompt in cells["asked"]:
            if id(prompt) not in known:
                known[id(prompt)] = request_key(prompt, generation)
        return cls(opened, named, kind, generation, cells, [known[id(each)] for each in cells["asked"]])

    @cached_property
    def prompts(self) -> VerdictPrompts:
        record = {} if self.kind is YES_NO else {"kind": self.kind.name}
        wanted = dict(zip(self.keys, self.cells["asked"], strict=True))
        return VerdictPrompts(self.run, self.judge, self.generation, wanted, record)

    def plan(self) -> JudgePlan:
        unsent = self.prompts.unsent()
        return JudgePlan(
            judge=self.judge.label,
            folder=self.prompts.folder,
            answers=len(self.cells),
            requests=unsent.requests,
            answered=unsent.answered,
            tokens=unsent.tokens,
            cost=unsent.cost,
            notes=tuple(contestant_notes(self.run, self.judge, self.cells["model"].unique().tolist())),
        )

    def judgement(self, failed: Collection[str]) -> Judgement:
        """What the judge's stored replies say."""
        replies = predictions_in(self.prompts.folder)
        cut = cut_in(self.prompts.folder).intersection(self.keys)
        known = {
            key: "unclear" if key in cut else self.kind.read(replies[key])
            for key in dict.fromkeys(self.keys)
            if key in replies
        }
        verdicts: Any = [known.get(key) for key in self.keys]
        # lists, so that categories and texts of any kind become what the file will have
        names: dict[str, Any] = {name: self.cells[name].tolist() for name in CELL}
        beside = "contained" if self.kind is YES_NO else "main"
        frame = self.cells[[*CELL, beside]].assign(**names, key=list(self.keys), verdict=verdicts)
        return Judgement(
            folder=self.prompts.folder,
            judge=self.judge.label,
            kind=self.kind.name,
            metric=metric_of(self.judge.label),
            verdicts=frame,
            overall=_summary(frame),
            datasets={str(name): _summary(part) for name, part in frame.groupby("dataset", sort=False)},
            models={str(name): _summary(part) for name, part in frame.groupby("model", sort=False)},
            asked=len(self.prompts.wanted),
            failed=len(failed),
            cut=len(cut),
            unclear=next((replies[key] for key, said in known.items() if said == "unclear"), None),
        )


def _summary(frame: pd.DataFrame) -> Summary:
    verdicts = [verdict if isinstance(verdict, str) else None for verdict in frame["verdict"]]
    if "contained" in frame:
        return agreement(verdicts, frame["contained"])
    return grades(verdicts, frame["main"].tolist())
