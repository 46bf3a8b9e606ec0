"""``torr budget``: scores read, the budget computed, its requests and tokens counted."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cli.budget_table import sections
from ..core.errors import InputError, nearest

if TYPE_CHECKING:
    import pandas as pd

    from ..analysis.cube import Cube
    from ..running.usage import Usage

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
    """The budget of a run or a scores file, see :func:`torr_plugin.analysis.planning.budget.budget`.

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
    from ..analysis.cube import cubes
    from ..analysis.figures import Options
    from ..analysis.frame import main_scores
    from ..analysis.planning.budget import budget

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
    from ..analysis.configurations import label_keeping

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
