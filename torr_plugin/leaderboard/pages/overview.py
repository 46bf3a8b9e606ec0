"""The overview of a study, with the leaderboard, and the list of studies of a site that has several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...analysis.figures.endings import Endings, unread_models
from ...analysis.figures.format_following import in_another_format
from ...analysis.number_format import format_value
from ...analysis.result import OVERALL
from ...core.errors import counted
from ..beside import noise_of_models, own_cells_of_models
from ..board import FIGURES, BoardRow, board, board_data
from ..charts.hero import hero_chart
from ..claims.of_study import study_findings
from ..claims.sentences import Sentence
from ..claims.verdicts import detectable, pair_claims
from ..coverage import formats_apart
from ..files import DataFile, PageFile, SiteFile, script
from ..sharing import what_it_is
from ..study import Study, harness, same_scores, shared_models
from ..views import percent

_FINDINGS = 3
"""Sentences on the first screen."""
_WORTH_NAMING, _MOST_UNREAD = 0.005, 5
"""The least share of unfinished and refused answers that is said of a model, and of how many models."""


@dataclass(frozen=True)
class Choices:
    """What rows can be filtered by: what the study knows of its models, where they differ."""

    families: tuple[str, ...]
    sizes: bool
    openness: bool


def files(study: Study) -> Iterator[SiteFile]:
    """The overview, and the boards that its script may show instead: of all configurations, of those kept."""
    analysis = study.analysis
    kept = analysis.label_keeping
    first = board(analysis, study.claims.places)
    figures = FIGURES if analysis.varied else FIGURES[:1]
    models = tuple(row.model for row in first.rows)
    findings = study_findings(study)[:_FINDINGS]
    links = {model: study.paths.models[model] for model in models}
    unread = [(model, own) for model, own in unread_models(analysis.endings) if own.unread >= _WORTH_NAMING]
    boards = {"all": f"{study.paths.scripts}/board.js", "kept": f"{study.paths.scripts}/board-kept.js"}
    yield PageFile(
        path=study.paths.overview,
        template="overview.html",
        title="How well models read tables",
        current="overview",
        values={
            "board": first,
            "boards": boards if kept else {"all": boards["all"]},
            "choices": _choices(study),
            "picture": hero_chart(study) if analysis.varied else None,
            "findings": findings,
            "claims": study.claims,
            "apart": formats_apart(analysis, study.short),
            "pairs": _pairs(study),
            "comparisons": f"{study.paths.scripts}/compare",
            "noise": noise_of_models(analysis, links, OVERALL),
            "own_cells": own_cells_of_models(analysis, links),
            "other_formats": in_another_format(analysis.format_following),
            "unread": [(model, _unread(own)) for model, own in unread[:_MOST_UNREAD]],
            "more_unread": max(0, len(unread) - _MOST_UNREAD),
        },
        scripts=("board.js",),
        description=" ".join((*(one.text for one in findings[:1]), what_it_is(study))),
    )
    yield script(boards["all"], board_data(analysis, study.claims.places, study.bases, models, figures))
    if kept and study.claims.kept_places:
        yield script(
            boards["kept"], board_data(kept, study.claims.kept_places, study.kept_bases, models, figures)
        )
    for section in study.sections:
        if section.svg is not None:
            yield DataFile(f"{study.paths.data}/section-{section.name}.svg", section.svg)


def _unread(own: Endings) -> dict[str, str]:
    """What is said of a model's unfinished and refused answers."""
    shares = (
        ("ran out of tokens in {} of its answers", own.unfinished),
        ("refused {} of its questions", own.refused),
    )
    said = [words.format(percent(share.value)) for words, share in shares if share.value]
    means = {"performance": own.performance, "without": own.without}
    return {
        "said": " and ".join(said),
        **{name: format_value(mean.value, mean.low, mean.high) for name, mean in means.items()},
    }


def _choices(study: Study) -> Choices:
    words = study.words.values()
    families = sorted({each.family for each in words if each.family is not None}, key=str.casefold)
    return Choices(
        families=tuple(families) if len(families) > 1 else (),
        sizes=len({each.size for each in words if each.size is not None}) > 1,
        openness=len({each.open for each in words if each.open is not None}) > 1,
    )


def _pairs(study: Study) -> str:
    """How many pairs of models differ, and which difference the study could find; "" of one model."""
    found, detected = pair_claims(study), detectable(study)
    if not found:
        return ""
    apart = sum(claim.holds for claim in found)
    text = f"{apart:,} of {counted(len(found), 'pair')} {'is' if len(found) == 1 else 'are'} told apart"
    if not detected or study.analysis.detectable is None:
        return f"{text}."
    power = percent(study.analysis.detectable.power)
    found_by = f"would be found with a probability of {power} or more"
    return f"{text}; a true difference of {detected} between any two models {found_by}."


_TOP = 3
"""Models of a study that the list names."""
MANY = 8
"""Of more studies than that, the list can be searched."""


@dataclass(frozen=True)
class StudyEntry:
    """A study in the list.

    ``top`` are the first models of its first tier, ``more`` how many it has besides; ``words`` is what a
    search looks at, in small letters.
    """

    study: Study
    top: tuple[BoardRow, ...]
    more: int
    findings: tuple[Sentence, ...]
    begun: str
    harness: str
    same: tuple[str, ...]
    words: str


def list_of_studies(studies: Sequence[Study]) -> PageFile:
    """``index.html`` of a site of several studies."""
    same, counts = same_scores(studies), Counter(model for study in studies for model in study.models)
    # those of a study that shares no model would be a column without a figure
    overlapping = [study for study in studies if any(counts[model] > 1 for model in study.models)]
    return PageFile(
        path="index.html",
        template="studies.html",
        title="How well models read tables",
        values={
            "studies": studies,
            "entries": [_entry(study, same[study.slug]) for study in studies],
            "common": shared_models(overlapping),
            "overlapping": overlapping,
            "many": len(studies) > MANY,
        },
        scripts=("studies.js",),
    )


def _entry(study: Study, same: tuple[str, ...]) -> StudyEntry:
    rows = board(study.analysis, study.claims.places).rows
    top = tuple(row for row in rows if row.tier == rows[0].tier)
    words = (study.title, study.description, *study.models, *study.datasets)
    return StudyEntry(
        study=study,
        top=top[:_TOP],
        more=len(top[_TOP:]),
        findings=study_findings(study)[:_FINDINGS],
        begun=str(study.source.study.get("created") or "")[:10],
        harness=harness(study.source.study),
        same=same,
        words=" ".join(words).lower(),
    )
