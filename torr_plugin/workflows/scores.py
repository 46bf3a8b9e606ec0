"""What ``torr analyse`` and ``torr budget`` read, a run or a scores file; and the budget of a study."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cli.console.plan import sections
from ..core.errors import InputError, nearest

if TYPE_CHECKING:
    import pandas as pd

    from ..analysis.cube import Cube
    from ..running.usage import Usage


def models_at(scores: Path, models: Path | None) -> dict[str, dict[str, Any]]:
    """What is known of the models: a run's own words, field by field overruled by those of a file."""
    from ..recipes import read_models
    from ..running import Run, model_descriptions

    of_run = model_descriptions(Run.open(scores).study) if scores.is_dir() else {}
    of_file = read_models(models) if models else {}
    return {name: {**of_run.get(name, {}), **of_file.get(name, {})} for name in {**of_run, **of_file}}


def scores_at(path: Path) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """The scores of a run directory or a file, and what a run says of the perturbations that keep labels."""
    from ..analysis import read_scores
    from ..running import Run

    if not path.is_dir():
        return read_scores(path), {}
    run = Run.open(path)
    datasets = run.study.get("datasets") or {}
    return run.scores(), {
        name: entry["keeps_labels"] for name, entry in datasets.items() if "keeps_labels" in entry
    }


def told_at(path: Path, cards: Sequence[str] = ()) -> dict[str, Any]:
    """What is known of examples and answers, as arguments of ``analyse``.

    Args:
        path: a run directory, which keeps both; a scores file keeps neither.
        cards: the cards that a scores file's data sets are of; their test splits are read.
    """
    from ..catalog import load_card, read_examples
    from ..running import Run, examples_frame

    run = Run.open(path) if path.is_dir() else None
    found: dict[str, Any] = {"lengths": run.lengths() if run else None}
    if not cards:
        return {**found, "examples": run.examples() if run else None}
    loaded = [load_card(name) for name in cards]
    return {
        **found,
        "examples": examples_frame({card.dataset: read_examples(card, card.test_split) for card in loaded}),
    }


__all__ = ["budget_report", "sections", "write_report"]
_MEASURES = ("generalizability", "w")


def budget_report(
    path: Path,
    frame: pd.DataFrame,
    keeps_labels: Mapping[str, Collection[str]],
    *,
    target: float = 0.9,
    measure: str = "generalizability",
    dataset: str | None = None,
    kept_labels_only: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """The budget of a run or a scores file, see :func:`torr_plugin.analysis.budget.budget`.

    Args:
        path: where the scores are from; a run directory also says what its requests cost.
        frame: its scores.
        keeps_labels: data set -> perturbations, as a run says them.
        target: wished reliability.
        measure: ``generalizability`` or ``w``.
        dataset: one alone; all together if None.
        kept_labels_only: only the configurations whose perturbation keeps the labels.
        seed: of the draws.

    Returns:
        The budget, with ``label_keeping``, ``cost`` (means of a cell, null where not known) and in each
        option ``prompt_tokens`` and ``completion_tokens``, of all models.

    Raises:
        InputError: an option does not fit the scores.
        AnalysisError: the scores do not bear a budget.
    """
    from ..analysis.budget import budget
    from ..analysis.cube import cubes
    from ..analysis.estimates import Options
    from ..analysis.frame import main_scores

    if measure not in _MEASURES:
        raise InputError(f"--measure: found {measure!r}; expected {' or '.join(_MEASURES)}")
    chosen = _chosen(cubes(main_scores(frame)), dataset, path)
    if kept_labels_only:
        chosen = _label_keeping(chosen, keeps_labels, path)
    found = budget(chosen, target, "w" if measure == "w" else "generalizability", Options(seed=seed))
    costs = _costs(path, chosen)
    return {**_with_costs(found, costs, chosen), "label_keeping": kept_labels_only}


def write_report(report: Mapping[str, Any], out: Path) -> None:
    """Write a budget as JSON.

    Raises:
        OSError: it cannot be written.
    """
    text = json.dumps(report, ensure_ascii=False, allow_nan=False, indent=1)
    out.write_text(text + "\n", encoding="utf-8", errors="replace")


def _chosen(found: Sequence[Cube], dataset: str | None, path: Path) -> list[Cube]:
    chosen = [cube for cube in found if dataset in (None, cube.dataset)]
    if not chosen:
        known = [cube.dataset for cube in found]
        raise InputError(f"{path}: has no data set {dataset!r}; {nearest(str(dataset), known)}")
    return chosen


def _label_keeping(found: Sequence[Cube], keeps: Mapping[str, Collection[str]], path: Path) -> list[Cube]:
    from ..analysis.cube import label_keeping

    if not keeps:
        raise InputError(
            f"{path}: does not say which perturbations keep the labels; expected a run directory "
            "(its study.yaml does) for --label-keeping"
        )
    # nothing was taken away: all configurations keep the labels
    return label_keeping(found, keeps) or list(found)


def _costs(path: Path, chosen: Sequence[Cube]) -> dict[str, Usage]:
    """What a cell of each data set costs; empty for a bare scores file."""
    from ..running import Run
    from ..running.usage import usage

    if not path.is_dir():
        return {}
    return usage(Run.open(path), {cube.dataset: cube.configurations for cube in chosen})


def _with_costs(found: dict[str, Any], costs: Mapping[str, Usage], chosen: Sequence[Cube]) -> dict[str, Any]:
    """The budget with tokens; each data set has as many cells, so that their means add up unweighted."""
    from ..running.usage import mean_usage, priced

    known = [costs[cube.dataset] for cube in chosen if cube.dataset in costs]
    if len(known) < len(chosen):
        note = "only requests are counted: a scores file does not say how long prompts and answers are"
        return {**found, "cost": None, "notes": [*found["notes"], note]}
    cost = mean_usage(known)
    options = [priced(option, cost) for option in found["options"]]
    return {
        **found,
        "study": priced(found["study"], cost),
        "options": options,
        "cheapest": found["cheapest"] and priced(found["cheapest"], cost),
        "cost": cost,
        "notes": [*found["notes"], *_estimated_note(cost["estimated"])],
    }


def _estimated_note(share: float) -> list[str]:
    if not share:
        return []
    return [
        f"tokens of {share:.0%} of the requests are estimated, four characters each: "
        "the engine did not tell them"
    ]
