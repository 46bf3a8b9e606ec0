"""What a judge found, as a person reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..command import say
from .tables import say_in_columns, show_sections

if TYPE_CHECKING:
    from ...scoring.judges import Judgement, Summary

LONGEST_REPLY = 80
"""Characters of a judge's reply that are shown."""


def show_judgement(found: Judgement) -> None:
    """Show a judge's verdicts overall, by data set and by model; of yes and no with complete containment."""
    everything = {"all": found.overall}
    figures = _grades if found.kind == "score" else _agreement
    sections = [
        ("All answers", _rows(everything, figures)),
        ("By data set", _rows(found.datasets, figures)),
        ("By model", _rows(found.models, figures)),
    ]
    if figures is _agreement:
        calls = _rows({**everything, **found.datasets, **found.models}, _calls)
        sections.append(("Called right by", calls))
    show_sections(sections, left=("of",))
    if found.unclear is not None:
        reply = found.unclear[:LONGEST_REPLY]
        say_in_columns(f"Replies without a verdict are no scores; the first of them: {reply!r}")
    say(f"Every verdict: {found.folder / 'verdicts.parquet'}; as scores: {found.metric}")


def _rows(parts: Mapping[str, Summary], figures: Callable[[Any], dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"of": name, **figures(part)} for name, part in parts.items()]


def _grades(part: Any) -> dict[str, Any]:
    return {
        "judge's score": _four_digits(part["judge"]),
        "main score": _four_digits(part["main"]),
        "unclear": part["unclear"],
        "failed": part["failed"],
        "n": part["n"],
    }


def _agreement(part: Any) -> dict[str, Any]:
    return {
        "judged right": _four_digits(part["judged_right"]),
        "contained": _four_digits(part["contained"]),
        "accuracy": _four_digits(part["accuracy"]),
        "kappa": _four_digits(part["kappa"]),
        "unclear": part["unclear"],
        "n": part["n"],
    }


def _calls(part: Any) -> dict[str, Any]:
    confusion = part["confusion"]
    return {
        "both": confusion["both"],
        "judge alone": confusion["judge_alone"],
        "containment alone": confusion["contained_alone"],
        "neither": confusion["neither"],
    }


def _four_digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
