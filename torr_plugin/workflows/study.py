"""A study from plan to analysis, the stages of ``torr run``; and what of a plan is left to ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cli.command import say

if TYPE_CHECKING:
    import pandas as pd

    from ..recipes import ModelEntry, Plan
    from ..running import ModelStatus, RecordedProgress, Run, RunSummary

_MANY = 10_000  # requests: to write as many takes some seconds, of which nothing else is seen


def run_study(
    planned: Plan | Callable[[], Plan],
    models: Sequence[ModelEntry],
    out: Path,
    *,
    executor: str = "local",
    retry_failed: bool = False,
    mix_versions: bool = False,
    reuse: Sequence[Path] = (),
    ray_address: str | None = None,
) -> tuple[RunSummary, dict[str, Any]]:
    """Ask, score and analyse.

    Args:
        planned: what to ask; or what makes it, where that takes long: `torr status` then says meanwhile who
            plans it, and another command on this directory is refused.
        models: whom.
        out: the run directory; one that is there already is resumed.
        executor: where the models run, ``local`` or ``ray``.
        retry_failed: ask again what failed in an earlier run.
        mix_versions: let a model that has answers be asked for more by another version of its engine.
        reuse: earlier runs whose answers are taken instead of asking.
        ray_address: of a Ray cluster that is there, for ``ray``.

    Returns:
        What was asked and answered, and the contents of ``analysis.json``.

    Raises:
        InputError: models, cards or the directory are wrong, or another command has the directory.
        Interrupted: Ctrl-C or SIGTERM while models were asked; what was answered is kept.
    """
    from ..cli.console.progress import RunProgress
    from ..running import RecordedProgress, execute, reserved, stoppable
    from ..running.registry import check_name

    for entry in models:
        check_name(entry.model, entry.label)
    with reserved(out):
        plan = planned() if callable(planned) else planned
        _try_cards(plan)
        if plan.size >= _MANY:
            say(f"Preparing {plan.size:,} requests ...")
        with RunProgress() as shown, stoppable(say) as stop:
            progress = RecordedProgress(out, shown)
            summary = execute(
                plan,
                models,
                out,
                executor=executor,
                progress=progress,
                retry_failed=retry_failed,
                mix_versions=mix_versions,
                reuse=reuse,
                ray_address=ray_address,
                stop=stop,
                held=True,
            )
        return summary, _scored_and_analysed(plan, summary, progress)


def _try_cards(plan: Plan) -> None:
    """Say the plan's notes, and score an answer of each card for trial.

    What is wrong with a card is said before models are asked, not after.
    """
    from ..cli.console.tables import say_in_columns
    from ..scoring import score_example

    for text in plan.notes:
        say_in_columns(text)
    for dataset, card in plan.cards.items():
        first = plan.examples[dataset][0]
        score_example(card, "", first.references, first.facts)


def _scored_and_analysed(plan: Plan, summary: RunSummary, progress: RecordedProgress) -> dict[str, Any]:
    """Score and analyse what was answered; gives the contents of ``analysis.json``."""
    from ..analysis import analyse
    from ..running import Run, model_descriptions
    from ..scoring import lengths_of_run, score_run

    progress.tell(unloaded=summary.unloaded, notes=summary.notes)
    progress.step("scoring")
    say("Scoring ...")
    opened = Run.open(summary.run)
    scores = _of_asked(score_run(opened), opened)
    opened.write_scores(scores)
    opened.write_examples(plan)
    opened.write_lengths(lengths_of_run(opened))
    progress.step("analysing")
    say("Analysing ...")
    options = plan.recipe.analysis
    analysis = analyse(
        scores,
        resamples=options.resamples,
        level=options.level,
        two_way=options.two_way,
        seed=plan.recipe.seed,
        keeps_labels={dataset: card.keeps_labels for dataset, card in plan.cards.items()},
        models=model_descriptions(opened.study),
        examples=opened.examples(),
        lengths=opened.lengths(),
    )
    opened.write_analysis(analysis)
    progress.step("done")
    return analysis


def _of_asked(scores: pd.DataFrame, run: Run) -> pd.DataFrame:
    """The scores without models that could not be loaded, now or before, and have no answer: no holes."""
    absent = [label for label in run.models() if not run.has_answers(label)]
    if not absent:
        return scores
    kept: pd.DataFrame = scores[~scores["model"].isin(absent)].reset_index(drop=True)
    if hasattr(kept["model"], "cat"):
        kept["model"] = kept["model"].cat.remove_unused_categories()
    return kept


@dataclass(frozen=True)
class Left:
    """What one model has answered of its different requests.

    Attributes:
        answered: with a prediction.
        failed: with an error, asked again by ``--retry-failed`` alone.
        still: without either; of designs of several calls, those that follow answers as well, at most.
    """

    answered: int
    failed: int
    still: int


def left_to_ask(
    run: Path, plan: Plan, models: Sequence[ModelEntry], unique: Mapping[str, int]
) -> dict[str, Left]:
    """For each model, by its label, what is left of the plan in a run; nothing where there is no run yet.

    Args:
        run: the directory that the plan would be run in.
        plan: what is asked.
        models: who is asked.
        unique: how many different requests each has, by label.

    Raises:
        RunError: the directory holds another study's run, or a label is another model there: going on with it
            would be refused with the same words.
    """
    from ..running import run_status
    from ..running.store.manifest import STUDY_FILE, resumed_manifest, with_models

    if not (run / STUDY_FILE).exists():
        return {}
    with_models(resumed_manifest(run, plan), list(models), run)
    found = {each.model: each for each in run_status(run).models}
    return {entry.label: _left(found.get(entry.label), unique[entry.label], plan.later) for entry in models}


def _left(status: ModelStatus | None, unique: int, later: int) -> Left:
    if status is None:
        return Left(0, 0, unique)
    counts = status.counts
    # what follows from answers is known when nothing waits any more: a step that failed has none after it
    known = status.requests if status.requests and not (later and status.waiting) else unique
    return Left(counts.answered, counts.failed, max(0, known - counts.answered - counts.failed))


def unique_requests(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many different requests each model has, of the rows of :func:`.recipes.outline`."""
    return {row["model"]: row["unique requests"] for row in rows}


def with_left(rows: Sequence[Mapping[str, Any]], left: Mapping[str, Left]) -> list[dict[str, Any]]:
    """These rows with ``answered``, ``failed`` and ``still to ask``: all of it, where there is no run."""
    return [{**row, **_as_row(left.get(row["model"]) or Left(0, 0, row["unique requests"]))} for row in rows]


def _as_row(left: Left) -> dict[str, int]:
    return {"answered": left.answered, "failed": left.failed, "still to ask": left.still}
