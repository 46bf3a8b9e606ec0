"""The rows of ``torr list`` and ``torr models``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .. import plugins
from ..core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from ..plugins import Plugin
    from ..running.registry import ModelAvailability

# stages are imported where they are listed: to list recipes takes a third of the time without all the others

Row = dict[str, str]


def list_names(kind: str) -> list[Row]:
    """The rows of ``torr list KIND``, each with a ``name`` and what helps to choose.

    Raises:
        UnknownNameError: no such kind.
    """
    if kind not in _LISTED:
        raise UnknownNameError("kind of thing to list", kind, _LISTED)
    loaded = plugins.load()
    return [_plugin(each) for each in loaded] if kind == "plugins" else _LISTED[kind]()


def _plugin(plugin: Plugin) -> Row:
    adds = [f"{kind}: {', '.join(names)}" for kind, names in plugin.adds.items()]
    return {
        "name": plugin.name,
        "version": plugin.version,
        "package": plugin.package,
        "adds": "; ".join(adds),
        "problem": plugin.problem or "",
    }


def _cards() -> list[Row]:
    from ..catalog import card_names, load_card

    def described(name: str) -> Row:
        try:
            card = load_card(name)
        except InputError as error:  # a plugin's; the others are listed all the same
            return {"metric": "", "skills": "", "licence": "", "about": str(error)}
        facts = {"metric": card.main_metric, "skills": _skills(card.skills), "licence": card.licence}
        return {**facts, "about": card.description}

    return [{"name": name, **described(name)} for name in card_names()]


def _skills(skills: Mapping[str, str]) -> str:
    """``knowledge extraction, (numerical reasoning)``: partly needed skills are in brackets."""
    written = {"required": "{}", "partial": "({})"}
    return ", ".join(
        written[need].format(skill.replace("_", " ")) for skill, need in skills.items() if need in written
    )


def _recipes() -> list[Row]:
    from ..recipes import load, recipe_names

    def about(name: str) -> str:
        try:
            return load(name).description
        except InputError as error:  # a plugin's; the others are listed all the same
            return str(error)

    return [{"name": name, "about": about(name)} for name in recipe_names()]


def _serializers() -> list[Row]:
    from ..tables import serializers
    from ..tables.serializers.base import PictureSerializer

    def reads_back(name: str) -> str:
        serializer = serializers.get(name)
        if isinstance(serializer, PictureSerializer):
            return "a picture, for models that see"
        return "without loss" if serializer.lossless else "not, or with loss"

    return [{"name": name, "reads back": reads_back(name)} for name in serializers.names()]


def _perturbations() -> list[Row]:
    from ..tables.perturbations import get, names

    return [{"name": name, "keeps content": "yes" if get(name).keeps_content else "no"} for name in names()]


def _designs() -> list[Row]:
    from ..prompts import designs

    return [{"name": name, "about": _first_line(type(designs.get(name)))} for name in designs]


def _metrics() -> list[Row]:
    from ..scoring import metrics

    found = [(name, metrics.get(name)) for name in metrics]
    return [
        {"name": name, "main score": metric.main, "about": _first_line(type(metric))}
        for name, metric in found
    ]


def _processors() -> list[Row]:
    from ..scoring.processors import processors

    return [{"name": name, "about": _first_line(processors.get(name).step)} for name in processors]


def _generators() -> list[Row]:
    from ..synthesis import generators

    return [{"name": name, "about": _first_line(generators.get(name))} for name in generators]


def _models() -> list[Row]:
    from ..running import model_names

    return [{"name": name} for name in model_names()]


def _analyses() -> list[Row]:
    from ..analysis.figure import figures, plugin_figures

    return [
        {"name": each.key, "plugin": figures.origin(each.key), "about": _first_line(type(each))}
        for each in plugin_figures()
    ]


def _sections() -> list[Row]:
    from ..leaderboard.sections import sections

    return [
        {"name": name, "plugin": sections.origin(name), "about": sections.get(name).title}
        for name in sections
    ]


def _first_line(value: object) -> str:
    """The first line of a docstring."""
    return (value.__doc__ or "").strip().split("\n")[0]


_LISTED: dict[str, Callable[[], list[Row]]] = {
    "cards": _cards,
    "recipes": _recipes,
    "serializers": _serializers,
    "perturbations": _perturbations,
    "designs": _designs,
    "metrics": _metrics,
    "processors": _processors,
    "generators": _generators,
    "models": _models,
    "analyses": _analyses,
    "sections": _sections,
    "plugins": list,
}


KINDS = {
    "in process": "In process: their weights are loaded here, or on Ray",
    "server": "Servers, asked over the network",
    "baseline": "Embedded baselines",
    "plugin": "Of plugins",
}
"""The kinds of models, in the order in which they are shown, with what they are."""

_ORDER = list(KINDS)


def list_models() -> list[dict[str, Any]]:
    """A row a model: engines, servers, baselines, then plugins' models; installed ones first in each.

    Each has ``name``, ``kind``, ``installed``, ``missing`` (packages), ``install`` (the command; null where
    nothing is missing or lm-eval's documentation has to be read), ``key`` (the environment variable with the
    key of a server), ``origin``, and ``about`` and ``arguments`` of the embedded baselines.

    Raises:
        ModelError: a plugin's model has the name of one of lm-eval's.
    """
    from ..running.registry import availability

    found = sorted(availability(), key=lambda each: (_ORDER.index(each.kind), not each.installed, each.name))
    return [_row(each) for each in found]


def _row(each: ModelAvailability) -> dict[str, Any]:
    row = {
        "name": each.name,
        "kind": each.kind,
        "installed": each.installed,
        "missing": list(each.missing),
        "install": each.install,
        "key": each.key,
        "origin": each.origin,
    }
    return row | (_baseline(each.name) if each.kind == "baseline" else {"about": None, "arguments": None})


def _baseline(name: str) -> dict[str, Any]:
    """What an embedded baseline does, and its arguments."""
    from ..running.registry import lm_class

    found = lm_class(name)
    about = (inspect.getdoc(found) or "").partition("\n")[0].partition(": ")[2].rstrip(".")
    parameters = inspect.signature(found).parameters.values()
    return {"about": about, "arguments": {each.name: each.default for each in parameters}}


def advice(row: Mapping[str, Any]) -> str:
    """How to install a model, or what to know about it, in few words."""
    if not row["installed"]:
        remedy = (
            "to be installed beside its plugin"
            if row["kind"] == "plugin"
            else "see lm-eval's documentation of it"
        )
        return str(row["install"] or f"needs {', '.join(row['missing'])}: {remedy}")
    if row["key"]:
        return f"reads its key from {row['key']}"
    if row["about"] is None:
        return "" if row["origin"] == "lm-eval" else f"from {row['origin']}"
    arguments = ", ".join(f"{name}={value!r}" for name, value in row["arguments"].items())
    return f"{row['about']}{f' ({arguments})' if arguments else ''}"
