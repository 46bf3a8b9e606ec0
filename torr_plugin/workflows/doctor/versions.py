"""Versions of Python, of ourselves and of all that we build on; the extras."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from typing import TYPE_CHECKING

from ... import __version__
from ...core.errors import OWN
from .finding import Finding

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_NOT_FOR_USERS = ("test", "lint", "docs", "all")
_FOR = {
    "ray": "studies on a cluster, --executor ray",
    "vllm": "the models vllm and vllm-vlm",
    "hf": "the models hf and hf-multimodal",
    "api": "models on servers",
    "helm": "studies within HELM",
    "image": "the serializer image",
}


def versions() -> Iterator[Finding]:
    """Python, torr-plugin, and each package that it needs against the range that it needs."""
    yield _python()
    yield Finding(OWN, "good", __version__)
    for requirement in requirements():
        yield requirement_finding(requirement)


def extras() -> Iterator[Finding]:
    """Each extra: all there, or what is missing and how to get it."""
    named = metadata(OWN).get_all("Provides-Extra") or []
    for extra in (name for name in named if name not in _NOT_FOR_USERS):
        yield _extra(extra, [each for each in requirements(extra) if each not in requirements()])


def requirements(extra: str = "") -> list[Requirement]:
    """What is required here, with an extra or without."""
    from packaging.requirements import Requirement

    try:
        texts = requires(OWN) or []
    except PackageNotFoundError:  # run from a checkout that is not installed
        return []
    found = [Requirement(text) for text in texts]
    return [each for each in found if each.marker is None or each.marker.evaluate({"extra": extra})]


def requirement_finding(requirement: Requirement) -> Finding:
    """One package: its version, and whether it is in the range."""
    there = installed(requirement.name)
    text = f"{requirement.name}{requirement.specifier}"
    if there is None:
        return Finding(requirement.name, "wrong", "not installed", f"pip install '{text}'")
    if not requirement.specifier.contains(there, prereleases=True):
        said = f"{there}, needed: {requirement.specifier}"
        return Finding(requirement.name, "wrong", said, f"pip install '{text}'")
    return Finding(requirement.name, "good", there)


def installed(name: str) -> str | None:
    """The version of a package; None where it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _python() -> Finding:
    from packaging.specifiers import SpecifierSet

    here = ".".join(map(str, sys.version_info[:3]))
    wanted = metadata(OWN)["Requires-Python"] or ""
    if SpecifierSet(wanted).contains(here, prereleases=True):
        return Finding("Python", "good", here)
    return Finding("Python", "wrong", f"{here}, needed: {wanted}", "install another Python")


def _extra(name: str, needed: Sequence[Requirement]) -> Finding:
    """An extra of an extra (``lm-eval[hf]``) is there where the packages that it stands for are."""
    each_needed = [part for requirement in needed for part in _parts(requirement)]
    absent = sorted({each.name for each in each_needed if installed(each.name) is None})
    use = f" ({_FOR[name]})" if name in _FOR else ""
    if absent:
        said = f"not there: {', '.join(absent)}{use}"
        return Finding(name, "optional", said, f"pip install 'torr-plugin[{name}]'")
    found = [requirement_finding(each) for each in each_needed]
    wrong = next((each for each in found if each.state == "wrong"), None)
    if wrong is not None:
        return Finding(name, "wrong", f"{wrong.name} {wrong.found}", wrong.advice)
    return Finding(name, "good", ", ".join(f"{each.name} {each.found}" for each in found if each.found))


def _parts(requirement: Requirement) -> list[Requirement]:
    """A requirement itself, and those of its extras."""
    from packaging.requirements import Requirement

    found = [requirement]
    if requirement.extras and installed(requirement.name) is not None:
        for text in requires(requirement.name) or []:
            each = Requirement(text)
            plain = each.marker is None or each.marker.evaluate({"extra": ""})
            if not plain and any(_wanted_by(extra, each) for extra in requirement.extras):
                found.append(each)
    return found


def _wanted_by(extra: str, requirement: Requirement) -> bool:
    return requirement.marker is not None and requirement.marker.evaluate({"extra": extra})
