"""A study from plan to analysis: the stages of ``torr run``, each writing into the run directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .command import say

if TYPE_CHECKING:
    from .recipes import ModelEntry, Plan
    from .running import Summary


def run_study(
    planned: Plan,
    models: Sequence[ModelEntry],
    out: Path,
    *,
    executor: str = "local",
    retry_failed: bool = False,
) -> tuple[Summary, dict[str, Any]]:
    """Ask, score and analyse.

    Args:
        planned: what to ask.
        models: whom.
        out: the run directory; one that is there already is resumed.
        executor: where the models run, ``local`` or ``ray``.
        retry_failed: ask again what failed in an earlier run.

    Returns:
        What was asked and answered, and the contents of ``analysis.json``.
    """
    from .analysis import analyse
    from .console import RunProgress, say_in_columns
    from .running import Run, exclusive, execute, model_descriptions
    from .scoring import lengths_of_run, score_example, score_run

    for text in planned.notes:
        say_in_columns(text)
    for dataset, card in planned.cards.items():
        # an answer scored for trial: what is wrong with a card is said before models are asked, not after
        first = planned.examples[dataset][0]
        score_example(card, "", first.references, first.facts)
    with RunProgress() as progress:
        summary = execute(
            planned, models, out, executor=executor, progress=progress, retry_failed=retry_failed
        )
    with exclusive(summary.run):
        say("Scoring ...")
        opened = Run.open(summary.run)
        scores = score_run(opened)
        opened.write_scores(scores)
        opened.write_examples(planned)
        opened.write_lengths(lengths_of_run(opened))
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
    return summary, analysis
