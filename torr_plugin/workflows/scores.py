"""The scores of a run directory or a scores file: ``torr analyse`` and ``torr budget``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis import AnalysisResults, Options, analysis_results, read_scores
from ..analysis.budget import budget
from ..analysis.detection import detection_budget
from ..analysis.examples import known_examples
from ..analysis.frame import main_scores
from ..analysis.study import cubes_with_tables
from ..catalog import load_card, read_examples
from ..core.errors import InputError
from ..recipes import read_models
from ..running import Run, design_bases, examples_frame, model_descriptions, with_prompt_tokens
from ..running.usage import mean_usage, priced, usage
from ..scoring import joined_for_reading
from .judging import Tell

if TYPE_CHECKING:
    import pandas as pd


def analyse_scores(
    *paths: Path,
    models: Path | None = None,
    cards: Sequence[str] = (),
    tell: Tell = lambda line: None,
    **options: Any,
) -> AnalysisResults:
    """Every figure of a run or of scores files, see :func:`torr_plugin.analysis.analysis_results`.

    Args:
        paths: a run directory, several of one study, or scores files whose rows belong together.
        models: a file that describes models; field by field it counts before what the run says.
        cards: the cards of a scores file's data sets.
        tell: shows a line on each model that several runs have, or that has no scores.
        options: those of ``analysis_results``.

    Raises:
        InputError: a file or card that cannot be read, runs of different studies, or scores that cannot be
            analysed.
    """
    with _opened(paths, tell) as (scores, run):
        for model in sorted({*run.models()} - {*scores["model"]}) if run else ():
            tell(f"{model}: no answer of it is scored, so it is left out; 'torr run' goes on with it")
        study = run.study if run else {}
        of_run, of_file = model_descriptions(study) if run else {}, read_models(models) if models else {}
        examples = run.examples() if run else None
        if cards:
            loaded = [load_card(name) for name in cards]
            examples = examples_frame({card.dataset: read_examples(card, card.test_split) for card in loaded})
        datasets = study.get("datasets") or {}
        return analysis_results(
            with_prompt_tokens(scores, run) if run else scores,
            keeps_labels={
                name: entry["keeps_labels"] for name, entry in datasets.items() if "keeps_labels" in entry
            },
            models={
                name: {**of_run.get(name, {}), **of_file.get(name, {})} for name in {**of_run, **of_file}
            },
            lengths=run.lengths() if run else None,
            examples=examples,
            design_bases=design_bases(study) if run else {},
            **options,
        )


@contextmanager
def _opened(paths: Sequence[Path], tell: Tell) -> Iterator[tuple[pd.DataFrame, Run | None]]:
    """The scores of files; or of a run, or several of one study, and the run.

    Raises:
        InputError: some are files and some are runs, or one cannot be read.
    """
    runs = [path for path in paths if path.is_dir()]
    if not runs:
        yield read_scores(*paths), None
    elif len(runs) < len(paths):
        file = next(path for path in paths if path not in runs)
        raise InputError(f"{file}: is a file, {runs[0]} a run; expected runs of one study, or scores files")
    elif len(runs) == 1:
        run = Run.open(runs[0])
        yield _scores_of(run, runs), run
    else:
        with joined_for_reading(runs) as joined:
            for line in joined.notes:
                tell(line)
            yield _scores_of(joined.run, runs), joined.run


def _scores_of(run: Run, paths: Sequence[Path]) -> pd.DataFrame:
    scores = run.scores()
    scores.attrs["source"] = ", ".join(map(str, paths))  # for messages
    return scores


def budget_report(
    path: Path,
    *,
    target: float = 0.9,
    detect: float | None = None,
) -> dict[str, Any]:
    """How large a study must be, by the scores of a run or a scores file.

    Args:
        path: a run directory, which also says what its requests cost, or a scores file.
        target: the wished reliability (:func:`torr_plugin.analysis.budget.budget`).
        detect: instead, a difference of two models to find
            (:func:`torr_plugin.analysis.detection.detection_budget`).

    Returns:
        The budget, with ``cost`` (means of a cell, null where not known) and in each option
        ``prompt_tokens`` and ``completion_tokens``, of all models.

    Raises:
        InputError: an option does not fit the scores, or no budget follows from them.
    """
    with _opened([path], lambda line: None) as (scores, run):
        cubes = cubes_with_tables(main_scores(scores), known_examples(run.examples() if run else None))
        if detect is None:
            report = budget(cubes, target, Options())
        else:
            report = detection_budget(cubes, detect, Options())
        # each data set has as many cells, so that their means add up unweighted
        costs = usage(run, {cube.dataset: cube.configurations for cube in cubes}) if run else {}
    if any(cube.dataset not in costs for cube in cubes):
        note = "only requests are counted: a scores file does not say how long prompts and answers are"
        return {**report, "cost": None, "notes": [*report["notes"], note]}
    cost = mean_usage([costs[cube.dataset] for cube in cubes])
    estimated = (
        f"tokens of {cost['estimated']:.0%} of the requests are estimated, four characters each: "
        "the engine did not report them"
    )
    corrected = {"corrected": _priced_options(report["corrected"], cost)} if "corrected" in report else {}
    return {
        **_priced_options(report, cost),
        **corrected,
        "study": priced(report["study"], cost),
        "cost": cost,
        "notes": [*report["notes"], *[estimated] * bool(cost["estimated"])],
    }


def _priced_options(report: dict[str, Any], cost: Mapping[str, float]) -> dict[str, Any]:
    cheapest = report["cheapest"] and priced(report["cheapest"], cost)
    return {**report, "options": [priced(option, cost) for option in report["options"]], "cheapest": cheapest}
