"""What a judge found, as a person reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...core.errors import counted
from ..command import say
from .tables import say_in_columns, show_sections

if TYPE_CHECKING:
    from ...scoring.judges import Judgement, PairJudgement, Summary

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
    _say_unclear(found, "no scores")
    say(f"Every verdict: {found.folder / 'verdicts.parquet'}")
    say(f"As scores: {found.metric}")


def show_battles(found: PairJudgement) -> None:
    """Show the wins of each model, but of a baseline, and how much the order of answers matters."""
    names = [name for name in found.models if name != found.baseline]
    rows = [{"model": name, **found.models[name]} for name in names]
    title = "Battles" if found.baseline is None else f"Battles against {found.baseline}"
    show_sections([(title, rows)], left=("model",))
    overall = found.overall
    if overall["both"]:
        share = overall["differ"] / overall["both"]
        say_in_columns(
            f"{counted(overall['both'], 'battle')} judged in both orders, of which {overall['differ']:,} "
            f"({share:.1%}) with two verdicts, which are ties"
        )
    if overall["decided"]:
        share = overall["first"] / overall["decided"]
        say_in_columns(f"The answer shown first won {share:.1%} of {counted(overall['decided'], 'verdict')}")
    _say_unclear(found, "no battles")
    say(f"Every verdict: {found.folder / 'battles.parquet'}")
    say(f"Ratings: torr rate {found.path} --out ratings")


def _say_unclear(found: Judgement | PairJudgement, what: str) -> None:
    if found.unclear is not None:
        shown = found.unclear[:LONGEST_REPLY]
        say_in_columns(f"Replies without a verdict are {what}; the first of them: {shown!r}")
    if found.cut:
        cut = counted(found.cut, "reply", "replies")
        say_in_columns(f"{cut} cut at the most tokens, and unclear; --max-tokens gives more room")


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
