"""A budget as tables for a person, within 80 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Section = tuple[str, list[dict[str, Any]]]

_SHOWN = 12
_NAMES = {"generalizability": "generalizability coefficient", "w": "expected Kendall's W of ten rankings"}


def sections(report: Mapping[str, Any]) -> list[Section]:
    """What a budget says: titles and rows, for :func:`torr_plugin.cli.console.show_sections`.

    Args:
        report: of :func:`torr_plugin.workflows.scores.budget_report`.
    """
    return [_options(report), _exchange(report), _limits(report)]


def _options(report: Mapping[str, Any]) -> Section:
    asked = f"{_NAMES[report['measure']]}: {report['target']}"
    if not report["reachable"]:
        ceiling = report["ceiling"]
        limit = f"{ceiling['configurations']:,} configurations with {ceiling['examples']:,} examples"
        return f"Not reached, {asked}.\n{_where(report)}\n{limit}: {_reliability(ceiling)}.", []
    title = f"What reaches {asked}. *: fewest requests.\n{_where(report)}"
    return title, [_option(option, report) for option in _thinned(report["options"], report["cheapest"])]


def _where(report: Mapping[str, Any]) -> str:
    where = f"{report['dataset']}"
    if report["datasets"] > 1:
        where = f"mean of {report['datasets']} data sets, each with so many examples"
    kept = "\nLabel-keeping perturbations alone." if report["label_keeping"] else ""
    return f"{report['models']} models, {where}.{kept}"


def _thinned(options: Sequence[Mapping[str, Any]], cheapest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The cheapest option and others, evenly, as many as a screen bears."""
    if len(options) <= _SHOWN:
        return list(options)
    last = len(options) - 1
    # denser among few configurations, where a configuration more changes most
    places = {round(last * (step / (_SHOWN - 2)) ** 2) for step in range(_SHOWN - 1)}
    places.add(next(i for i, option in enumerate(options) if option == cheapest))
    return [options[place] for place in sorted(places)]


def _option(option: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    row = {
        "configs": ("* " if option == report["cheapest"] else "") + f"{option['configurations']:,}",
        "examples": option["examples"],
        "a model": option["requests_per_model"],
        "requests": option["requests"],
    }
    if report["cost"] is not None:
        row["tokens in"] = _compact(option["prompt_tokens"])
        row["out"] = _compact(option["completion_tokens"])
    row["reliability"] = _reliability(option)
    return row


def _exchange(report: Mapping[str, Any]) -> Section:
    found = report["exchange"]
    title = f"As reliable as 1 configuration with {found['examples']:,} examples, {_reliability(found)}:"
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
    title = "A fresh study of this size, and what no number of the other can pass:"
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
    from ..analysis import format_interval

    return format_interval(figure["value"], figure["low"], figure["high"])


def _compact(count: int) -> str:
    """At most four digits: 950, 12.3k, 4.56M."""
    size, unit = float(count), ""
    for larger in ("k", "M", "G", "T"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.3g}{unit}" if unit else str(count)
