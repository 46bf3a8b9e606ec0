"""The first page of a study: what it found, and its models; and the list of studies of a site of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...analysis import format_percent
from ...analysis.figures.endings import Endings, unread_models
from ...analysis.figures.format_following import in_another_format
from ..board import BoardRow, boards, names_of
from ..files import DataFile, PageFile, SiteFile, root_of
from ..one_model import one_model
from ..sentences import Sentence, study_findings
from ..sharing import what_it_is
from ..study import Study, harness, same_scores, shared_models

_FINDINGS = 3
"""Sentences on the first screen."""
_WORTH_NAMING, _MOST_UNREAD = 0.005, 5
"""The least share of unfinished and refused answers that is said of a model, and of how many models."""


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and the table on parts of the study, which its script puts in the place of the whole."""
    analysis, parts = study.analysis, tuple(boards(study))
    alone_here = len(study.models) == 1  # whose mean, the first finding, stands there in large digits
    findings = study_findings(study)[alone_here:][:_FINDINGS]
    alone = one_model(study, study.models[0]) if alone_here else None
    unread = [(model, own) for model, own in unread_models(analysis.endings) if own.unread >= _WORTH_NAMING]
    path = f"{study.paths.scripts}/boards.js"
    table: dict[str, Any] = {
        "root": root_of(study.paths.overview),
        "datasets": study.datasets if len(study.datasets) > 1 else (),
        "priced": any(words.price is not None for words in study.words.values()),
        "ranged": any(row.formats is not None for row in parts[0].rows),
        "varied": analysis.varied,
    }
    yield PageFile(
        path=study.paths.overview,
        template="overview.html",
        title="How well models read tables",
        current="overview",
        values={
            **table,
            "board": parts[0],
            "alone": alone,
            "parts": names_of(parts[1:]),
            "grey": any(row.says_little for part in parts for row in part.rows),
            "boards": path,
            "opennesses": len({each.open for each in study.words.values() if each.open is not None}) > 1,
            "findings": findings,
            "comparisons": f"{study.paths.scripts}/compare",
            "other_formats": in_another_format(analysis.format_following),
            "unread": [(model, _unread(own)) for model, own in unread[:_MOST_UNREAD]],
            "more_unread": max(0, len(unread) - _MOST_UNREAD),
        },
        scripts=("board.js",),
        description=" ".join((*(one.text for one in findings[:1]), what_it_is(study))),
    )
    if len(parts) > 1 and not alone:
        yield PageFile(path, "boards.js", "", values={**table, "parts": parts})
    for section in study.sections:
        if section.svg is not None:
            yield DataFile(f"{study.paths.data}/section-{section.name}.svg", section.svg)


def _unread(own: Endings) -> dict[str, str]:
    """What is said of a model's unfinished and refused answers."""
    shares = (
        ("ran out of tokens in {} of its answers", own.unfinished),
        ("refused {} of its questions", own.refused),
    )
    said = [words.format(format_percent(share.value)) for words, share in shares if share.value]
    means = {"performance": own.performance, "without": own.without}
    return {
        "said": " and ".join(said),
        **{name: format_percent(mean.value, mean.low, mean.high) for name, mean in means.items()},
    }


_TOP = 3
"""Models of a study that the list names."""
MANY = 8
"""Of more studies than that, the list can be searched."""


@dataclass(frozen=True)
class StudyEntry:
    """A study in the list.

    ``title`` is that of its first group, ``top`` are its first models, ``more`` how many it has besides;
    ``words`` is what a search looks at, in small letters.
    """

    study: Study
    title: str
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
    group = next(boards(study)).groups[0]
    words = (study.title, study.description, *study.models, *study.datasets)
    return StudyEntry(
        study=study,
        title=group.title,
        top=group.rows[:_TOP],
        more=len(group.rows[_TOP:]),
        findings=study_findings(study)[:_FINDINGS],
        begun=str(study.source.study.get("created") or "")[:10],
        harness=harness(study.source.study),
        same=same,
        words=" ".join(words).lower(),
    )
