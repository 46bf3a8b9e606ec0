"""What made the figures: versions, number of examples, models, and licences of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.errors import counted
from ...running.store.manifest import served_by
from ..source import study_groups
from .subject import SCORES, STUDY, CheckedRun, PublishingIssue, shortened

FEWEST_EXAMPLES = 30
"""Below it percentile intervals are too short (Hesterberg 2015, The American Statistician 69:371-386)."""
ANSWERING = ("torr-plugin", "lm-eval", "unitxt", "vllm", "sglang", "torch", "transformers", "tokenizers")
"""Packages whose version can change prompts, answers or scores."""
COMPARED = ANSWERING[:3]


def versions(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Report a run that was continued with other versions."""
    first: Mapping[str, Any] = run.study.get("versions") or {}
    for attempt in run.study.get("resumed") or ():
        later = attempt["versions"]
        differ = [name for name in ANSWERING if name in later and later[name] != first.get(name)]
        if differ:
            changes = shortened([_change(name, first, later) for name in differ])
            what = f"continued with other versions: {changes}"
            advice = "answers and scores of both versions are mixed; start a new run to have one version only"
            yield PublishingIssue("warning", "versions", run.at(STUDY, "resumed"), what, advice)


def _change(name: str, first: Mapping[str, Any], later: Mapping[str, Any]) -> str:
    return f"{name} {first.get(name) or 'absent'}, then {later[name] or 'absent'}"


def served(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Report models whose server answered by several names, as where an alias stood for another one later."""
    names = {str(model.get("label")): served_by(model) for model in run.study.get("models") or ()}
    several = [f"{label} ({shortened(called)})" for label, called in names.items() if len(called) > 1]
    if several:
        what = f"a server's replies named more than one model: {shortened(several)}"
        advice = (
            "answers of all of them are mixed; name the snapshot, not an alias, in a new run to have one only"
        )
        yield PublishingIssue("warning", "served", run.at(STUDY, "models"), what, advice)


def versions_of_site(runs: Sequence[CheckedRun]) -> Iterator[PublishingIssue]:
    """Runs of one site that different versions made."""
    for package in COMPARED:
        found: dict[str, list[str]] = {}
        for run in runs:
            version = (run.study.get("versions") or {}).get(package)
            if version is not None:
                found.setdefault(str(version), []).append(run.name)
        if len(found) > 1:
            each = shortened([f"{version} ({shortened(names)})" for version, names in found.items()])
            what = f"differs between the studies: {each}"
            advice = "compare models only within a study, or run all with one version"
            yield PublishingIssue("warning", "versions", package, what, advice)


def extent(run: CheckedRun) -> Iterator[PublishingIssue]:
    """A study cut short by --limit, or with few examples."""
    limit = run.study.get("limit")
    if limit is not None:
        what = f"run with --limit {limit}: only the first examples of each data set"
        advice = "this is a trial; run the study without --limit"
        yield PublishingIssue("warning", "limit", run.at(STUDY, "limit"), what, advice)
    if run.scores is None:
        return
    counts = run.scores.groupby("dataset", observed=True)["example"].nunique()
    few = {str(name): int(number) for name, number in counts.items() if number < FEWEST_EXAMPLES}
    if few:
        what = f"fewer than {FEWEST_EXAMPLES} examples: {shortened([f'{n} {c}' for n, c in few.items()])}"
        advice = "intervals from so few examples are too short; `torr budget` says how many are needed"
        yield PublishingIssue("warning", "examples", run.at(SCORES), what, advice)


def labels(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Data sets that do not say which perturbations keep their labels."""
    silent = [name for name, facts in run.datasets.items() if facts.get("keeps_labels") is None]
    if silent:
        what = f"not stated which perturbations keep the labels: {shortened(silent)}"
        advice = "set `keeps_labels` in the card; the site then also shows the label-keeping ones only"
        yield PublishingIssue("note", "labels", run.at(STUDY, "datasets"), what, advice)


def models(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Models without a description, and studies of baselines alone."""
    asked = list(run.study.get("models") or ())
    if asked and all(str(each.get("model")).startswith("torr-") for each in asked):
        what, advice = "all models are embedded baselines", "fine for a trial; add a real model"
        yield PublishingIssue("note", "baselines", run.at(STUDY, "models"), what, advice)
        return
    if run.scores is None:
        return
    names = sorted(run.scores["model"].astype(str).unique())
    silent = [name for name in names if not run.described.get(name)]
    if silent:
        unknown = f"{counted(len(silent), 'model')}: {shortened(silent)}"
        what = f"family, size and openness are not known for {unknown}"
        advice = "give them in a file with --models FILE; the site then sorts and filters by them"
        yield PublishingIssue("note", "models", run.at(STUDY, "models"), what, advice)


def several(runs: Sequence[CheckedRun]) -> Iterator[PublishingIssue]:
    """One study twice, and studies with one name."""
    by_content: dict[tuple[str, str], list[CheckedRun]] = {}
    by_name: dict[str, list[CheckedRun]] = {}
    for run in runs:
        by_name.setdefault(run.name, []).append(run)
        by_content.setdefault(_content(run), []).append(run)
    for same in by_content.values():
        if len(same) > 1:
            what = f"is the same study with the same models as {same[0].path}"
            yield PublishingIssue("error", "twice", str(same[-1].path), what, "list it once")
    for name, same in by_name.items():
        studies = len(study_groups([run.path for run in same]))
        if studies > 1 and len({_content(run) for run in same}) > 1:
            what = f"{counted(studies, 'study', 'studies')} are called {name!r}"
            where, advice = (
                shortened([str(run.path) for run in same]),
                "give each a title in a site.yaml (--config)",
            )
            yield PublishingIssue("warning", "names", where, what, advice)


def _content(run: CheckedRun) -> tuple[str, str]:
    """What tells a run's content from another's: its study and models, else its place."""
    print_ = run.study.get("fingerprint")
    if not print_:
        return "path", str(run.path.resolve())
    return str(print_), repr(sorted(str(each.get("label")) for each in run.study.get("models") or ()))


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
    for name, facts in run.datasets.items():
        licence = str(facts.get("licence") or "").strip()
        where = run.at(STUDY, "datasets", name, "licence")
        if _UNKNOWN.match(licence):
            missing.append(name)
        elif _RESTRICTED.search(licence):
            what = f"{licence}: no commercial use, or no changed copies; the site shows its examples"
            advice = "publish it only where these terms are respected, and name the source"
            yield PublishingIssue("warning", "licence", where, what, advice)
        elif not _OPEN.match(licence):
            what, advice = f"{licence[:80]!r} is not a known licence", "check whether examples may be shown"
            yield PublishingIssue("warning", "licence", where, what, advice)
    if missing:
        what = f"no licence is stated for {shortened(missing)}; the site shows their examples"
        advice = f"{_where_to_say(run)}, an SPDX name such as CC-BY-4.0; or publish with --anyway"
        yield PublishingIssue("error", "licence", run.at(STUDY, "datasets"), what, advice)


def _where_to_say(run: CheckedRun) -> str:
    """Where to state a licence: results of another harness have no card, and their files lack it."""
    study = run.path / STUDY
    if run.harness:
        return f"{run.harness}'s files do not state it: write `licence:` below each data set in {study}"
    return f"set `licence` in the card for later runs, and below the data set in {study} for this one"
