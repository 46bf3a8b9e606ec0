"""Asks a judge about the answers of a run, or about pairs of them, and stores its verdicts and scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.errors import RunError, counted
from ...core.texts import estimate_tokens
from ...prompts import text_of
from ...recipes import JudgeEntry, request_key
from ...running import Run, check_models, exclusive
from ...running.progress import Progress
from ...running.prompt_lists import PromptList, ask_prompts, cut_in, predictions_in
from ...running.store.manifest import model_record
from ...running.store.shards import folder_name
from .asked import AskedRows
from .battles import EQUAL
from .pair_answers import PairsOfAnswers
from .pair_replies import PairReply
from .prompts import PairOptions
from .rows import JUDGED, metric_of
from .single_answers import SingleAnswers

if TYPE_CHECKING:
    from ...prompts import Prompt
    from ...running.runner import RayCluster


@dataclass(frozen=True)
class JudgePlan:
    """What a judge would be asked.

    Attributes:
        judge: its label.
        folder: where its verdicts go.
        models: those whose answers are judged.
        answers: how many answers, or of a judge of pairs, how many pairs of answers (battles).
        pairs: whether pairs are judged.
        equal: pairs of equal answers, which are ties without being asked about.
        unanswered: pairs left out, as one of the two models has no answer.
        requests: the number of different prompts.
        answered: how many of these have a reply already.
        tokens: of the prompts that are left, a token per four characters.
        answer_tokens: of the replies to these, at most.
        cost: of both in US dollars; None without a price.
        notes: what to know before it is asked.
    """

    judge: str
    folder: Path
    models: tuple[str, ...]
    answers: int
    pairs: bool
    equal: int
    unanswered: int
    requests: int
    answered: int
    tokens: int
    answer_tokens: int
    cost: float | None
    notes: tuple[str, ...]

    @property
    def line(self) -> str:
        """The plan in a sentence."""
        what, replies = f"{counted(self.answers, 'answer')} to judge", ""
        if self.pairs:
            equal = f" ({self.equal:,} of equal answers, which are ties)" if self.equal else ""
            what = f"{counted(self.answers, 'battle')} of {len(self.models)} models to judge{equal}"
            replies = f", for replies of at most {self.answer_tokens:,}"
        left = counted(self.requests - self.answered, "request")
        cost = "" if self.cost is None else f", some ${self.cost:,.2f}"
        already = f"; {self.answered:,} have one already" if self.answered else ""
        return f"{self.judge}: {what}, {left} of some {self.tokens:,} tokens to send{replies}{cost}{already}"


@dataclass(frozen=True)
class Judgement:
    """A judge's verdicts on a run's answers, or on pairs of them.

    Attributes:
        folder: ``RUN/judged/<judge>``: ``answers/*.parquet`` (key, prediction, error, ...), ``judge.yaml``,
            and ``verdicts.parquet`` or ``battles.parquet``.
        judge: the judge's label.
        kind: ``yes-no``, ``score`` or ``pair``.
        metric: its scores' name in scores.parquet; empty of pairs.
        baseline: of pairs, the model that the others were compared with; None: each with each.
        verdicts: a row an answer: ``CELL``, key, ``verdict`` (yes, no, a score from 0 to 100 as text,
            unclear; null where the judge failed), and what it is compared with, ``contained`` or ``main``; of
            pairs the columns of ``battles.parquet``.
        overall: of ``yes-no`` agreement with complete containment, of ``score`` the means, of pairs the
            figures of all battles.
        datasets: the same for each data set; none of pairs.
        models: the same for each judged model; of pairs its record.
        asked: the number of different prompts; equal answers to equal questions are judged once.
        failed: the number of those with an error.
        cut: the number of those whose reply was cut at the most tokens; whatever it says is unclear.
        unclear: the first reply without a verdict, if there is one.
    """

    folder: Path
    judge: str
    kind: str
    metric: str
    baseline: str | None
    verdicts: pd.DataFrame
    overall: Mapping[str, Any]
    datasets: Mapping[str, Mapping[str, Any]]
    models: Mapping[str, Mapping[str, Any]]
    asked: int
    failed: int
    cut: int
    unclear: str | None


def plan_judging(
    run: Path | str,
    judge: JudgeEntry,
    *,
    limit: int | None = None,
    datasets: Collection[str] | None = None,
) -> JudgePlan:
    """What :func:`judge_run` would ask, without asking or writing anything; arguments and errors as there."""
    return _judging(run, judge, limit, datasets).plan()


def judge_run(
    run: Path | str,
    judge: JudgeEntry,
    *,
    executor: str | RayCluster = "local",
    limit: int | None = None,
    datasets: Collection[str] | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
    tell: Callable[[str], object] = lambda line: None,
) -> Judgement:
    """Ask a judge about every answer, or pair, of a run that it has not judged yet; run again to resume.

    Verdicts on answers become rows of scores.parquet, where the run has been scored; those on pairs become
    battles.parquet.

    Args:
        run: the run directory.
        judge: who is asked, and for what; ``datasets`` stands instead of its cards.
        executor: ``local``, ``ray`` or a Ray cluster.
        limit: at most so many examples a data set, the first in the run's order.
        datasets: only these data sets (or cards).
        progress: reports how far the judge is.
        retry_failed: ask again what has an error from an earlier attempt.
        tell: is given lines on what is about to be sent.

    Raises:
        RunError: no run, another judge of this name judged it before, or the data of a card changed.
        InputError: no such data set or baseline, or fewer than two models to compare.
        ModelError: the judge or an argument is unknown, or it cannot be loaded; what was judged before is
            kept.
        Interrupted: Ctrl-C; what was judged is kept.
    """
    judging = _judging(run, judge, limit, datasets)
    planned = judging.plan()
    for line in (planned.line, *planned.notes):
        tell(line)
    with exclusive(judging.run.path):
        failed = judging.send(executor, progress, retry_failed)
        judgement = judging.judgement(failed)
        judging.task.write(judging.run, judgement.folder, judgement.verdicts)
    return judgement


def pair_options(judge: JudgeEntry) -> PairOptions:
    """What a judge of pairs is asked."""
    return PairOptions(
        baseline=judge.baseline,
        scale=judge.scale,
        both_orders=judge.orders != "one",
        table=bool(judge.table),
    )


def judge_task(judge: JudgeEntry) -> SingleAnswers | PairsOfAnswers:
    """What a judge is asked about: single answers, or pairs of them."""
    return PairsOfAnswers(pair_options(judge)) if judge.kind == "pair" else SingleAnswers(judge.kind)


def _judging(
    run: Path | str, judge: JudgeEntry, limit: int | None, datasets: Collection[str] | None
) -> _Judging:
    check_models([judge], here=False)  # with all verdicts there, what it needs may be gone
    opened = Run.open(run)
    task = judge_task(judge)
    asked = task.rows(opened, limit, datasets)
    generation = {"max_tokens": judge.longest_reply, "temperature": 0.0, "until": []}
    different = {id(prompt): prompt for prompt in asked.prompts if prompt is not None}  # equal ones are one
    known = {key: request_key(prompt, generation) for key, prompt in different.items()}
    return _Judging(opened, judge, task, generation, asked, [known.get(id(each)) for each in asked.prompts])


@dataclass(frozen=True)
class _Judging:
    """A judge, what it is asked about in a run, and the keys of the prompts."""

    run: Run
    judge: JudgeEntry
    task: SingleAnswers | PairsOfAnswers
    generation: Mapping[str, Any]
    asked: AskedRows
    keys: Sequence[str | None]

    @property
    def folder(self) -> Path:
        return self.run.path / JUDGED / folder_name(self.judge.label)

    @cached_property
    def wanted(self) -> dict[str, Prompt]:
        """The different prompts by their keys."""
        asked = zip(self.keys, self.asked.prompts, strict=True)
        return {key: prompt for key, prompt in asked if key is not None and prompt is not None}

    def plan(self) -> JudgePlan:
        try:
            there = predictions_in(self.folder) if self.folder.exists() else {}
        except RunError:  # damaged replies are set aside, and asked for again
            there = {}
        left = [prompt for key, prompt in self.wanted.items() if key not in there]
        tokens = sum(estimate_tokens(text_of(prompt)) for prompt in left)
        most, price = len(left) * self.judge.longest_reply, self.judge.price
        lacking, notes = self.asked.unanswered, contestant_notes(self.run, self.judge, self.asked.models)
        if lacking:
            note = f"{counted(lacking, 'pair')} left out, as one of the two models has no answer"
            notes = chain([note], notes)
        return JudgePlan(
            judge=self.judge.label,
            folder=self.folder,
            models=self.asked.models,
            answers=len(self.keys) // self.task.orders,
            pairs=self.judge.kind == "pair",
            equal=self.keys.count(None) // self.task.orders,
            unanswered=lacking,
            requests=len(self.wanted),
            answered=len(self.wanted) - len(left),
            tokens=tokens,
            answer_tokens=most,
            cost=None if price is None else price.of_prompts(tokens) + price.of_answers(most),
            notes=tuple(notes),
        )

    def send(
        self, executor: str | RayCluster, progress: Progress | None, retry_failed: bool
    ) -> Collection[str]:
        """Ask what has no answer yet, and keep the answers; gives the keys that failed."""
        # answers at another price are the same answers
        judge = self.judge.model_copy(update={"price": None})
        listed = PromptList(judge, self.wanted, self.folder, "judge", self.task.record)
        failed = ask_prompts(
            [listed],
            self.generation,
            kept=self.folder,
            executor=executor,
            progress=progress,
            retry_failed=retry_failed,
        )
        return failed[self.judge.label]

    def judgement(self, failed: Collection[str]) -> Judgement:
        """What the judge's stored replies say."""
        replies = predictions_in(self.folder)
        cut = cut_in(self.folder).intersection(self.wanted)
        read = {
            key: self.task.read(replies[key], answers, cut=key in cut)
            for key, answers in dict(zip(self.keys, self.asked.answers, strict=True)).items()
            if key in replies
        }
        unclear = (replies[key] for key, reply in read.items() if key and reply.verdict == "unclear")
        told = [PairReply("tie", EQUAL) if key is None else read.get(key) for key in self.keys]
        verdicts = self.task.verdicts(self.asked.rows, self.keys, told, self.judge.label)
        overall, datasets, models = self.task.figures(verdicts)
        return Judgement(
            folder=self.folder,
            judge=self.judge.label,
            kind=self.judge.kind,
            metric="" if self.judge.kind == "pair" else metric_of(self.judge.label),
            baseline=self.judge.baseline,
            verdicts=verdicts,
            overall=overall,
            datasets=datasets,
            models=models,
            asked=len(self.wanted),
            failed=len(failed),
            cut=len(cut),
            unclear=next(unclear, None),
        )


def contestant_notes(run: Run, judge: JudgeEntry, models: Collection[str]) -> Iterator[str]:
    """Say where a judge judges its own answers, or those of a model of its family."""
    own = model_record(judge, "")
    for each in run.study["models"]:
        if each["label"] not in models:
            continue
        if _is_one_model(each, own) or each["label"] == judge.label:
            yield f"the judge {judge.label!r} is the model {each['label']!r} too: it judges its own answers"
        elif judge.family is not None and each.get("family") == judge.family:
            yield (
                f"the judge {judge.label!r} is of the family {judge.family!r}, as the model "
                f"{each['label']!r} is, and may prefer its answers"
            )


def _is_one_model(model: Mapping[str, Any], judge: Mapping[str, Any]) -> bool:
    """Whether a model and a judge, as files name them, are of one class with the same arguments."""
    return (model.get("model"), model.get("args") or {}) == (judge.get("model"), judge.get("args") or {})
