"""A study from plan to analysis: the stages of ``torr run``, each writing into the run directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .command import say

if TYPE_CHECKING:
    import pandas as pd

    from .recipes import ModelEntry, Plan
    from .running import Run, Summary


def run_study(
    planned: Plan,
    models: Sequence[ModelEntry],
    out: Path,
    *,
    executor: str = "local",
    retry_failed: bool = False,
    reuse: Sequence[Path] = (),
    ray_address: str | None = None,
) -> tuple[Summary, dict[str, Any]]:
    """Ask, score and analyse.

    Args:
        planned: what to ask.
        models: whom.
        out: the run directory; one that is there already is resumed.
        executor: where the models run, ``local`` or ``ray``.
        retry_failed: ask again what failed in an earlier run.
        reuse: earlier runs whose answers are taken instead of asking.
        ray_address: of a Ray cluster that is there, for ``ray``.

    Returns:
        What was asked and answered, and the contents of ``analysis.json``.

    Raises:
        InputError: models, cards or the directory are wrong.
        Interrupted: Ctrl-C or SIGTERM while models were asked; what was answered is kept.
    """
    from .analysis import analyse
    from .console import say_in_columns
    from .console_run import RunProgress
    from .running import RecordedProgress, Run, exclusive, execute, model_descriptions, stoppable
    from .scoring import lengths_of_run, score_example, score_run

    for text in planned.notes:
        say_in_columns(text)
    for dataset, card in planned.cards.items():
        # an answer scored for trial: what is wrong with a card is said before models are asked, not after
        first = planned.examples[dataset][0]
        score_example(card, "", first.references, first.facts)
    with RunProgress() as shown, stoppable(say) as stop:
        progress = RecordedProgress(out, shown)
        summary = execute(
            planned,
            models,
            out,
            executor=executor,
            progress=progress,
            retry_failed=retry_failed,
            reuse=reuse,
            ray_address=ray_address,
            stop=stop,
        )
    with exclusive(summary.run):
        progress.tell(unloaded=summary.unloaded, notes=summary.notes)
        progress.step("scoring")
        say("Scoring ...")
        opened = Run.open(summary.run)
        scores = _of_asked(score_run(opened), opened)
        opened.write_scores(scores)
        opened.write_examples(planned)
        opened.write_lengths(lengths_of_run(opened))
        progress.step("analysing")
        say("Analysing ...")
        options = planned.recipe.analysis
        analysis = analyse(
            scores,
            resamples=options.resamples,
            level=options.level,
            two_way=options.two_way,
            seed=planned.recipe.seed,
            keeps_labels={dataset: card.keeps_labels for dataset, card in planned.cards.items()},
            models=model_descriptions(opened.study),
            examples=opened.examples(),
            lengths=opened.lengths(),
        )
        opened.write_analysis(analysis)
        progress.step("done")
    return summary, analysis


def _of_asked(scores: pd.DataFrame, run: Run) -> pd.DataFrame:
    """The scores without models that could not be loaded, now or before, and have no answer: no holes."""
    absent = [label for label in run.models() if not run.has_answers(label)]
    if not absent:
        return scores
    kept: pd.DataFrame = scores[~scores["model"].isin(absent)].reset_index(drop=True)
    if hasattr(kept["model"], "cat"):
        kept["model"] = kept["model"].cat.remove_unused_categories()
    return kept
