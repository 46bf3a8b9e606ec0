"""Asks a judge about the pairs of a run, and stores the battles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ....core.errors import InputError, counted
from ....recipes import LONGEST_CHOICE, request_key
from ....running import Run, exclusive
from ....running.asking import cut_in, predictions_in
from ....running.progress import Progress
from ..notes import contestant_notes, in_dollars
from ..sending import VerdictPrompts, checked_judge, judge_generation
from .battles import BATTLES, EQUAL, SCHEMA, Order, write_battles
from .figures import BattleFigures, PairRecord, battle_figures, pair_records
from .pairing import Pair, RunPairs, pairs_of_run
from .prompts import PairOptions
from .replies import MOST_SCALE, PairReply, read_pair_reply

if TYPE_CHECKING:
    from ....prompts import Prompt
    from ....recipes import ModelEntry
    from ....running.executors import RayCluster

PAIR = "pair"
"""The kind of judge, as ``--kind`` names it."""


@dataclass(frozen=True)
class PairPlan:
    """What a judge of pairs would be asked.

    Attributes:
        judge: its label.
        folder: where its battles go.
        models: those that are compared.
        battles: pairs of answers.
        equal: how many of them are of equal answers, which are ties without being asked about.
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
    battles: int
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
        left = self.requests - self.answered
        equal = f" ({self.equal:,} of equal answers, which are ties)" if self.equal else ""
        already = f"; {self.answered:,} have one already" if self.answered else ""
        return (
            f"{self.judge}: {counted(self.battles, 'battle')} of {len(self.models)} models to judge{equal}, "
            f"{counted(left, 'request')} of some {self.tokens:,} tokens to send, for replies of at most "
            f"{self.answer_tokens:,}{in_dollars(self.cost)}{already}"
        )


@dataclass(frozen=True)
class PairJudgement:
    """A judge's verdicts on pairs of a run's answers.

    Attributes:
        folder: ``RUN/judged/<judge>``: ``answers/*.parquet`` (key, prediction, error, ...),
            ``battles.parquet`` and ``judge.yaml``.
        path: ``RUN/battles.parquet``, the battles of all judges.
        judge: the judge's label.
        baseline: the model that the others were compared with; None: each with each.
        battles: a row a verdict, with the columns of ``battles.parquet``.
        overall: all battles.
        models: the record of each model.
        asked: the number of different prompts.
        failed: the number of those with an error.
        cut: the number of those whose reply was cut at the most tokens; whatever it says is unclear.
        unclear: the first reply without a verdict, if there is one.
    """

    folder: Path
    path: Path
    judge: str
    baseline: str | None
    battles: pd.DataFrame
    overall: BattleFigures
    models: Mapping[str, PairRecord]
    asked: int
    failed: int
    cut: int
    unclear: str | None


def plan_pairs(
    run: Path | str,
    judge: ModelEntry,
    options: PairOptions,
    *,
    limit: int | None = None,
    datasets: Collection[str] | None = None,
    max_tokens: int = LONGEST_CHOICE,
) -> PairPlan:
    """What :func:`judge_pairs` would ask; it asks and writes nothing. Arguments and errors as there."""
    return _PairJudging.of(run, judge, options, limit, datasets, max_tokens=max_tokens).plan()


def judge_pairs(
    run: Path | str,
    judge: ModelEntry,
    options: PairOptions,
    *,
    executor: str | RayCluster = "local",
    limit: int | None = None,
    datasets: Collection[str] | None = None,
    max_tokens: int = LONGEST_CHOICE,
    progress: Progress | None = None,
    retry_failed: bool = False,
    tell: Callable[[str], object] = lambda line: None,
) -> PairJudgement:
    """Ask a judge about every pair of answers of a run that it has not judged yet; run again to resume.

    Args:
        run: the run directory.
        judge: any of lm-eval's models. One without a name is called ``<model>-pair``.
        options: who is compared with whom, and how.
        executor: ``local``, ``ray`` or a Ray cluster.
        limit: at most so many examples a data set.
        datasets: only these data sets (or cards).
        max_tokens: of a reply; more for models that think long, as a reply that is cut is unclear.
        progress: reports how far the judge is.
        retry_failed: ask again what has an error from an earlier attempt.
        tell: is given lines on what is about to be sent.

    Raises:
        RunError: no run, another judge of this name judged it before, or the data of a card changed.
        InputError: no such data set or baseline, fewer than two models with answers, or no such scale.
        ModelError: the judge or an argument is unknown, or it cannot be loaded; what was judged before is
            kept.
        Interrupted: Ctrl-C; what was judged is kept.
    """
    judging = _PairJudging.of(run, judge, options, limit, datasets, max_tokens=max_tokens)
    planned = judging.plan()
    for line in (planned.line, *planned.notes):
        tell(line)
    with exclusive(judging.run.path):
        failed = judging.prompts.send(executor=executor, progress=progress, retry_failed=retry_failed)
        judgement = judging.judgement(failed)
        write_battles(judging.run.path, judgement.folder, judgement.battles)
    return judgement


@dataclass(frozen=True)
class _AskedPair:
    """A prompt about two answers, in the order in which it shows them."""

    prompt: Prompt
    answers: tuple[str, str]


