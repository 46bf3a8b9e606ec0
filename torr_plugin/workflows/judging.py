"""Judges of a run: what they would cost, their verdicts, and the ratings that follow from battles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis.ratings import BATTLES_FILE, RatingOptions, rate_file
from ..core.atomic_files import make_directory, write_atomically
from ..core.errors import InputError, counted, nearest
from ..core.texts import CHARACTERS_A_TOKEN, estimate_tokens
from ..prompts import designs, text_of
from ..running import Run
from ..running.progress import Progress
from ..scoring.judges import judge_run, judge_task
from ..scoring.judges.prompts import LONGEST

if TYPE_CHECKING:
    from ..analysis.ratings import Ratings
    from ..recipes import JudgeEntry, ModelEntry, Plan, Recipe
    from ..running.runner import RayCluster
    from ..scoring.judges import Judgement

Tell = Callable[[str], object]
"""Shows a line to the person who waits."""

RATINGS_FILE = "ratings.json"
JUDGES_NOTE = (
    "judges: at most, with every answer as long as it may be, since the answers are not known yet; equal "
    "ones are judged once"
)


def judge_costs(planned: Plan, judges: Iterable[JudgeEntry], models: int) -> list[dict[str, Any]]:
    """The most that each judge of a recipe would be asked, before any model has answered: a row a judge.

    A row has ``judge``, ``kind``, ``answers`` (or ``battles``, of pairs; else null), ``requests``, ``prompt
    tokens`` (estimated at four characters each, with answers as long as the recipe and the judge allow),
    ``answer tokens``, and ``cost`` in US dollars, null without a price.

    Args:
        planned: the study.
        judges: those of its recipe.
        models: how many models answer.
    """
    return [_cost(planned, judge, models) for judge in judges]


def _cost(planned: Plan, judge: JudgeEntry, models: int) -> dict[str, Any]:
    pair = judge.kind == "pair"
    task = judge_task(judge)
    pairs = max(models - 1, 0) if judge.baseline is not None else comb(models, 2)
    times = len(planned.configurations) * (pairs if pair else models)
    cards = {name.removeprefix("cards.") for name in judge.cards or planned.cards}
    examples = [
        example for dataset in planned.cards if dataset in cards for example in planned.examples[dataset]
    ]
    longest = (2 if pair else 1) * _longest_answer(planned)
    requests = len(examples) * times * task.orders
    tokens = sum(estimate_tokens(text_of(task.prompt_about(example))) + longest for example in examples)
    tokens *= times * task.orders
    replies = requests * judge.longest_reply
    price = judge.price
    return {
        "judge": judge.label,
        "kind": judge.kind,
        "answers": None if pair else len(examples) * times,
        "battles": len(examples) * times if pair else None,
        "requests": requests,
        "prompt tokens": tokens,
        "answer tokens": replies,
        "cost": None if price is None else price.of_prompts(tokens) + price.of_answers(replies),
    }


def _longest_answer(planned: Plan) -> int:
    """The tokens of the longest answer that the designs' last steps allow and the judge is shown."""
    most = 0
    for name in {configuration.design for configuration in planned.configurations}:
        changes = designs.get(name).steps[-1].changes(planned.generation) or {}
        most = max(most, int({**planned.generation, **changes}["max_tokens"]))
    return min(most, -(-LONGEST // CHARACTERS_A_TOKEN))


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
    there = Run.open(run).models() if judges and (run / "study.yaml").exists() else []
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
) -> list[Judgement]:
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
        InputError: as of :func:`torr_plugin.scoring.judges.judge_run`; what was judged is kept.
    """
    opened = Run.open(run)
    asked, alone = opened.study.get("datasets") or (), len(opened.models()) < 2
    judgements = []
    for judge in sorted(recipe.judges, key=lambda each: each.kind == "pair"):
        datasets = [name for name in judge.cards or asked if name.removeprefix("cards.") in asked]
        if not datasets or (judge.kind == "pair" and alone):
            continue
        with progress() as shown:
            judged = judge_run(
                run,
                judge,
                executor=executor,
                datasets=datasets,
                progress=shown,
                retry_failed=retry_failed,
                tell=tell,
            )
        if judged.kind == "pair":
            what = f"{judged.judge}: {counted(judged.overall['battles'], 'battle')}"
        else:
            what = f"{judged.metric}: {counted(judged.overall['n'], 'verdict')}"
        tell(f"{what}, {judged.overall['unclear']:,} unclear, {judged.overall['failed']:,} failed")
        judgements.append(judged)
    options = RatingOptions(recipe.analysis.resamples, recipe.analysis.level, recipe.seed)
    rate_run(run, run, options, tell)
    return judgements


def write_ratings(ratings: Ratings, out: Path) -> Path:
    """Write ``ratings.json`` into a folder, which is made where there is none."""
    make_directory(out)
    path = out / RATINGS_FILE
    write_atomically(path, ratings.to_json())
    return path


def rate_run(run: Path, out: Path, options: RatingOptions, tell: Tell = lambda line: None) -> Ratings | None:
    """Rate the models of a run by its battles, and write ``ratings.json``.

    Battles that cannot be rated are no reason to refuse the run's scores: they are said, and nothing is
    written.

    Args:
        run: its directory.
        out: where ``ratings.json`` goes.
        options: how.
        tell: shows what became of it.

    Returns:
        None where the run has no battles, or none that can be rated.
    """
    if not (run / BATTLES_FILE).exists():
        return None
    try:
        ratings = rate_file(run, options)
    except InputError as error:
        tell(f"No ratings: {error}")
        return None
    path = write_ratings(ratings, out)
    best = next(iter(ratings.bradley_terry))
    tell(f"Ratings from {counted(ratings.battles, 'battle')}, {best} ahead: {path}")
    return ratings
