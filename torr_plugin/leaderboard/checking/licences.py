"""May the examples be shown? A site holds prompts with tables and questions of the data sets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .finding import PublishingIssue, listed
from .looked import STUDY, CheckedRun

_RESTRICTED = re.compile(r"\b(?:NC|ND|non-?commercial|no-?deriv\w*)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"^(?:CC0|CC[- ]BY|Apache|MIT\b|BSD|ISC\b|ODC-(?:BY|PDDL)|ODbL|PDDL|CDLA|MPL|L?GPL|AGPL|Unlicense|"
    r"public domain|GFDL|OGL)",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(r"^(?:unknown|other|none|n/?a|\?|-|tbd|todo|unspecified)?$", re.IGNORECASE)


def licences(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Data sets whose licence is missing, not known here, or restricts what may be done with examples."""
    missing: list[str] = []
    for name, said in run.datasets.items():
        licence = str(said.get("licence") or "").strip()
        where = run.at(STUDY, "datasets", name, "licence")
        if _UNKNOWN.match(licence):
            missing.append(name)
        elif _RESTRICTED.search(licence):
            what = f"{licence}: no commercial use, or no changed copies; the site shows its examples"
            advice = "publish it where these terms are kept, and name the source"
            yield PublishingIssue("warning", "licence", where, what, advice)
        elif not _OPEN.match(licence):
            advice = "read whether examples may be shown"
            yield PublishingIssue(
                "warning", "licence", where, f"{licence[:80]!r} is no licence known here", advice
            )
    if missing:
        what = f"no licence is said of {listed(missing)}; the site shows their examples"
        advice = f"{_where_to_say(run)}, an SPDX name such as CC-BY-4.0; or publish with --anyway"
        yield PublishingIssue("error", "licence", run.at(STUDY, "datasets"), what, advice)


def _where_to_say(run: CheckedRun) -> str:
    """Where a licence is said: results of another harness have no card, and their files do not hold it."""
    study = run.path / STUDY
    if run.harness:
        return f"{run.harness}'s files do not say it: write `licence:` below each data set in {study}"
    return f"say `licence` in the card for later runs, and below the data set in {study} for this one"
