"""``torr plan`` and ``torr budget`` as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import analysis
from ..results import results
from .progress import shortened
from .tables import print_rows, say_in_columns, show_sections


def show_plan(
    datasets: Sequence[Mapping[str, Any]],
    models: Sequence[Mapping[str, Any]],
    judges: Sequence[Mapping[str, Any]],
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
    print_rows([_dataset(row) for row in datasets], left=("dataset",))
    if models:
        results().write("\n")
        print_rows([_model(row) for row in _with_replicates(models)], left=("model",))
    priced = [row for row in _with_replicates(models) if row["cost of prompts"] is not None]
    if priced:
        results().write("\n")
        print_rows([_priced(row) for row in priced], left=("US dollars",))
    if judges:
        results().write("\n")
        print_rows([_judge(row) for row in judges], left=("judge", "asked"))
    if remaining:
        results().write("\n")
        print_rows([{f"in {run}": label, **each} for label, each in remaining.items()], left=(f"in {run}",))
    for text in notes:
        say_in_columns(text)
    for text in _legend(models, bool(priced)):
        say_in_columns(text)


def _with_replicates(models: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows of models, each followed by one of what it is asked again."""
    found: list[Mapping[str, Any]] = []
    for row in models:
        found.append(row)
        if again := row.get("replicates"):
            found.append({**again, "model": _AGAIN})
    return found


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
        "saved": _share(row["saved tokens"], tokens),
        "blocks": _share(row["saved in blocks"], tokens),
        "answers": _UNKNOWN if row["answer tokens"] is None else shortened(row["answer tokens"]),
    }


def _judge(row: Mapping[str, Any]) -> dict[str, Any]:
    of = "answers" if row["battles"] is None else "battles"
    return {
        "judge": row["judge"],
        "asked": row["kind"],
        "at most": f"{row[of]:,} {of}",
        "requests": row["requests"],
        "tokens": f"~{shortened(row['prompt tokens'])}",
        "replies": shortened(row["answer tokens"]),
        "US dollars": "" if row["cost"] is None else f"{row['cost']:,.2f}",
    }


def _priced(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "US dollars": row["model"],
        "prompts": _dollars(row["cost of prompts"]),
        "if cached": _dollars(row["cost of prompts cached"]),
        "answers": _dollars(row["cost of answers"]),
        "at most": _dollars(row["cost"]),
    }


_UNKNOWN = "unknown"


def _dollars(cost: float | None) -> str:
    return _UNKNOWN if cost is None else f"{cost:,.2f}"


def _share(part: int, whole: int) -> str:
    return f"{round(100 * part / whole) if whole else 0} %"


_AGAIN = "  of these replicates"


def _legend(models: Sequence[Mapping[str, Any]], priced: bool) -> list[str]:
    lines = [
        "asked: configurations x examples; longest: tokens of the longest prompt; shared: how much of the "
        "prompts repeats the beginning of the prompt sent before; ~: an estimate, four characters a token"
    ]
    if models:
        lines.append(
            "saved: how much of the prompts a prefix cache already has from the prompt sent before; blocks: "
            "the same in whole blocks of 16; answers: the most tokens that answers can have"
        )
    if priced:
        lines.append(
            "if cached: the prompts, with these blocks at the price of cached tokens; at most: prompts and "
            "answers without a cache"
        )
    if any("replicates" in row for row in models):
        lines.append("replicates: prompts asked again, to measure how much answers vary")
    return lines


Section = tuple[str, list[dict[str, Any]]]

_SHOWN = 12
_NAMES = {"generalizability": "generalizability coefficient", "w": "expected Kendall's W of ten rankings"}


def show_budget(report: Mapping[str, Any]) -> None:
    """The tables of a budget, as :func:`torr_plugin.workflows.budget_report` gives it."""
    show_sections([_options(report), _exchange(report), _limits(report)], left=())


