"""``torr budget``: how large a study must be to rank models reliably, or to tell two apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ... import workflows
from ...analysis import format_interval, format_value
from ...core.errors import InputError, counted
from .. import console
from ..command import emit, guarded, say_in_columns
from .options import Json


@guarded
def budget(
    scores: Annotated[Path, Argument(help="A run directory, or a scores file (Parquet, CSV, JSONL).")],
    target: Annotated[float | None, Option(help="The wished reliability, 0 to 1.  [default: 0.9]")] = None,
    detect: Annotated[float | None, Option(help="Instead: a difference to detect, e.g. 0.02.")] = None,
    as_json: Json = False,
) -> int:
    """Say how large a study must be, and what it would cost.

    How many configurations and examples it takes to rank models reliably, or to tell two apart.
    """
    if detect is not None and target is not None:
        raise InputError("--detect: found with --target; expected one of the two questions")
    report = workflows.scores.budget_report(
        scores,
        target=0.9 if target is None else target,
        detect=detect,
    )
    emit(report) if as_json else show_budget(report)
    say_in_columns(*report["notes"])
    return 0


def show_budget(report: Mapping[str, Any]) -> None:
    """The tables of a budget, as :func:`torr_plugin.workflows.scores.budget_report` gives it."""
    detect = report.get("detect")
    wished = (
        f"a generalizability coefficient of {report['target']}"
        if detect is None
        else f"a difference of {detect:g} with {report['power']:.0%} power"
    )
    where = report["dataset"]
    if report["datasets"] > 1:
        where = f"mean of {report['datasets']} data sets, each with as many examples as shown"
    below = f"{report['models']} models, {where}."
    sections: list[tuple[str, list[dict[str, Any]]]] = []
    if report["reachable"]:
        title = f"To {'reach' if detect is None else 'detect'} {wished}"
        title += f"{'' if detect is None else ', middle pair'}. *: fewest requests."
        sections.append((f"{title}\n{below}", [_option(each, report) for each in report["options"]]))
    else:
        sections.append((f"Out of reach: {wished}.\n{below}\n{_reached(report['ceiling'])}", []))
    if detect is None:
        title = "A new study of this size, and the most that more of one alone can give:"
        rows = [
            {
                "configs": "any" if row["configurations"] is None else row["configurations"],
                "examples": "any" if row["examples"] is None else row["examples"],
                "reliability": _interval(row),
                "best found": f"{row['best']:.0%}",
            }
            for row in (report["study"], *report["limits"].values())
        ]
        sections.append((title, rows))
    elif report["reachable"]:
        sections.append(("\n".join(_beside_detection(report)), []))
    console.show_sections(sections, left=())


def _option(option: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    row = {
        "configs": ("* " if option == report["cheapest"] else "") + f"{option['configurations']:,}",
        "examples": option["examples"],
        "a model": option["requests_per_model"],
        "requests": option["requests"],
    }
    if report["cost"] is not None:
        row["tokens in"] = console.shortened(option["prompt_tokens"])
        row["out"] = console.shortened(option["completion_tokens"])
    if "difference" in option:
        return {**row, "hardest pair": f"{option['hardest_power']:.0%}"}
    return {**row, "reliability": _interval(option), "best found": f"{option['best']:.0%}"}


def _beside_detection(report: Mapping[str, Any]) -> list[str]:
    cheapest = report["corrected"]["cheapest"]
    found = "out of reach" if cheapest is None else _cells(cheapest)
    lines = [_reached(report["study"]), f"Corrected for {counted(report['pairs'], 'pair')}: {found}."]
    if (report["design_effect"] or 0.0) > 1:
        lines.append(f"Examples share tables, so it takes {report['design_effect']:.2f} times as many.")
    return lines


def _reached(option: Mapping[str, Any]) -> str:
    seen = f"a difference of {format_value(option['difference'])}" if "difference" in option else ""
    return f"{_cells(option)}: {seen or _interval(option)}."


def _cells(option: Mapping[str, Any]) -> str:
    return f"{counted(option['configurations'], 'configuration')} with {option['examples']:,} examples"


def _interval(figure: Mapping[str, Any]) -> str:
    return format_interval(figure["value"], figure["low"], figure["high"])
