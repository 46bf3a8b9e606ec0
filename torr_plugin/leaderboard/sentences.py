"""Sentences of the pages: the study's findings, a model's strengths and weaknesses, how reliable it all is.

They state verdicts of the analysis and nothing else: that no difference is shown is no strength.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..analysis import format_value
from ..analysis.figures.configuration_agreement import ConfigurationW
from ..analysis.figures.findings import Phrase, name, names, phrases
from ..analysis.figures.generalizability import AS_IF_WHOLE
from ..analysis.result import OVERALL, MarkedBounds, Verdict
from .coverage import one_design
from .files import with_choice
from .results import at_limit
from .text import in_words, sentence
from .unranked import unranked_line, way_of_writing
from .verdicts import against_others, pairs_apart, swapped, weak
from .views import interval_text

if TYPE_CHECKING:
    from .study import Study

MOST = 4
"""Sentences of one sort."""

LEAST_EXAMPLES = 10
"""Fewer say little, however equal their scores."""


@dataclass(frozen=True)
class Sentence:
    """A sentence with its heading, and where more of it is.

    Attributes:
        title: "" of a sentence in a list.
        parts: of the sentence.
        path: from the site's root, or an anchor of the same page.
        more: what is there.
        figure: the number behind it, where the sentence has none.
    """

    title: str
    parts: tuple[Phrase, ...]
    path: str
    more: str
    figure: str = ""

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return "".join(part.text for part in self.parts)


def study_findings(study: Study) -> tuple[Sentence, ...]:
    """What the study shows, as the analysis says it."""
    paths = study.paths
    links = {
        "models": (paths.models[study.models[0]], "Model page"),
        "formats": (paths.formats, "Formats"),
        "layout changes": (paths.formats, "Formats"),
        "designs": (paths.designs, "Designs"),
    }
    return tuple(
        Sentence(found.title, found.parts, *links[found.question]) for found in study.analysis.findings
    )


def _number(figure: MarkedBounds) -> Phrase:
    """A figure with its interval; a star as in the tables where some scores are missing."""
    return Phrase(text=interval_text(figure) + ("" if figure.complete else "*"), sort="number")


def _size(figure: Verdict) -> Phrase:
    """How large a difference is, whatever its sign."""
    return _number(swapped(figure) if (figure.value or 0.0) < 0 else figure)


@dataclass(frozen=True)
class ModelFindings:
    """Of one model."""

    strengths: tuple[Sentence, ...] = ()
    weaknesses: tuple[Sentence, ...] = ()


_Sized = Iterator[tuple[float, Sentence]]
"""Sentences with their size, which is below 0 for a weakness."""


def model_findings(study: Study, model: str) -> ModelFindings:
    """All that stands out, one sort after the other, the largest of each first."""
    good: list[Sentence] = []
    bad: list[Sentence] = []
    for sort in (_performance, _robustness, _formats, _perturbations, _designs):
        found = sorted(sort(study, model), key=lambda each: -abs(each[0]))
        good += [sentence for side, sentence in found if side > 0][:MOST]
        bad += [sentence for side, sentence in found if side < 0][:MOST]
    return ModelFindings(tuple(good), tuple(bad))


def _performance(study: Study, model: str) -> _Sized:
    yield from _against_others(study, model, "performance", "Scores higher than {}.", "Scores lower than {}.")


def _robustness(study: Study, model: str) -> _Sized:
    """Of models whose robustness says something."""
    if study.analysis.varied and at_limit(study.analysis, model, "headline_robustness") is None:
        figure = study.analysis.compared_figures[1]
        yield from _against_others(study, model, figure, "More robust than {}.", "Less robust than {}.")


def _against_others(study: Study, model: str, figure: str, higher: str, lower: str) -> _Sized:
    found = [
        (other, verdict)
        for other, verdict in against_others(study, model, figure)
        if figure == "performance" or not at_limit(study.analysis, other, "headline_robustness")
    ]
    for sign, text in ((1, higher), (-1, lower)):
        others = [other for other, verdict in found if sign * (verdict.value or 0.0) > 0]
        if not others:
            continue
        every = len(others) == len(study.models) - 1 and len(others) > 1
        link = (
            (f"{study.paths.models[model]}#pairs", "Each of them")
            if len(others) > 1
            else (with_choice(study.paths.compare, a=model, b=others[0]), "Compare")
        )
        but = "" if figure == "performance" else _weak(study, model, others, more=sign > 0)
        whom = phrases("every other model") if every else names(others)
        yield sign, Sentence("", phrases(f"{text}{but}", whom), *link)


def _weak(study: Study, model: str, others: Sequence[str], *, more: bool) -> str:
    """That what is more robust may be so for its mean score alone; of several others nothing is said."""
    if more:
        return weak(study, model)
    return weak(study, others[0], "That model") if len(others) == 1 else ""


def _formats(study: Study, model: str) -> _Sized:
    """The formats that are worse than its best."""
    levels = study.analysis.serializers.choice.of(model, OVERALL) if study.analysis.serializers else []
    link = with_choice(study.paths.formats, model=model), "Formats"
    design = one_design(study.analysis)
    at = phrases(", both with the design {}", name(design)) if design else ()
    for level in levels:
        if level.worse:
            words = "{} costs it {} compared with {}{}."
            text = phrases(words, name(level.name), _size(level.behind), name(levels[0].name), at)
            yield -(level.behind.value or 0.0), Sentence("", text, *link)


def _perturbations(study: Study, model: str) -> _Sized:
    """Perturbations that move its score; only those that keep the answers right everywhere."""
    found, settings = study.analysis.perturbations, study.analysis.settings
    if found is None or sum(settings.examples.values()) < LEAST_EXAMPLES:
        return
    link = with_choice(study.paths.formats, model=model), "Formats"
    for change, verdict in found.differences.get(OVERALL, {}).get(model, {}).items():
        kept = all(change in settings.keeps_labels.get(dataset, ()) for dataset in study.datasets)
        if verdict.differs and kept:
            text = (
                "The perturbation {} costs it {} compared with the same tables unperturbed."
                if (verdict.value or 0.0) < 0
                else "With the perturbation {} it gains {}."
            )
            yield (
                verdict.value or 0.0,
                Sentence("", phrases(text, name(change), _size(verdict)), *link),
            )


def _designs(study: Study, model: str) -> _Sized:
    """Designs that move its score, against their bases."""
    found = study.analysis.designs
    if found is None or sum(study.analysis.settings.examples.values()) < LEAST_EXAMPLES:
        return
    link = with_choice(study.paths.designs, of=model), "Designs"
    for design, verdict in found.differences.get(OVERALL, {}).get(model, {}).items():
        if verdict.differs:
            text = (
                "The design {} costs it {} compared with {} in the same formats."
                if (verdict.value or 0.0) < 0
                else "With the design {} it gains {} over {} in the same formats."
            )
            words = phrases(text, name(design), _size(verdict), name(found.bases[design]))
            yield verdict.value or 0.0, Sentence("", words, *link)


_SAME = 1 - 1e-9
_LIKENESS = ((0.9, "nearly the same way"), (0.7, "much the same way"), (0.4, "partly the same way"))
"""The least mean correlation of two rankings that is called so."""


def reliability_findings(study: Study, place: str, plan: str) -> Iterator[Sentence]:
    """How reliable the study is; only what the analysis can say.

    Args:
        study: of two models or more.
        place: the data set, or "overall".
        plan: the planner's sentence for its default wish; empty where there is no planner.
    """
    yield from _single_configurations(study, place)
    yield from _pairs(study)
    yield from _again(study, place)
    if plan:
        yield Sentence("How large a study", phrases("{}", Phrase(text=plan)), "#budget", "Plan another size")


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
    parts = (Phrase(text=text),)
    yield Sentence(f"One {way} alone", parts, "#configurations", "On each data set", figure)


def _likeness(found: ConfigurationW) -> str:
    """By the mean correlation of two rankings, which W over ``raters`` of them is a function of."""
    correlation = (found.raters * (found.value or 0.0) - 1) / (found.raters - 1)
    return next((words for least, words in _LIKENESS if correlation >= least), "in quite different ways")


def _pairs(study: Study) -> Iterator[Sentence]:
    held, known = pairs_apart(study.analysis)
    if not known:
        return
    whom = f"{held:,} of the {known:,} pairs of models {'is' if held == 1 else 'are'}"
    if held == known:
        whom = "All pairs of models are" if known > 1 else "The two models are"
    elif not held:
        two = len(study.models) == 2
        whom = "The two models are not" if two else f"No two of the {in_words(len(study.models))} models are"
    text = phrases(f"{whom} told apart by their mean scores.")
    yield Sentence("Models that differ", text, "#separability", "On each data set")


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
            Phrase(text=format_value(coefficient.value), sort="number"),
        ),
        "#variance",
        "What blurs the ranking",
        figure=f"Generalizability coefficient {interval_text(coefficient)}"
        f"{f', {AS_IF_WHOLE}' if found.holes else ''}; 1 would mean that none of it is chance",
    )
