"""Every difference that the site of a study can state, and so the families within which all are corrected.

Hypotheses are named as follows; a place is a data set or "overall", and of a study of one data set both names
mean the same. Sentences:

- ``("performance" | "robustness_5" | "robustness", {model, other})``: two models differ, over all data sets;
  with a data set as a third part, on that one; ``"kept performance"``: under label-keeping perturbations;
- ``("place", dataset, model, "better" | "worse")``: a model's place on a data set is another than overall;
- ``("worse", model, place, format)``: a format is worse than the model's best;
- ``("apart", model, dataset, format, other)``: two formats differ that were asked about few of the same
  examples as all others;
- ``("change", model, perturbation)``: a perturbation changes a model's score;
- ``("worse design", model, place, design)``: a design is worse than the model's best;
- ``("design", model, place, design)``: it changes the score of its base, over formats;
- ``("kind", dataset, ..., model)``: a model's score on a kind of examples is another than on the others.

Bold and colour: ``("serializer", place, model, name)``, how far a format lies from the mean over
them; ``("impact", place, model, perturbation)``; ``("design", model, place, design)``, with a format as a
last part within that one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..results import StudyResults
from .bold import bold_differences
from .claim import Claims, bold_claims, sentence_claims
from .tiers import ClaimedPlaces, Ranks, claimed_places, robust_ranks
from .worded import questions


@dataclass(frozen=True)
class SiteClaims:
    """The two families of a site, and the tiers and ranks that follow, by place.

    ``robust_ranks``: by robustness; ``kept_places``: under label-keeping perturbations, None where the study
    has no such part.
    """

    sentences: Claims
    bold: Claims
    places: Mapping[str, ClaimedPlaces]
    robust_ranks: Mapping[str, Ranks]
    kept_places: Mapping[str, ClaimedPlaces] | None


def claims_of(analysis: StudyResults, outside: str = "") -> SiteClaims:
    """All claims that a site can make of an analysis; ``outside``: a page that keeps a rate of its own."""
    level, kept = analysis.settings.level, analysis.label_keeping
    sentences = replace(sentence_claims(dict(questions(analysis)), level), outside=outside)
    return SiteClaims(
        sentences=sentences,
        bold=bold_claims(bold_differences(analysis), level),
        places=claimed_places(analysis, sentences),
        robust_ranks=robust_ranks(analysis, sentences),
        kept_places=None if kept is None else claimed_places(kept, sentences, kept=True),
    )