@dataclass(frozen=True)
class _PairJudging:
    """A judge and the pairs of a run, with the key of the prompt of each pair and order."""

    run: Run
    judge: ModelEntry
    options: PairOptions
    generation: Mapping[str, Any]
    pairs: RunPairs
    wanted: Mapping[str, _AskedPair]
    keys: list[dict[Order, str | None]]

    @classmethod
    def of(
        cls,
        run: Path | str,
        judge: ModelEntry,
        options: PairOptions,
        limit: int | None,
        datasets: Collection[str] | None,
        *,
        max_tokens: int,
    ) -> _PairJudging:
        if options.scale is not None and not 2 <= options.scale <= MOST_SCALE:
            raise InputError(f"scale: found {options.scale}; expected a whole number from 2 to {MOST_SCALE}")
        named = checked_judge(judge, PAIR)
        opened = Run.open(run)
        pairs = pairs_of_run(opened, options, limit, datasets)
        generation = judge_generation(max_tokens)
        wanted, keys = _keyed(pairs.found, generation)
        return cls(opened, named, options, generation, pairs, wanted, keys)

    @cached_property
    def prompts(self) -> VerdictPrompts:
        record = {"kind": PAIR}
        if self.options.scale is not None:
            record["scale"] = str(self.options.scale)
        if self.options.table:
            record["table"] = "shown"
        prompts = {key: asked.prompt for key, asked in self.wanted.items()}
        return VerdictPrompts(self.run, self.judge, self.generation, prompts, record)

    def plan(self) -> PairPlan:
        unsent = self.prompts.unsent()
        return PairPlan(
            judge=self.judge.label,
            folder=self.prompts.folder,
            models=tuple(self.pairs.models),
            battles=len(self.pairs.found),
            equal=sum(all(key is None for key in keys.values()) for keys in self.keys),
            unanswered=self.pairs.unanswered,
            requests=unsent.requests,
            answered=unsent.answered,
            tokens=unsent.tokens,
            answer_tokens=unsent.answer_tokens,
            cost=unsent.cost,
            notes=tuple(self._notes()),
        )

    def _notes(self) -> list[str]:
        notes = []
        if self.pairs.unanswered:
            notes.append(
                f"{counted(self.pairs.unanswered, 'pair')} left out, as one of the two models has no answer"
            )
        return [*notes, *contestant_notes(self.run, self.judge, self.pairs.models)]

    def judgement(self, failed: Collection[str]) -> PairJudgement:
        """What the judge's stored replies say."""
        replies = predictions_in(self.prompts.folder)
        cut = cut_in(self.prompts.folder).intersection(self.wanted)
        read = {
            key: read_pair_reply(replies[key], asked.answers, self.options.scale, cut=key in cut)
            for key, asked in self.wanted.items()
            if key in replies
        }
        rows = [
            _row(pair, order, key, None if key is None else read.get(key), self.judge.label)
            for pair, keys in zip(self.pairs.found, self.keys, strict=True)
            for order, key in keys.items()
        ]
        battles = pd.DataFrame(rows, columns=SCHEMA.names)
        return PairJudgement(
            folder=self.prompts.folder,
            path=self.run.path / BATTLES,
            judge=self.judge.label,
            baseline=self.options.baseline,
            battles=battles,
            overall=battle_figures(battles),
            models=pair_records(battles),
            asked=len(self.wanted),
            failed=len(failed),
            cut=len(cut),
            unclear=next((replies[key] for key, said in read.items() if said.verdict == "unclear"), None),
        )


def _keyed(
    pairs: list[Pair], generation: Mapping[str, Any]
) -> tuple[dict[str, _AskedPair], list[dict[Order, str | None]]]:
    """The different prompts by key, and the key of each pair's orders; equal prompts are one object."""
    known: dict[int, str] = {}
    wanted: dict[str, _AskedPair] = {}
    keys: list[dict[Order, str | None]] = []
    for pair in pairs:
        of_pair: dict[Order, str | None] = {}
        for order, prompt in pair.asked.items():
            if prompt is None:
                of_pair[order] = None
                continue
            if id(prompt) not in known:
                known[id(prompt)] = request_key(prompt, generation)
            key = of_pair[order] = known[id(prompt)]
            a, b = pair.answers
            wanted.setdefault(key, _AskedPair(prompt, (a, b) if order == "ab" else (b, a)))
        keys.append(of_pair)
    return wanted, keys


def _row(pair: Pair, order: Order, key: str | None, reply: PairReply | None, judge: str) -> dict[str, Any]:
    """A row of battles.parquet."""
    if key is None:
        reply = PairReply("tie", EQUAL)
    verdict: str | None = None
    scores: tuple[float | None, float | None] = (None, None)
    if reply is not None:
        models = ("model_a", "model_b") if order == "ab" else ("model_b", "model_a")
        verdict = dict(zip(("first", "second"), models, strict=True)).get(reply.verdict, reply.verdict)
        given = reply.ratings or scores
        scores = given if order == "ab" else (given[1], given[0])
    return {
        **pair.row,
        "order": order,
        "judge": judge,
        "verdict": verdict,
        "winner": None if verdict == "unclear" else verdict,
        "reason": None if reply is None else reply.reason,
        "score_a": scores[0],
        "score_b": scores[1],
        "key": key,
    }
