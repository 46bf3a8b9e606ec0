"""What is installed here, what is missing, and how to get it; without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from .. import __version__
from ..catalog import card_names, load_card
from ..catalog.loading import mirror_file, mirror_folder, mirror_rows
from ..core.errors import OWN, DataError, InputError
from ..core.versions import installed_version
from ..plugins import load as load_plugins
from ..recipes import load as load_recipe
from ..running.registry import clashes

if TYPE_CHECKING:
    from ..catalog import Card

State = Literal["good", "optional", "wrong"]
"""``optional``: missing, but not required. ``wrong``: to be fixed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked.

    Attributes:
        name: what it is.
        state: how it stands.
        found: what is there, in few words.
        advice: how to fix it; empty if there is nothing to do.
    """

    name: str
    state: State
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Findings by part: ``versions``, ``extras``, ``data``, ``machine``, ``plugins``."""

    parts: Mapping[str, tuple[Finding, ...]]

    @property
    def wrong(self) -> list[Finding]:
        """The findings that have to be fixed."""
        return [each for part in self.parts.values() for each in part if each.state == "wrong"]

    def as_dict(self) -> dict[str, Any]:
        """The report as ``torr doctor --json`` prints it."""
        return {
            "good": not self.wrong,
            **{
                part: [
                    {"name": each.name, "state": each.state, "found": each.found, "advice": each.advice}
                    for each in found
                ]
                for part, found in self.parts.items()
            },
        }


def diagnose() -> Report:
    """Check everything, without changing, downloading or importing anything that takes long."""
    return Report(
        {
            "versions": tuple(versions()),
            "extras": tuple(extras()),
            "data": tuple(data()),
            "machine": tuple(machine()),
            "plugins": tuple(plugins()),
        }
    )


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
    """Python, torr-plugin, and each required package with its required range."""
    yield _python()
    yield Finding(OWN, "good", __version__)
    for requirement in requirements():
        yield requirement_finding(requirement)


def extras() -> Iterator[Finding]:
    """Each extra: complete, or what is missing and how to get it."""
    named = metadata(OWN).get_all("Provides-Extra") or []
    for extra in (name for name in named if name not in _NOT_FOR_USERS):
        yield _extra(extra, [each for each in requirements(extra) if each not in requirements()])


def requirements(extra: str = "") -> list[Requirement]:
    """The requirements that hold here, with or without an extra."""
    try:
        texts = requires(OWN) or []
    except PackageNotFoundError:  # run from a checkout that is not installed
        return []
    found = [Requirement(text) for text in texts]
    return [each for each in found if each.marker is None or each.marker.evaluate({"extra": extra})]


def requirement_finding(requirement: Requirement) -> Finding:
    """One package: its version, and whether it is in the required range."""
    there = installed_version(requirement.name)
    text = f"{requirement.name}{requirement.specifier}"
    if there is None:
        return Finding(requirement.name, "wrong", "not installed", f"pip install '{text}'")
    if not requirement.specifier.contains(there, prereleases=True):
        outside = f"{there}, needed: {requirement.specifier}"
        return Finding(requirement.name, "wrong", outside, f"pip install '{text}'")
    return Finding(requirement.name, "good", there)


def _python() -> Finding:
    here = ".".join(map(str, sys.version_info[:3]))
    wanted = metadata(OWN)["Requires-Python"] or ""
    if SpecifierSet(wanted).contains(here, prereleases=True):
        return Finding("Python", "good", here)
    return Finding("Python", "wrong", f"{here}, needed: {wanted}", "install another Python")


def _extra(name: str, needed: Sequence[Requirement]) -> Finding:
    """One extra; an extra of an extra (``lm-eval[hf]``) stands for its packages."""
    each_needed = [part for requirement in needed for part in _parts(requirement)]
    absent = sorted({each.name for each in each_needed if installed_version(each.name) is None})
    use = f" ({_FOR[name]})" if name in _FOR else ""
    if absent:
        text = f"not there: {', '.join(absent)}{use}"
        return Finding(name, "optional", text, f"pip install 'torr-plugin[{name}]'")
    found = [requirement_finding(each) for each in each_needed]
    wrong = next((each for each in found if each.state == "wrong"), None)
    if wrong is not None:
        return Finding(name, "wrong", f"{wrong.name} {wrong.found}", wrong.advice)
    return Finding(name, "good", ", ".join(f"{each.name} {each.found}" for each in found if each.found))


def _parts(requirement: Requirement) -> list[Requirement]:
    """A requirement, and those of its extras."""
    found = [requirement]
    if requirement.extras and installed_version(requirement.name) is not None:
        for text in requires(requirement.name) or []:
            each = Requirement(text)
            plain = each.marker is None or each.marker.evaluate({"extra": ""})
            if not plain and any(_wanted_by(extra, each) for extra in requirement.extras):
                found.append(each)
    return found


