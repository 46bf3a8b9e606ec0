"""``torr run``: plan -> ask -> score -> analyse -> judge, each a call in :func:`run_study`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import recipes
from ..analysis import analyse
from ..core.errors import InputError, RunError, counted
from ..prompts import designs
from ..recipes import Configuration
from ..running import (
    RecordedProgress,
    Run,
    check_models,
    design_bases,
    exclusive,
    execute,
    key_lines,
    model_descriptions,
    remaining_requests,
    run_status,
    stoppable,
    with_prompt_tokens,
)
from ..running.progress import Progress
from ..scoring import (
    LAST,
    check_card,
    check_main_score,
    lengths_of_run,
    rated_steps,
    score_run,
    with_verdicts,
    without_absent_models,
)
from .judging import JUDGES_NOTE, Tell, judge_costs, judge_study

if TYPE_CHECKING:
    import pandas as pd

    from ..recipes import ModelEntry, Plan, Recipe
    from ..running import RunSummary
    from ..running.runner import RayCluster
    from ..scoring.judges import Judgement

_MANY = 10_000  # requests: to write as many takes some seconds, of which nothing else is seen


class StudyResult(NamedTuple):
    """What was asked and answered, the contents of ``analysis.json``, and what the recipe's judges said."""

    summary: RunSummary
    analysis: dict[str, Any]
    judged: list[Judgement]


class StudyOutline(NamedTuple):
    """What a study would ask: rows of data sets, models and judges, notes, and what a run lacks, by model."""

    datasets: Sequence[dict[str, Any]]
    models: Sequence[dict[str, Any]]
    judges: Sequence[dict[str, Any]]
    notes: Sequence[str]
    remaining: Mapping[str, Mapping[str, int]]