def show_detection(report: Mapping[str, Any]) -> None:
    """The table of a budget, as :func:`torr_plugin.workflows.detection_report` gives it."""
    wish = f"a difference of {report['detect']:g} with {report['power']:.0%} power"
    if not report["reachable"]:
        most = _detected(report["ceiling"])
        show_sections([(f"Out of reach: {wish}.\n{_where(report)}\n{most}", [])], left=())
        return
    title = f"To detect {wish}, one pair. *: fewest requests.\n{_where(report)}"
    rows = [_size(option, report) for option in _thinned(report["options"], report["cheapest"])]
    below = [_detected(report["study"]), _corrected(report)]
    if (report["design_effect"] or 0.0) > 1:
        below.append(f"Examples share tables, so it takes {report['design_effect']:.2f} times as many.")
    show_sections([(title, rows), ("\n".join(below), [])], left=())


def _cells(option: Mapping[str, Any]) -> str:
    several = "" if option["configurations"] == 1 else "s"
    return f"{option['configurations']:,} configuration{several} with {option['examples']:,} examples"


def _detected(option: Mapping[str, Any]) -> str:
    return f"{_cells(option)}: a difference of {analysis.format_value(option['difference'])}."


def _corrected(report: Mapping[str, Any]) -> str:
    found = report["corrected"]["cheapest"]
    after = f"After Holm's correction for {report['pairs']:,} pairs"
    if found is None:
        return f"{after}: out of reach."
    return f"{after}: {_cells(found)}."


def _options(report: Mapping[str, Any]) -> Section:
    asked = f"{_NAMES[report['measure']]}: {report['target']}"
    if not report["reachable"]:
        ceiling = report["ceiling"]
        limit = f"{ceiling['configurations']:,} configurations with {ceiling['examples']:,} examples"
        return f"Out of reach: {asked}.\n{_where(report)}\n{limit}: {_reliability(ceiling)}.", []
    title = f"To reach {asked}. *: fewest requests.\n{_where(report)}"
    return title, [_option(option, report) for option in _thinned(report["options"], report["cheapest"])]


def _where(report: Mapping[str, Any]) -> str:
    where = f"{report['dataset']}"
    if report["datasets"] > 1:
        where = f"mean of {report['datasets']} data sets, each with as many examples as shown"
    kept = "\nOnly perturbations that keep labels." if report["label_keeping"] else ""
    return f"{report['models']} models, {where}.{kept}"


def _thinned(options: Sequence[Mapping[str, Any]], cheapest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The cheapest option and some others, evenly spread, so that they fit on a screen."""
    if len(options) <= _SHOWN:
        return list(options)
    last = len(options) - 1
    # denser among few configurations, where a configuration more changes most
    places = {round(last * (step / (_SHOWN - 2)) ** 2) for step in range(_SHOWN - 1)}
    places.add(next(i for i, option in enumerate(options) if option == cheapest))
    return [options[place] for place in sorted(places)]


def _option(option: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    return {**_size(option, report), "reliability": _reliability(option)}


def _size(option: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    row = {
        "configs": ("* " if option == report["cheapest"] else "") + f"{option['configurations']:,}",
        "examples": option["examples"],
        "a model": option["requests_per_model"],
        "requests": option["requests"],
    }
    if report["cost"] is not None:
        row["tokens in"] = shortened(option["prompt_tokens"])
        row["out"] = shortened(option["completion_tokens"])
    return row


def _exchange(report: Mapping[str, Any]) -> Section:
    found = report["exchange"]
    title = f"Just as reliable as 1 configuration with {found['examples']:,} examples, {_reliability(found)}:"
    rows = [
        {
            "configs": row["configurations"],
            "examples": row["examples"],
            "requests a model": row["configurations"] * row["examples"] * report["datasets"],
        }
        for row in found["equal"]
    ]
    return title, rows


def _limits(report: Mapping[str, Any]) -> Section:
    study = report["study"]
    rows = [study, *report["limits"].values()]
    title = "A new study of this size, and the most that more of one alone can give:"
    return title, [
        {
            "configs": _any(row["configurations"]),
            "examples": _any(row["examples"]),
            "reliability": _reliability(row),
        }
        for row in rows
    ]


def _any(count: int | None) -> str:
    return "any" if count is None else f"{count:,}"


def _reliability(figure: Mapping[str, Any]) -> str:
    return analysis.format_interval(figure["value"], figure["low"], figure["high"])
