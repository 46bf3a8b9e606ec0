"""What the page of reliability says, in a few sentences for who has one minute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..analysis import format_interval
from . import schema
from .figures import percent

_S = "\N{RIGHT SINGLE QUOTATION MARK}"


@dataclass(frozen=True)
class ReliabilityFinding:
    """A sentence with its heading, and the section of the page that says more."""

    title: str
    text: str
    section: str
    more: str


def reliability_findings(analysis: schema.Analysis, place: str, plan: str) -> Iterator[ReliabilityFinding]:
    """Only what the analysis can say.

    Args:
        analysis: of the study.
        place: the data set, or "overall".
        plan: the planner's sentence for its default wish; empty where there is no planner.
    """
    found = (analysis.generalizability or {}).get(place)
    if found and found.coefficient.value is not None:
        own = found.coefficient
        yield ReliabilityFinding(
            "The same study again",
            "With other configurations and examples of the same kinds, "
            f"the models{_S} mean scores would correlate with these at "
            f"{format_interval(own.value, own.low, own.high)}; 1: nothing would move.",
            "variance",
            "What moves it",
        )
    curves = (analysis.reliability or {}).get(place)
    first = curves.prompts[0] if curves and curves.prompts else None
    if first and first.k == 1 and first.w is not None:
        chance = "" if first.chance is None else f", random ones at {first.chance:.2f}"
        yield ReliabilityFinding(
            "One configuration alone",
            "Rankings from one configuration each agree with one another at "
            f"Kendall{_S}s W = {format_interval(first.w, first.low, first.high)}; "
            f"equal rankings would at 1{chance}.",
            "curves",
            "With more of them",
        )
    if plan:
        yield ReliabilityFinding("How large a study", plan, "budget", "Plan another size")
    pairs = analysis.separability.overall
    if pairs.paired is not None:
        yield ReliabilityFinding(
            "Models told apart",
            f"{percent(pairs.paired)} of the {pairs.pairs:,} pairs of models truly differ, by a paired test "
            "that allows for all of them.",
            "separability",
            "On each data set",
        )
