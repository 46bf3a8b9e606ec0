"""Asks a judge about the answers of a run, or about pairs of them, and stores its verdicts and scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from ...core.errors import InputError, RunError, counted, nearest
from ...core.seeds import seed as seed_of
from ...core.texts import estimate_tokens
from ...prompts import text_of
from ...prompts.builder import renames_words
from ...recipes import LONGEST_CHOICE, LONGEST_VERDICT, JudgeEntry, request_key
from ...running import Run, check_models, exclusive
from ...running.asking import PromptList, ask_prompts, cut_in, predictions_in
from ...running.progress import Progress
from ...running.store.manifest import model_record
from ...running.store.run import SCORES
from ...running.store.shards import folder_name
from ...tables import perturbations
from ..example_scores import right_score
from ..run_scores import CELL, answered_by_card, score_matrix
from ..shown_examples import ShownExamples
from .battles import EQUAL, SCHEMA, battle_figures, pair_records, write_battles
from .pair_replies import MOST_SCALE, PairReply, read_pair_reply
from .prompts import YES_NO, JudgeKind, PairOptions, judge_kind
from .rows import JUDGED, metric_of, with_verdicts, write_verdicts
from .verdicts import agreement, grades

if TYPE_CHECKING:
    from ...catalog import Card
    from ...prompts import Prompt
    from ...recipes import ModelEntry
    from ...running.loop import RayCluster

Kind: TypeAlias = JudgeKind | PairOptions

CONTAINMENT = "complete_containment"
LEVEL = "level"
"""The group of an example that says how hard it is."""

_QUESTION = ["dataset", "config", "example"]


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
    judge: ModelEntry,
    kind: str | PairOptions = YES_NO.name,
    *,
    limit: int | None = None,
    datasets: Collection[str] | None = None,
    max_tokens: int | None = None,
) -> JudgePlan:
    """What :func:`judge_run` would ask, without asking or writing anything; arguments and errors as there."""
    return _judging(run, judge, kind, max_tokens, limit=limit, datasets=datasets).plan()


def judge_run(
    run: Path | str,
    judge: ModelEntry,
    kind: str | PairOptions = YES_NO.name,
    *,
    executor: str | RayCluster = "local",
    limit: int | None = None,
    datasets: Collection[str] | None = None,
    max_tokens: int | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
    tell: Callable[[str], object] = lambda line: None,
) -> Judgement:
    """Ask a judge about every answer, or pair, of a run that it has not judged yet; run again to resume.

    Verdicts on answers become rows of scores.parquet, where the run has been scored; those on pairs become
    battles.parquet.

    Args:
        run: the run directory.
        judge: any of lm-eval's models. One without a name is called ``<model>-<kind>``, unless it says yes or
            no.
        kind: ``yes-no`` asks whether an answer is right, ``score`` for a score from 0 to 100 with the table;
            options of pairs ask which of two answers is better.
        executor: ``local``, ``ray`` or a Ray cluster.
        limit: at most so many examples a data set, the first in the run's order.
        datasets: only these data sets (or cards).
        max_tokens: of a reply; more for models that think long, as a reply that is cut is unclear.
        progress: reports how far the judge is.
        retry_failed: ask again what has an error from an earlier attempt.
        tell: is given lines on what is about to be sent.

    Raises:
        RunError: no run, another judge of this name judged it before, or the data of a card changed.
        InputError: no such kind, data set or baseline, fewer than two models to compare, or no such scale.
        ModelError: the judge or an argument is unknown, or it cannot be loaded; what was judged before is
            kept.
        Interrupted: Ctrl-C; what was judged is kept.
    """
    judging = _judging(run, judge, kind, max_tokens, limit=limit, datasets=datasets)
    planned = judging.plan()
    for line in (planned.line, *planned.notes):
        tell(line)
    opened = judging.run
    with exclusive(opened.path):
        failed = judging.send(executor, progress, retry_failed)
        judgement = judging.judgement(failed)
        if isinstance(judging.kind, PairOptions):
            write_battles(opened.path, judgement.folder, judgement.verdicts)
        else:
            write_verdicts(judgement.folder, judgement.verdicts)
            if (opened.path / SCORES).exists():
                opened.write_scores(with_verdicts(opened.scores(), opened.path))
    return judgement


def _judging(
    run: Path | str,
    judge: ModelEntry,
    kind: str | PairOptions,
    max_tokens: int | None,
    **chosen_answers: Any,
) -> _Judging:
    chosen = judge_kind(kind) if isinstance(kind, str) else kind
    if isinstance(chosen, PairOptions) and chosen.scale is not None and not 2 <= chosen.scale <= MOST_SCALE:
        raise InputError(f"scale: found {chosen.scale}; expected a whole number from 2 to {MOST_SCALE}")
    named = judge.name is not None or isinstance(judge, JudgeEntry) or chosen is YES_NO
    judge = judge.model_copy(update={"name": judge.label if named else f"{judge.label}-{chosen.name}"})
    check_models([judge], here=False)  # with all verdicts there, what it needs may be gone
    opened = Run.open(run)
    if isinstance(chosen, PairOptions):
        longest, asked = LONGEST_CHOICE, pairs_of_run(opened, chosen, **chosen_answers)
    else:
        longest, asked = LONGEST_VERDICT, judged_answers(opened, chosen, **chosen_answers)
    generation = {"max_tokens": max_tokens or longest, "temperature": 0.0, "until": []}
    known: dict[int, str] = {}  # equal prompts are one object
    keys: list[str | None] = []
    for prompt in asked.prompts:
        if prompt is not None and id(prompt) not in known:
            known[id(prompt)] = request_key(prompt, generation)
        keys.append(None if prompt is None else known[id(prompt)])
    return _Judging(opened, judge, chosen, generation, asked, keys)


@dataclass(frozen=True)
class AskedRows:
    """What a judge is asked about: rows of the file of its verdicts, and the prompt that each waits for.

    Attributes:
        rows: the columns that are known before anybody is asked.
        prompts: one a row; null where the answers are equal, which is a tie.
        answers: those that a prompt shows, in its order; of judges of pairs.
        models: whose answers are judged.
        unanswered: how many pairs are left out, as one of the two models has no answer.
    """

    rows: pd.DataFrame
    prompts: Sequence[Prompt | None]
    answers: Sequence[tuple[str, ...]]
    models: tuple[str, ...]
    unanswered: int = 0


@dataclass(frozen=True)
class _Judging:
    """A judge, what it is asked about in a run, and the keys of the prompts."""

    run: Run
    judge: ModelEntry
    kind: Kind
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
        most, price = len(left) * int(self.generation["max_tokens"]), self.judge.price
        pairs = isinstance(self.kind, PairOptions)
        orders = 2 if isinstance(self.kind, PairOptions) and self.kind.both_orders else 1
        lacking, notes = self.asked.unanswered, contestant_notes(self.run, self.judge, self.asked.models)
        if lacking:
            note = f"{counted(lacking, 'pair')} left out, as one of the two models has no answer"
            notes = chain([note], notes)
        return JudgePlan(
            judge=self.judge.label,
            folder=self.folder,
            models=self.asked.models,
            answers=len(self.keys) // orders,
            pairs=pairs,
            equal=self.keys.count(None) // orders,
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
        record = {} if self.kind is YES_NO else {"kind": self.kind.name}
        if isinstance(self.kind, PairOptions):
            record |= {} if self.kind.scale is None else {"scale": str(self.kind.scale)}
            record |= {"table": "shown"} if self.kind.table else {}
        # answers at another price are the same answers
        judge = self.judge.model_copy(update={"price": None})
        listed = PromptList(judge, self.wanted, self.folder, "judge", record)
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
            key: self._read(replies[key], answers, key in cut)
            for key, answers in dict(zip(self.keys, self.asked.answers, strict=True)).items()
            if key in replies
        }
        unclear = (replies[key] for key, reply in read.items() if key and reply.verdict == "unclear")
        pairs = isinstance(self.kind, PairOptions)
        told = [PairReply("tie", EQUAL) if key is None else read.get(key) for key in self.keys]
        verdicts = self._battles(told) if pairs else self._verdicts(told)
        parts = {} if pairs else {name: verdicts.groupby(name, sort=False) for name in ("dataset", "model")}
        summary = battle_figures if pairs else _summary
        return Judgement(
            folder=self.folder,
            judge=self.judge.label,
            kind=self.kind.name,
            metric="" if pairs else metric_of(self.judge.label),
            baseline=self.kind.baseline if isinstance(self.kind, PairOptions) else None,
            verdicts=verdicts,
            overall=summary(verdicts),
            datasets={} if pairs else {str(name): _summary(part) for name, part in parts["dataset"]},
            models=(
                pair_records(verdicts)
                if pairs
                else {str(name): _summary(part) for name, part in parts["model"]}
            ),
            asked=len(self.wanted),
            failed=len(failed),
            cut=len(cut),
            unclear=next(unclear, None),
        )

    def _read(self, reply: str, answers: tuple[str, ...], cut: bool) -> PairReply:
        if isinstance(self.kind, PairOptions):
            return read_pair_reply(reply, answers, self.kind.scale, cut=cut)
        return PairReply("unclear" if cut else self.kind.read(reply), "")  # type: ignore[arg-type]

    def _verdicts(self, told: Sequence[PairReply | None]) -> pd.DataFrame:
        verdicts: Any = [None if reply is None else reply.verdict for reply in told]
        keys: Any = list(self.keys)
        found: pd.DataFrame = self.asked.rows.assign(key=keys, verdict=verdicts)
        return found

    def _battles(self, told: Sequence[PairReply | None]) -> pd.DataFrame:
        """The rows of battles.parquet."""
        known = zip(self.asked.rows.to_dict("records"), self.keys, told, strict=True)
        rows = []
        for row, key, reply in known:
            a, b = ("first", "second") if row["order"] == "ab" else ("second", "first")
            said = None if reply is None else reply.verdict
            verdict = {a: "model_a", b: "model_b"}.get(str(said), said)
            rated = dict(zip(("first", "second"), (reply and reply.ratings) or (None, None), strict=True))
            rows.append(
                {
                    **row,
                    "judge": self.judge.label,
                    "verdict": verdict,
                    "winner": None if verdict == "unclear" else verdict,
                    "reason": None if reply is None else reply.reason,
                    "score_a": rated[a],
                    "score_b": rated[b],
                    "key": key,
                }
            )
        battles: pd.DataFrame = pd.DataFrame(rows, columns=SCHEMA.names)
        return battles


def _summary(frame: pd.DataFrame) -> Mapping[str, Any]:
    verdicts = [verdict if isinstance(verdict, str) else None for verdict in frame["verdict"]]
    if "contained" in frame:
        return agreement(verdicts, frame["contained"])
    return grades(verdicts, frame["main"].tolist())


def judged_answers(
    run: Run,
    kind: JudgeKind = YES_NO,
    *,
    limit: int | None = None,
    datasets: Collection[str] | None = None,
) -> AskedRows:
    """Every answer of a run, with the prompt about it; arguments and errors as of :func:`judge_run`."""
    asking: dict[str, _PromptMaker] = {}
    frames, prompts = [pd.DataFrame(columns=[*CELL, kind.beside])], list[Any]()
    for card, answered in _scored_answers(run, limit, datasets):
        if card.dataset not in asking:
            asking[card.dataset] = _PromptMaker(run.study, card, kind)
        columns = (answered[name] for name in ("example", "perturbation", "references", "prediction"))
        prompts += [asking[card.dataset].prompt(*row) for row in zip(*columns, strict=True)]
        # lists, so that categories and texts of any kind become what the file will have
        names: dict[str, Any] = {name: answered[name].tolist() for name in [*CELL, kind.beside]}
        frames.append(pd.DataFrame(names))
    rows = pd.concat(frames[1:] or frames, ignore_index=True)
    models = tuple(map(str, rows["model"].unique()))
    return AskedRows(rows, prompts, [()] * len(prompts), models)


def pairs_of_run(
    run: Run, options: PairOptions, *, limit: int | None = None, datasets: Collection[str] | None = None
) -> AskedRows:
    """The pairs of answers that a judge is asked about, a row an order; replicates take no part."""
    answers: dict[str, dict[str, pd.DataFrame]] = {}
    cards: dict[str, Card] = {}
    for card, answered in _scored_answers(run, limit, datasets):
        cards[card.dataset] = card
        if len(answered):
            answers.setdefault(card.dataset, {})[str(answered["model"].iloc[0])] = answered
    models = [label for label in run.models() if any(label in each for each in answers.values())]
    _check_models(run, models, options.baseline)
    seed = int(run.study.get("seed") or 0)
    rows, prompts, shown, unanswered = list[dict[str, Any]](), list[Any](), list[tuple[str, ...]](), 0
    for dataset, by_model in answers.items():
        maker = _PromptMaker(run.study, cards[dataset], options)
        for a, b in combinations(sorted(by_model), 2):
            if options.baseline not in (None, a, b):
                continue
            both = by_model[a].merge(by_model[b], on=_QUESTION, suffixes=("_a", "_b"))
            unanswered += len(by_model[a]) + len(by_model[b]) - 2 * len(both)
            for pair in both.to_dict("records"):
                for row, prompt, texts in _orders(pair, (a, b), maker, options, seed):
                    rows.append(row)
                    prompts.append(prompt)
                    shown.append(texts)
    return AskedRows(pd.DataFrame(rows), prompts, shown, tuple(models), unanswered)


def _check_models(run: Run, models: Sequence[str], baseline: str | None) -> None:
    """Refuse too few models, and a baseline that is none of them."""
    if baseline is not None and baseline not in run.models():
        raise InputError(
            f"{run.path}: the baseline {baseline!r} is none of its models; {nearest(baseline, run.models())}"
        )
    if len(models) < 2:
        those = f"of {models[0]!r} alone" if models else "of no model"
        raise InputError(
            f"{run.path}: has answers {those}, so there is nothing to compare; expected those of two models"
        )
    if baseline is not None and baseline not in models:
        raise InputError(f"{run.path}: the baseline {baseline!r} has no answer to compare others with")


def _orders(
    pair: Mapping[Any, Any], models: tuple[str, str], maker: _PromptMaker, options: PairOptions, seed: int
) -> Iterator[tuple[dict[str, Any], Prompt | None, tuple[str, str]]]:
    """A row for each order of two answers, the prompt, and the answers in its order."""
    example, config = str(pair["example"]), str(pair["config"])
    question = f"{pair['dataset']}/{example}"
    a, b = str(pair["prediction_a"]), str(pair["prediction_b"])
    orders = ["ab", "ba"]
    if not options.both_orders:
        orders = [orders[seed_of(seed, "order", question, config, *models) % 2]]
    for order in orders:
        texts = (a, b) if order == "ab" else (b, a)
        row = {
            "question": question,
            "dataset": str(pair["dataset"]),
            "config": config,
            "level": maker.examples.original(example).groups.get(LEVEL, ""),
            "model_a": models[0],
            "model_b": models[1],
            "order": order,
            "length_a": len(a),
            "length_b": len(b),
            "main_a": pair["main_a"],
            "main_b": pair["main_b"],
        }
        same = a.strip() == b.strip()
        shown = example, str(pair["perturbation_a"]), pair["references_a"]
        yield row, None if same else maker.prompt(*shown, *texts), texts


def _scored_answers(
    run: Run, limit: int | None = None, datasets: Collection[str] | None = None
) -> Iterator[tuple[Card, pd.DataFrame]]:
    """Every model's answers to every chosen data set, with the card.

    A row an answer: ``CELL``, ``prediction``, ``references``, ``facts``, ``main`` (the main score) and
    ``contained`` (whether all values are in the answer: complete containment where the card's metrics give
    it, else a main score of 1).
    """
    known = list(run.study.get("datasets") or {})
    wanted = None if datasets is None else {name.removeprefix("cards.") for name in datasets}
    for name in sorted((wanted or set()).difference(known)):
        raise InputError(f"{run.path}: has no data set {name!r}; {nearest(name, known)}")
    for card, answered in answered_by_card(run, lambda card: wanted is None or card.dataset in wanted):
        chosen = answered["example"].drop_duplicates().head(limit or len(answered))
        yield card, _with_scores(card, answered[answered["example"].isin(chosen)])


def _with_scores(card: Card, answered: pd.DataFrame) -> pd.DataFrame:
    if answered.empty:
        unscored: pd.DataFrame = answered.assign(main=[], contained=[])
        return unscored
    names, values = score_matrix(
        card, answered["prediction"], answered["references"], answered.get("facts", None)
    )
    main = values[:, names.index(right_score(card, names))]
    contained = values[:, names.index(CONTAINMENT)] if CONTAINMENT in names else main
    scored: pd.DataFrame = answered.assign(main=main, contained=contained == 1)
    return scored


class _PromptMaker:
    """Makes the prompts of one data set, equal ones once; perturbs an example only where that shows."""

    def __init__(self, study: Mapping[str, Any], card: Card, kind: Kind) -> None:
        self.examples = ShownExamples(study, card)
        self._kind = kind
        self._made: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], Prompt] = {}

    def prompt(self, name: str, perturbation: str, references: Sequence[str], *answers: str) -> Prompt:
        """The prompt about the answers to an example.

        Raises:
            RunError: the example is no longer in the card's data.
        """
        seen = self._kind.sees_table or renames_words(perturbations.get(perturbation))
        asked = (name, perturbation if seen else "", tuple(references), answers)
        if asked not in self._made:
            shown = self.examples.shown(name, perturbation) if seen else self.examples.original(name)
            self._made[asked] = self._kind.prompt(shown, list(references), *answers)
        return self._made[asked]


def contestant_notes(run: Run, judge: ModelEntry, models: Collection[str]) -> Iterator[str]:
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
