"""``torr run``: a study from its plan to its analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis import analyse
from ..core.errors import InputError, counted
from ..prompts import designs
from ..recipes import Configuration
from ..running import (
    RecordedProgress,
    Run,
    check_models,
    design_bases,
    exclusive,
    execute,
    model_descriptions,
    run_status,
    stoppable,
    with_prompt_tokens,
)
from ..running.progress import Progress
from ..scoring import (
    LAST,
    check_card,
    lengths_of_run,
    rated_steps,
    score_run,
    with_verdicts,
    without_absent_models,
)

if TYPE_CHECKING:
    from ..recipes import ModelEntry, Plan
    from ..running import RunSummary
    from ..running.loop import RayCluster

_MANY = 10_000  # requests: to write as many takes some seconds, of which nothing else is seen

Tell = Callable[[str], object]
"""Shows a line to the person who waits."""


def run_study(
    planned: Plan | Callable[[], Plan],
    models: Sequence[ModelEntry],
    out: Path,
    *,
    executor: str | RayCluster = "local",
    retry_failed: bool = False,
    mix_versions: bool = False,
    reuse: Sequence[Path] = (),
    progress: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(Progress()),
    tell: Tell = lambda line: None,
) -> tuple[RunSummary, dict[str, Any]]:
    """Ask, score and analyse.

    Args:
        planned: the plan; or a function that makes it, where that takes long: meanwhile `torr status` says
            who is planning, and another command on this directory is refused.
        models: the models to ask.
        out: the run directory; an existing run is resumed.
        executor: where the models run, ``local``, ``ray`` or a Ray cluster.
        retry_failed: ask again what failed in an earlier run.
        mix_versions: resume a model's answers with another version of its engine.
        reuse: earlier runs whose answers are taken instead of asking.
        progress: shows how far the models are while they are asked.
        tell: shows notes and steps.

    Returns:
        What was asked and answered, and the contents of ``analysis.json``.

    Raises:
        InputError: models, cards or the directory are wrong, or another command has the directory.
        Interrupted: Ctrl-C or SIGTERM while models were asked; what was answered is kept.
    """
    check_models(_to_ask(models, out, retry_failed=retry_failed), here=executor == "local")
    for earlier in reuse:
        Run.open(earlier)  # an error before anything is written
    with exclusive(out):
        plan = planned() if callable(planned) else planned
        for note in plan.notes:
            tell(note)
        _check_cards(plan, tell)
        if plan.size >= _MANY:
            tell(f"Preparing {plan.size:,} requests ...")
        with progress() as shown, stoppable(tell) as stop:
            recorded = RecordedProgress(out, shown)
            summary = execute(
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
        return summary, _score_and_analyse(plan, summary, recorded, tell)


def _to_ask(models: Sequence[ModelEntry], out: Path, *, retry_failed: bool) -> list[ModelEntry]:
    """The models without those that have all their answers in the run: what they need may be gone."""
    try:
        found = run_status(out).models
    except InputError:  # no run yet, or one that the run itself refuses
        return list(models)
    # without requests: the run was killed before all of them were written
    left = {each.model: each.waiting + retry_failed * each.counts.failed for each in found if each.requests}
    return [entry for entry in models if left.get(entry.label, 1)]


def _written_otherwise(plan: Plan, run: Run) -> Iterator[str]:
    """The configurations whose stored prompts are no longer the plan's; one prompt of each is made anew."""
    stored = next(run.request_tables(("key", "dataset", "example", "config")), None)
    rows = [] if stored is None else stored.to_pylist()
    keys = {row["key"] for row in rows}
    for config, row in sorted({row["config"]: row for row in rows}.items()):
        (example,) = [each for each in plan.examples[row["dataset"]] if each.id == row["example"]]
        made = plan.requests_of(row["dataset"], Configuration.of(config), [example])
        if not keys.issuperset(request.key for request in made):
            yield config


def _check_cards(plan: Plan, tell: Tell) -> None:
    """Score an empty answer of each card, so that a wrong card is found before models are asked.

    Says which metrics will give nothing, as no design has the step that they rate.

    Raises:
        CardError: a metric or postprocessor is unknown, or none gives the main score.
    """
    steps = {step.name for each in plan.configurations for step in designs.get(each.design).steps}
    for dataset, card in plan.cards.items():
        check_card(card, plan.examples[dataset][0])
        for step in set(rated_steps(card)) - {LAST} - steps:
            tell(f"{card.name}: no design of the study has a step {step!r}, which a metric is to rate")


def _score_and_analyse(
    plan: Plan, summary: RunSummary, progress: RecordedProgress, tell: Tell
) -> dict[str, Any]:
    """Score and analyse what was answered; gives the contents of ``analysis.json``."""
    progress.report(summary.notes)
    progress.step("scoring")
    tell("Scoring ...")
    opened = Run.open(summary.run)
    if otherwise := list(_written_otherwise(plan, opened)):
        tell(
            f"{otherwise[0]} ({counted(len(otherwise), 'configuration')} in all) would have other prompts "
            "now, as a format, a design or a plugin changed; this run keeps its own; another --out asks anew"
        )
    scores = with_verdicts(without_absent_models(score_run(opened), opened), opened.path)
    opened.write_scores(scores)
    opened.write_examples(plan)
    opened.write_lengths(lengths_of_run(opened))
    progress.step("analysing")
    tell("Analysing ...")
    options = plan.recipe.analysis
    analysis = analyse(
        with_prompt_tokens(scores, opened),
        resamples=options.resamples,
        level=options.level,
        two_way=options.two_way,
        seed=plan.recipe.seed,
        keeps_labels={dataset: card.keeps_labels for dataset, card in plan.cards.items()},
        models=model_descriptions(opened.study),
        examples=opened.examples(),
        lengths=opened.lengths(),
        design_bases=design_bases(opened.study),
    )
    opened.write_analysis(analysis)
    progress.step("done")
    return analysis
