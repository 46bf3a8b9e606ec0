"""``torr plan`` as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..results import results
from .progress import shortened
from .tables import print_rows, say_in_columns

Rows = Sequence[Mapping[str, Any]]
_UNKNOWN = "unknown"
_AGAIN = "  of these replicates"


def show_plan(
    datasets: Rows,
    models: Rows,
    judges: Rows,
    notes: Sequence[str],
    *,
    run: Path,
    remaining: Mapping[str, Mapping[str, int]],
) -> None:
    """Show what would run: a row a data set, a row a model, a row a judge.

    Args:
        datasets: as :func:`.recipes.outline` has them.
        models: as :func:`.recipes.outline` has them.
        judges: as :func:`.workflows.judge_costs` has them.
        notes: lines below the tables.
        run: the run directory.
        remaining: what is left to ask there, by model, where it holds a run.
    """
    asked = _with_replicates(models)
    left = [{f"in {run}": label, **each} for label, each in remaining.items()]
    for number, (rows, texts) in enumerate(
        (
            (list(map(_dataset, datasets)), ["dataset"]),
            (list(map(_model, asked)), ["model"]),
            (list(map(_judge, judges)), ["judge", "asked"]),
            (left, [f"in {run}"]),
        )
    ):
        if rows:
            results().write("\n" if number else "")
            print_rows(rows, left=texts)
    for text in (*notes, *_legend(models)):
        say_in_columns(text)


def _with_replicates(models: Rows) -> list[Mapping[str, Any]]:
    """The rows of models, each followed by one of what it is asked again."""
    again = [{**row["replicates"], "model": _AGAIN} if "replicates" in row else None for row in models]
    return [row for pair in zip(models, again, strict=True) for row in pair if row is not None]


def _dataset(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "dataset": row["dataset"],
        "asked": "again" if row["configurations"] is None else f"{row['configurations']} x {row['examples']}",
        "shots": "" if row["shots"] is None else row["shots"],
        "prompts": row["prompts"],
        "unique": row["unique prompts"],
        "tokens": f"~{shortened(row['estimated tokens'])}",
        "longest": row["longest prompt"],
        "shared": row["shared beginning"],
    }


def _model(row: Mapping[str, Any]) -> dict[str, Any]:
    about = "~" if row["counted"] == "estimated" else ""
    tokens = row["prompt tokens"]
    return {
        "model": row["model"],
        "requests": row["requests"],
        "unique": row["unique requests"],
        "tokens": about + shortened(tokens),
        "longest": f"{about}{row['longest prompt']:,}",
        "cached": f"{round(100 * row['saved in blocks'] / tokens) if tokens else 0} %",
        "answers": _UNKNOWN if row["answer tokens"] is None else shortened(row["answer tokens"]),
        "US dollars": "" if row["cost of prompts"] is None else _dollars(row["cost"]),
    }


def _dollars(cost: float | None) -> str:
    return _UNKNOWN if cost is None else f"{cost:,.2f}"


def _judge(row: Mapping[str, Any]) -> dict[str, Any]:
    of = "answers" if row["battles"] is None else "battles"
    return {
        "judge": row["judge"],
        "asked": row["kind"],
        "at most": f"{row[of]:,} {of}",
        "requests": row["requests"],
        "tokens": f"~{shortened(row['prompt tokens'])}",
        "replies": shortened(row["answer tokens"]),
        "US dollars": "" if row["cost"] is None else _dollars(row["cost"]),
    }


def _legend(models: Rows) -> list[str]:
    lines = [
        "asked: configurations x examples; longest: tokens of the longest prompt; shared: how much of the "
        "prompts repeats the beginning of the prompt sent before; ~: an estimate, four characters a token"
    ]
    if models:
        lines.append(
            "cached: how much of the prompts a prefix cache of blocks of 16 already has from the prompt sent "
            "before; answers, US dollars: at most, without a cache"
        )
    if any("replicates" in row for row in models):
        lines.append("replicates: prompts asked again, to measure how much answers vary")
    return lines
