"""What stands out about a model, as sentences with numbers: its strengths and weaknesses.

Each states what is claimed, and nothing else: that a test finds no difference is no strength.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...analysis.result import OVERALL
from ..coverage import one_design
from ..files import with_choice
from ..results import at_limit
from .cells import pair_hypothesis
from .claim import Claim
from .kinds import example_kinds
from .places import LEAST_EXAMPLES
from .sentences import Phrase, Sentence, name, names, number, phrases, size
from .verdicts import weak
from .worded import best_format

if TYPE_CHECKING:
    from ..study import Study

MOST = 4
"""Sentences of one sort."""


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
    for sort in (_performance, _robustness, _places, _formats, _perturbations, _designs, _kinds):
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
    above: list[tuple[str, Claim]] = []
    below: list[tuple[str, Claim]] = []
    for other in study.models:
        claim = study.claims.sentences.get(pair_hypothesis(figure, model, other)) if other != model else None
        vain = figure != "performance" and at_limit(study.analysis, other, "headline_robustness")
        if claim and claim.holds and not vain:
            (above if (claim.seen_from(model).value or 0.0) > 0 else below).append((other, claim))
    for sign, text, found in ((1, higher, above), (-1, lower, below)):
        if found:
            others = [other for other, _ in found]
            whom = (
                names(others)
                if len(others) < len(study.models) - 1 or len(others) == 1
                else phrases("every other model")
            )
            link = (
                (f"{study.paths.models[model]}#pairs", "Each of them")
                if len(others) > 1
                else (with_choice(study.paths.compare, a=model, b=others[0]), "Compare")
            )
            but = "" if figure == "performance" else _weak(study, model, others, more=sign > 0)
            yield sign, Sentence("", phrases(f"{text}{but}", whom), *link, tuple(claim for _, claim in found))


def _weak(study: Study, model: str, others: Sequence[str], *, more: bool) -> str:
    """That what is more robust may be so for its mean score alone; of several others nothing is said."""
    if more:
        return weak(study, model)
    return weak(study, others[0], "That model") if len(others) == 1 else ""


def _places(study: Study, model: str) -> _Sized:
    """Data sets where it ranks differently than overall, the surest first."""
    for claim in dict.fromkeys(study.claims.sentences.of_kind("place")):
        _, dataset, whose, word = map(str, claim.hypothesis)
        if whose == model and claim.holds:
            text = phrases(
                "On {} it ranks {} than overall: its mean score there is {}.",
                name(dataset),
                Phrase(word),
                number(claim.estimate),
            )
            sure = 1 - (claim.p or 0.0)
            found = Sentence("", text, study.paths.datasets[dataset], "Data set", (claim,))
            yield sure if word == "better" else -sure, found


def _formats(study: Study, model: str) -> _Sized:
    """The formats that are claimed to cost it something."""
    held = [claim for claim in study.claims.sentences.of_kind("format") if claim.holds]
    link = with_choice(study.paths.formats, model=model), "Formats"
    design = one_design(study.analysis)
    at = phrases(", both with the design {}", name(design)) if design else ()
    for claim in dict.fromkeys(held):
        sort, whose, place, *formats = map(str, claim.hypothesis)
        if whose != model or (sort == "worse" and place != OVERALL):
            continue
        if sort == "worse":
            other, than = formats[0], best_format(study.analysis, model, OVERALL)
        else:
            other, than = formats if (claim.estimate.value or 0.0) < 0 else formats[::-1]
        on = phrases("On {}, ", name(place)) if place != OVERALL and len(study.datasets) > 1 else ()
        text = on + phrases(
            "{} costs it {} compared with {}{}.", name(other), size(claim.estimate), name(than), at
        )
        yield -abs(claim.estimate.value or 0.0), Sentence("", text, *link, (claim,))


def _perturbations(study: Study, model: str) -> _Sized:
    """Perturbations that move its score; only those that keep the answers right everywhere."""
    settings, claims = study.analysis.settings, study.claims.sentences
    if sum(settings.examples.values()) < LEAST_EXAMPLES:
        return
    link = with_choice(study.paths.formats, model=model), "Formats"
    for claim in _held(claims.of_kind("perturbation"), "change", model):
        perturbation = str(claim.hypothesis[2])
        if all(perturbation in settings.keeps_labels.get(dataset, ()) for dataset in study.datasets):
            text = (
                "The perturbation {} costs it {} compared with the same tables unperturbed."
                if (claim.estimate.value or 0.0) < 0
                else "With the perturbation {} it gains {}."
            )
            made = phrases(text, name(perturbation), size(claim.estimate))
            yield claim.estimate.value or 0.0, Sentence("", made, *link, (claim,))


def _designs(study: Study, model: str) -> _Sized:
    """Designs that move its score, against their bases."""
    found = study.analysis.designs
    if found is None or sum(study.analysis.settings.examples.values()) < LEAST_EXAMPLES:
        return
    link = with_choice(study.paths.designs, of=model), "Designs"
    for claim in _held(study.claims.sentences.of_kind("design"), "design", model):
        if claim.hypothesis[2] == OVERALL:
            design = str(claim.hypothesis[3])
            text = (
                "The design {} costs it {} compared with {} in the same formats."
                if (claim.estimate.value or 0.0) < 0
                else "With the design {} it gains {} over {} in the same formats."
            )
            made = phrases(text, name(design), size(claim.estimate), name(found.bases[design]))
            yield claim.estimate.value or 0.0, Sentence("", made, *link, (claim,))


def _held(claims: Sequence[Claim], sort: str, model: str) -> Iterator[Claim]:
    for claim in dict.fromkeys(claims):
        if claim.holds and claim.hypothesis[:2] == (sort, model):
            yield claim


def _kinds(study: Study, model: str) -> _Sized:
    """Kinds of examples where its score differs from that on the data set's other examples."""
    for kind in example_kinds(study.analysis):
        claim = study.claims.sentences.get((*kind.name, model))
        figure, mean = kind.found.models.get(model), study.analysis.performance[model].datasets[kind.dataset]
        if claim is None or not claim.holds or figure is None:
            continue
        gap = claim.estimate.value or 0.0
        text = phrases(
            f"On examples of {{}} {{}} ({kind.found.examples:,} of them): {{}}, "
            f"{'above' if gap > 0 else 'below'} its {{}} on all examples.",
            name(kind.dataset),
            Phrase(kind.words),
            number(figure),
            number(mean),
        )
        link = f"{study.paths.datasets[kind.dataset]}#kinds", "Kinds of examples"
        yield gap, Sentence("", text, *link, (claim,))
