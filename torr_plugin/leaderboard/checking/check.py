"""All checks, over all runs of a site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...core.errors import RunError
from ..words import SiteText
from .completeness import analysed, holes, state
from .finding import ISSUE_LEVELS, PublishingIssue
from .licences import licences
from .looked import CheckedRun, read_checked_run
from .privacy import named_homes, pictures, secrets
from .provenance import extent, labels, models, several, versions, versions_of_site

EACH = (state, holes, analysed, versions, extent, licences, secrets, named_homes, pictures, labels, models)
TOGETHER = (several, versions_of_site)


def check(
    runs: Sequence[Path],
    described: Mapping[str, Mapping[str, Any]] | None = None,
    words: SiteText | None = None,
) -> list[PublishingIssue]:
    """What is to be known before these are published as one site, the gravest first.

    Args:
        runs: run directories and scores files.
        described: model -> any of ``family``, ``size`` and ``open``, known from elsewhere.
        words: the site's; its titles of studies tell two of one name apart.

    Raises:
        RunError: no run is given, a directory is no run, or damaged.
        AnalysisError: a scores file cannot be read.
    """
    if not runs:
        raise RunError("no run to check; expected run directories or scores files")
    said = words or SiteText()
    found = list(_findings([read_checked_run(path, described or {}, said.title_of(path)) for path in runs]))
    return sorted(found, key=lambda finding: ISSUE_LEVELS.index(finding.level))


def _findings(looked: Sequence[CheckedRun]) -> Iterator[PublishingIssue]:
    for run in {run.path.resolve(): run for run in looked}.values():  # one that stands twice is said once
        for each in EACH:
            yield from each(run)
    for together in TOGETHER:
        yield from together(looked)
