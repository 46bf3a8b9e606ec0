"""Judges of a run: one of the command line, or those of a recipe once the models of its study are done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from ..analysis.ratings import RatingOptions
from ..core.errors import InputError, counted, nearest
from ..running import Run
from ..running.progress import Progress
from ..scoring.judges import PairJudgement, PairOptions, judge_pairs, judge_run, plan_judging, plan_pairs
from .ratings import rate_run
from .study import Tell

if TYPE_CHECKING:
    from ..recipes import JudgeEntry, ModelEntry, Recipe
    from ..running.executors import RayCluster
    from ..scoring.judges import Judgement, JudgePlan, PairPlan


def ask_judge(
    run: Path,
    judge: JudgeEntry,
    *,
    executor: str | RayCluster = "local",
    limit: int | None = None,
    datasets: Collection[str] | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
    tell: Tell = lambda line: None,
) -> Judgement | PairJudgement:
    """Ask a judge of any kind about answers, or pairs of answers, that it has not judged.

    Args:
        run: the run directory.
        judge: who is asked, and for what; ``datasets`` stands instead of its cards.
        executor: ``local``, ``ray`` or a Ray cluster.
        limit: at most so many examples a data set.
        datasets: only these data sets (or cards).
        progress: shows how far it is.
        retry_failed: ask again what failed in an earlier attempt.
        tell: is given lines on what is about to be sent.

    Raises:
        InputError: as of :func:`torr_plugin.scoring.judges.judge_run` and :func:`.judge_pairs`.
    """
    if judge.kind == "pair":
        return judge_pairs(
            run,
            judge,
            pair_options(judge),
            executor=executor,
            limit=limit,
            datasets=datasets,
            max_tokens=judge.longest_reply,
            progress=progress,
            retry_failed=retry_failed,
            tell=tell,
        )
    return judge_run(
        run,
        judge,
        kind=judge.kind,
        executor=executor,
        limit=limit,
        datasets=datasets,
        max_tokens=judge.longest_reply,
        progress=progress,
        retry_failed=retry_failed,
        tell=tell,
    )


def plan_judge(
    run: Path, judge: JudgeEntry, *, limit: int | None = None, datasets: Collection[str] | None = None
) -> JudgePlan | PairPlan:
    """What :func:`ask_judge` would ask, without asking or writing anything; arguments and errors as there."""
    most = judge.longest_reply
    if judge.kind == "pair":
        return plan_pairs(run, judge, pair_options(judge), limit=limit, datasets=datasets, max_tokens=most)
    return plan_judging(run, judge, kind=judge.kind, limit=limit, datasets=datasets, max_tokens=most)


def pair_options(judge: JudgeEntry) -> PairOptions:
    """What a judge of pairs is asked."""
    return PairOptions(
        baseline=judge.baseline,
        scale=judge.scale,
        both_orders=judge.orders != "one",
        table=bool(judge.table),
    )


def check_judges(judges: Sequence[JudgeEntry], models: Sequence[ModelEntry], run: Path) -> list[str]:
    """Look for judges of pairs that could compare nothing, before the models of the study are asked.

    Args:
        judges: those of a recipe.
        models: those that are about to be asked.
        run: where they are asked; models that are there already count too.

    Returns:
        A line for each that compares models, where there is one model alone.

    Raises:
        InputError: a baseline is none of the models.
    """
    there = Run.open(run).models() if (run / "study.yaml").exists() else []
    labels = list(dict.fromkeys([*there, *(entry.label for entry in models)]))
    for judge in judges:
        if judge.baseline is not None and judge.baseline not in labels:
            raise InputError(
                f"judges: {judge.label!r}: the baseline {judge.baseline!r} is none of the models; "
                f"{nearest(judge.baseline, labels)}"
            )
    return [
        f"judges: {judge.label!r} compares models, and {labels[0]!r} is alone: it is asked once the run has "
        "a second one"
        for judge in judges
        if judge.kind == "pair" and len(labels) == 1
    ]


def judge_study(
    run: Path,
    recipe: Recipe,
    *,
    executor: str | RayCluster = "local",
    retry_failed: bool = False,
    progress: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(Progress()),
    tell: Tell = lambda line: None,
) -> list[Judgement | PairJudgement]:
    """Ask the judges of a recipe, one after the other, about answers that they have not judged.

    Those of pairs come last; then the models are rated by all battles of the run, if there are any.

    Args:
        run: the run of the recipe; verdicts on single answers become rows of its scores.
        recipe: the judges, of whom one whose cards were not asked is left out, as is one of pairs while there
            is one model; the options of ratings.
        executor: where the judges run, ``local``, ``ray`` or a Ray cluster.
        retry_failed: ask again what failed in an earlier attempt.
        progress: shows how far a judge is.
        tell: shows what is about to be asked, and how many verdicts there are.

    Raises:
        InputError: as of :func:`ask_judge`; what was judged is kept.
    """
    opened = Run.open(run)
    asked, alone = set(opened.study.get("datasets") or ()), len(opened.models()) < 2
    found = []
    for judge in sorted(recipe.judges, key=lambda each: each.kind == "pair"):
        datasets = [name for name in judge.cards or asked if name.removeprefix("cards.") in asked]
        if not datasets or (judge.kind == "pair" and alone):
            continue
        with progress() as shown:
            judged = ask_judge(
                run,
                judge,
                executor=executor,
                datasets=datasets,
                progress=shown,
                retry_failed=retry_failed,
                tell=tell,
            )
        tell(_outcome(judged))
        found.append(judged)
    options = RatingOptions(recipe.analysis.resamples, recipe.analysis.level, recipe.seed)
    rate_run(run, run, options, tell)
    return found


def _outcome(judged: Judgement | PairJudgement) -> str:
    overall = judged.overall
    if isinstance(judged, PairJudgement):
        name, number = judged.judge, counted(judged.overall["battles"], "battle")
    else:
        name, number = judged.metric, counted(judged.overall["n"], "verdict")
    return f"{name}: {number}, {overall['unclear']:,} unclear, {overall['failed']:,} failed"
