"""What a command that takes a run directory or a scores file reads of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


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