def outline_study(
    recipe: Recipe,
    models: Sequence[ModelEntry],
    run: Path,
    *,
    limit: int | None = None,
    is_given: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> StudyOutline:
    """What a study would ask and cost, and what of it a run has already; no model is called.

    Args:
        recipe: the study.
        models: the models to ask.
        run: the run directory.
        limit: at most so many examples a data set.
        is_given: whether the user names the run: if it is another study's, that is an error, else a note.
        progress: is told how many prompts are counted, and of how many.

    Raises:
        InputError: models, cards or the directory are wrong.
    """
    check_models([*models, *recipe.judges], here=False)
    planned = recipes.plan(recipe, limit=limit)
    for card in planned.cards.values():
        check_main_score(card)
    entries, price_notes = recipes.with_known_prices(models)
    judges, judge_notes = recipes.with_known_prices(recipe.judges)
    outline = recipes.outline(planned, entries, progress=progress)
    costs = judge_costs(planned, judges, len(models))
    notes = [
        *planned.notes,
        *outline.notes,
        *([JUDGES_NOTE] if costs else []),
        *key_lines([*entries, *recipe.judges]),
        *price_notes,
        *judge_notes,
    ]
    unique = {row["model"]: row["unique requests"] for row in outline.models}
    try:
        remaining = remaining_requests(run, planned, entries, unique)
    except RunError as error:
        if is_given:
            raise
        remaining, notes = {}, [*notes, str(error)]
    return StudyOutline(outline.datasets, outline.models, costs, notes, remaining)


def run_study(
    recipe: Recipe,
    models: Sequence[ModelEntry],
    out: Path,
    *,
    limit: int | None = None,
    executor: str | RayCluster = "local",
    retry_failed: bool = False,
    mix_versions: bool = False,
    reuse: Sequence[Path] = (),
    progress: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(Progress()),
    tell: Tell = lambda line: None,
) -> StudyResult:
    """Run a study, from its recipe to its analysis; run again to resume.

    Args:
        recipe: the study.
        models: the models to ask.
        out: the run directory; an existing run is resumed.
        limit: at most so many examples a data set.
        executor: where the models run, ``local``, ``ray`` or a Ray cluster.
        retry_failed: ask again what failed in an earlier run.
        mix_versions: resume a model's answers with another version of its engine.
        reuse: earlier runs whose answers are taken instead of asking.
        progress: shows how far the models are while they are asked.
        tell: shows notes and steps.

    Raises:
        InputError: models, cards or the directory are wrong, or another command has the directory.
        Interrupted: Ctrl-C or SIGTERM while models were asked; what was answered is kept.
    """
    check_models(_to_ask(models, out, retry_failed=retry_failed), here=executor == "local")
    for earlier in reuse:
        Run.open(earlier)  # an error before anything is written
    with exclusive(out):  # one hold, so that no other command comes in between
        plan = recipes.plan(recipe, limit=limit)
        _check_plan(plan, tell)
        with progress() as shown, stoppable(tell) as stop:
            recorded = RecordedProgress(out, shown)
            summary = execute(  # stores the requests, asks the models, stores their answers
                plan,
                models,
                out,
                executor=executor,
                progress=recorded,
                retry_failed=retry_failed,
                mix_versions=mix_versions,
                reuse=reuse,
                stop=stop,
            )
        recorded.report(summary.notes)
        run = Run.open(summary.run)
        recorded.step("scoring")
        tell("Scoring ...")
        scores = _score(run, plan, tell)
        recorded.step("analysing")
        tell("Analysing ...")
        analysis = _analyse(run, plan, scores)
        recorded.step("done")
        judged = judge_study(
            out, recipe, executor=executor, retry_failed=retry_failed, progress=progress, tell=tell
        )
    return StudyResult(summary, analysis, judged)


def _to_ask(models: Sequence[ModelEntry], out: Path, *, retry_failed: bool) -> list[ModelEntry]:
    """The models without those that have all their answers in the run: what they need may be gone."""
    try:
        statuses = run_status(out).models
    except InputError:  # no run yet, or one that the run itself refuses
        return list(models)
    # without requests: the run was killed before all of them were written
    left = {
        model.model: model.waiting + retry_failed * model.counts.failed
        for model in statuses
        if model.requests
    }
    return [entry for entry in models if left.get(entry.label, 1)]


def _check_plan(plan: Plan, tell: Tell) -> None:
    """Score an empty answer of each card, so that a wrong card is found before models are asked.

    Says what to know of the plan, and which metrics will give nothing, as no design has the step that they
    rate.

    Raises:
        CardError: a metric or postprocessor is unknown, or none gives the main score.
    """
    for note in plan.notes:
        tell(note)
    steps = {
        step.name for configuration in plan.configurations for step in designs.get(configuration.design).steps
    }
    for dataset, card in plan.cards.items():
        check_card(card, plan.examples[dataset][0])
        for step in set(rated_steps(card)) - {LAST} - steps:
            tell(f"{card.name}: no design of the study has a step {step!r}, which a metric is to rate")
    if plan.size >= _MANY:
        tell(f"Preparing {plan.size:,} requests ...")


def _score(run: Run, plan: Plan, tell: Tell) -> pd.DataFrame:
    """Score the answers of a run, and store the scores with what is known of their examples."""
    if otherwise := list(_written_otherwise(plan, run)):
        tell(
            f"{otherwise[0]} ({counted(len(otherwise), 'configuration')} in all) would have other prompts "
            "now, as a format, a design or a plugin changed; this run keeps its own; another --out asks anew"
        )
    scores = with_verdicts(without_absent_models(score_run(run), run), run.path)
    run.write_scores(scores)
    run.write_examples(plan)
    run.write_lengths(lengths_of_run(run))
    return scores


def _written_otherwise(plan: Plan, run: Run) -> Iterator[str]:
    """The configurations whose stored prompts are no longer the plan's; one prompt of each is made anew."""
    stored = next(run.request_tables(("key", "dataset", "example", "config")), None)
    rows = [] if stored is None else stored.to_pylist()
    keys = {row["key"] for row in rows}
    for config, row in sorted({row["config"]: row for row in rows}.items()):
        example = plan.example(row["dataset"], row["example"])
        requests = plan.requests_of(row["dataset"], Configuration.of(config), [example])
        if not keys.issuperset(request.key for request in requests):
            yield config


def _analyse(run: Run, plan: Plan, scores: pd.DataFrame) -> dict[str, Any]:
    """Compute every figure of the scores, and store them."""
    options = plan.recipe.analysis
    analysis = analyse(
        with_prompt_tokens(scores, run),
        resamples=options.resamples,
        level=options.level,
        seed=plan.recipe.seed,
        keeps_labels={dataset: card.keeps_labels for dataset, card in plan.cards.items()},
        models=model_descriptions(run.study),
        examples=run.examples(),
        lengths=run.lengths(),
        design_bases=design_bases(run.study),
    )
    run.write_analysis(analysis)
    return analysis
