"""Whether a reader may rely on a study: one paragraph, and reliability in one picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..analysis import format_percent
from ..analysis.result import OVERALL
from .coverage import not_asked
from .study import Study
from .verdicts import pairs_apart


def trust(study: Study) -> str:
    """Which scores are missing or were not asked, and how often a verdict may be wrong."""
    holes = study.analysis.holes
    left_out = not_asked(study.analysis) if holes.not_asked else ""
    asked_for = " that were asked for" if left_out else ""
    scores = (
        f"All {holes.expected:,} scores{asked_for} are there"
        if holes.complete
        else f"{holes.missing:,} of {holes.expected:,} scores{asked_for} are missing"
    )
    said = f"{scores}{'; ' if left_out else ''}{left_out}."
    return f"{said} {study.error_rule}" if len(study.models) > 1 or study.analysis.varied else said


def trust_lines(study: Study) -> Iterator[str]:
    """The paragraph, in sentences."""
    analysis = study.analysis
    yield trust(study)
    apart, pairs = pairs_apart(analysis)
    if pairs:
        yield f"{apart:,} of {pairs:,} pairs of models differ."
    detected = analysis.detectable.overall.hardest if pairs and analysis.detectable else None
    if detected is not None:
        yield (
            f"A true difference of {100 * detected:.0f} points or more between two models is found in at "
            "least 80% of such studies; smaller ones may go unnoticed."
        )
    agreement = analysis.configuration_agreement.get(OVERALL) or next(
        iter(analysis.configuration_agreement.values()), None
    )
    if agreement is not None and agreement.value is not None and agreement.chance is not None:
        yield (
            "How alike single ways of writing the table rank the models: "
            f"{agreement.value:.2f}, where 1 is the same order and "
            f"{agreement.chance:.2f} is chance."
        )
    if analysis.varied and analysis.noise is None:
        yield "No prompt was asked twice, so how much of the flips is answer noise is not known."
    elif analysis.noise is not None:
        shares = [own.overall.value for own in analysis.noise.noise.values()]
        known = [share for share in shares if share is not None]
        if known:
            low, high = (format_percent(end(known)) for end in (min, max))
            shown = low if low == high else f"{low} to {high}"
            yield f"Asked the same again, {shown} of the scores of a model change."


@dataclass(frozen=True)
class Reliability:
    """How far rankings agree that rest on fewer ways of writing a table and fewer questions of a data set.

    Attributes:
        questions: the columns; None of all, where data sets have not equally many.
        rows: ways -> Kendall's W with each number of questions, None where it is not known.
        chance: W of random rankings, or None.
    """

    questions: tuple[int | None, ...]
    rows: dict[int, tuple[float | None, ...]]
    chance: float | None


def reliability(study: Study) -> Reliability | None:
    """Over all data sets; None of one model, or where no rankings were drawn."""
    found = study.analysis.reliability
    points = found[OVERALL if OVERALL in found else next(iter(found))].examples if found else []
    if not points or len(study.models) < 2:
        return None
    known = {(point.k, point.n): point.w for point in points}
    questions = tuple(sorted({n for _, n in known}, key=lambda n: (n is None, n or 0)))
    ways = sorted({k for k, _ in known})
    rows = {k: tuple(known.get((k, n)) for n in questions) for k in ways}
    return Reliability(questions, rows, points[0].chance)
