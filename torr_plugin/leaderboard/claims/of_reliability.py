"""How reliable a study is, in a few plain sentences; the figure of each stands behind it.

They describe rankings and give estimates; of single models, only what is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...analysis import format_value
from ...analysis.figures.configuration_agreement import ConfigurationW
from ..text import in_words, sentence
from ..unranked import unranked_line, way_of_writing
from ..views import interval_text
from .sentences import Phrase, Sentence, phrases
from .verdicts import pair_claims

if TYPE_CHECKING:
    from ..study import Study

_SAME = 1 - 1e-9
_LIKENESS = ((0.9, "nearly the same way"), (0.7, "much the same way"), (0.4, "partly the same way"))
"""The least mean correlation of two rankings that is called so."""


def reliability_findings(study: Study, place: str) -> Iterator[Sentence]:
    """Only what the analysis can say.

    Args:
        study: of two models or more.
        place: the data set, or "overall".
    """
    yield from _single_configurations(study, place)
    yield from _pairs(study)
    yield from _again(study, place)


def _single_configurations(study: Study, place: str) -> Iterator[Sentence]:
    found = study.analysis.configuration_agreement.get(place)
    if found is None or found.value is None or found.raters < 2:
        return
    way, models = way_of_writing(study), in_words(found.models or len(study.models))
    number, left_out = in_words(found.raters), unranked_line(study, place)
    all_of = "both" if found.raters == 2 else f"all {number}"
    ways = f"{way}s that were asked about the same examples" if left_out else f"{way}s"
    every = f"{sentence(all_of)} {ways} rank" if left_out else f"Every {way} ranks"
    text = (
        f"{every} the {models} models the same way"
        if found.value >= _SAME
        else f"The {number} {ways}, each alone, rank the {models} models {_likeness(found)}"
    )
    text += f"; {left_out}." if left_out else "."
    chance = (
        ""
        if found.chance is None
        else f"; it is 1 for equal rankings and {format_value(found.chance)} for random ones"
    )
    whose = f"Kendall\N{RIGHT SINGLE QUOTATION MARK}s W of {all_of} rankings, as found"
    figure = f"{whose}: {format_value(found.value)}{chance}"
    yield Sentence(f"One {way} alone", (Phrase(text),), "#configurations", "On each data set", figure=figure)


def _likeness(found: ConfigurationW) -> str:
    """By the mean correlation of two rankings, which W over ``raters`` of them is a function of."""
    correlation = (found.raters * (found.value or 0.0) - 1) / (found.raters - 1)
    return next((words for least, words in _LIKENESS if correlation >= least), "in quite different ways")


def _pairs(study: Study) -> Iterator[Sentence]:
    known = pair_claims(study)
    held = tuple(claim for claim in known if claim.holds)
    if not known:
        return
    whom = f"{len(held):,} of the {len(known):,} pairs of models {'is' if len(held) == 1 else 'are'}"
    if len(held) == len(known):
        whom = "All pairs of models are" if len(known) > 1 else "The two models are"
    elif not held:
        two = len(study.models) == 2
        whom = "The two models are not" if two else f"No two of the {in_words(len(study.models))} models are"
    text = phrases(f"{whom} told apart by their mean scores.")
    yield Sentence("Models that differ", text, "#separability", "On each data set", held)


def _again(study: Study, place: str) -> Iterator[Sentence]:
    found = study.analysis.generalizability.get(place)
    if not found or found.coefficient.value is None:
        return
    coefficient = found.coefficient
    yield Sentence(
        "The same study again",
        phrases(
            "Were the study made again, with other configurations and examples of the same kinds, a share of "
            "{} of the variance between its models\N{RIGHT SINGLE QUOTATION MARK} mean scores would be "
            "expected to be their own, and the rest chance.",
            Phrase(format_value(coefficient.value), "number"),
        ),
        "#variance",
        "What blurs the ranking",
        figure=f"Generalizability coefficient {interval_text(coefficient)}"
        "; 1 would mean that none of it is chance",
    )