def _wanted_by(extra: str, requirement: Requirement) -> bool:
    return requirement.marker is not None and requirement.marker.evaluate({"extra": extra})


_GET = "torr data pull {name}"


def data() -> Iterator[Finding]:
    """The mirror, and each card that reads one: there, missing or broken (files' heads are read).

    Cards whose tables are generated need none, and are counted together.
    """
    folder = mirror_folder()
    if folder is None:
        text = "TORR_DATA is not set: cards are read from the hub, over the network"
        yield Finding("mirror", "optional", text, "torr data pull --to DIR; export TORR_DATA=DIR")
        return
    if not folder.is_dir():
        text = f"TORR_DATA={folder}: no such folder"
        yield Finding("mirror", "wrong", text, f"torr data pull --to {folder}, or unset TORR_DATA")
        return
    yield Finding("mirror", "good", f"TORR_DATA={folder}")
    yield from _cards(folder)


def _cards(folder: Path) -> Iterator[Finding]:
    names, of_plugins, made = card_names(), cards_of_plugins(), 0
    # a subset is read from the files of the whole
    for name in (name for name in names if name.rpartition(".")[0] not in names):
        try:
            card = load_card(name)
        except InputError as error:
            if name not in of_plugins:  # theirs are reported with the plugin
                yield Finding(name, "wrong", str(error), "install torr-plugin anew")
            continue
        made += card.loader.type_ != "load_tables"
        yield from _card(card, folder)
    yield Finding("generated cards", "good", f"{made}, which need no data")


def _card(card: Card, folder: Path) -> Iterator[Finding]:
    loader = card.loader
    if loader.type_ != "load_tables":
        return
    needed = [split for split in dict.fromkeys((card.test_split, card.demo_split)) if split in loader.splits]
    files = {split: mirror_file(loader, split, folder) for split in needed}
    absent = [split for split, path in files.items() if not path.is_file()]
    get = _GET.format(name=card.name)
    if absent:
        yield Finding(card.name, "optional", f"not in the mirror: {', '.join(absent)}", get)
        return
    try:
        for split in needed:
            mirror_rows(loader, split, card.name, folder)
    except DataError as error:
        yield Finding(card.name, "wrong", str(error), get)
        return
    yield Finding(card.name, "good", ", ".join(f"{path.parent.name}/{path.name}" for path in files.values()))


_SWITCHES = ("HF_HUB_OFFLINE", "RAY_ADDRESS", "TORR_PLUGINS")
_SECONDS = 10


def machine() -> Iterator[Finding]:
    """Processors, GPUs, and the environment variables that change what commands do."""
    yield Finding("processors", "good", str(os.cpu_count() or 1))
    yield _gpus()
    for name in _SWITCHES:
        if os.environ.get(name):
            yield Finding(name, "good", os.environ[name])


def _gpus() -> Finding:
    """The GPUs that the driver lists, without importing torch."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return Finding("GPUs", "optional", "none found (no nvidia-smi)")
    ask = [program, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(ask, capture_output=True, text=True, check=True, timeout=_SECONDS)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        return Finding("GPUs", "optional", f"nvidia-smi failed: {type(error).__name__}")
    names = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    return Finding("GPUs", "good" if names else "optional", "; ".join(names) or "none found")


def plugins() -> Iterator[Finding]:
    """Each plugin, its unreadable cards and recipes, and its models whose name is taken."""
    loaded = load_plugins()
    for plugin in loaded:
        if plugin.problem:
            yield Finding(plugin.name, "wrong", plugin.problem, _remedy(plugin.package))
            continue
        yield Finding(plugin.name, "good", f"{plugin.version}; adds {', '.join(plugin.adds) or 'nothing'}")
        yield from _unreadable(plugin.adds.get("cards", ()), plugin.adds.get("recipes", ()))
    if any(plugin.adds.get("models") for plugin in loaded):
        yield from _clashes()


def _remedy(package: str) -> str:
    if package == "unknown":  # nothing is installed under it
        return "TORR_PLUGINS=off goes without plugins"
    return f"pip install -U {package}, or pip uninstall {package}; TORR_PLUGINS=off goes without plugins"


def cards_of_plugins() -> frozenset[str]:
    """The names of the cards that plugins bring."""
    return frozenset(name for plugin in load_plugins() for name in plugin.adds.get("cards", ()))


def _unreadable(cards: tuple[str, ...], recipes: tuple[str, ...]) -> Iterator[Finding]:
    readers: list[tuple[str, Callable[[str], Any]]] = [(name, load_card) for name in cards]
    for name, read in [*readers, *((name, load_recipe) for name in recipes)]:
        try:
            read(name)
        except InputError as error:
            yield Finding(name, "wrong", str(error), "mend the file, or uninstall the plugin")


def _clashes() -> Iterator[Finding]:
    for name, problem in clashes().items():
        yield Finding(name, "wrong", problem, "rename the model in the plugin")
