"""What there is to choose from, for ``torr list`` and ``torr models``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .. import plugins
from ..analysis.figure import figures, plugin_figures
from ..catalog import card_names, load_card
from ..core.errors import InputError, UnknownNameError
from ..leaderboard.sections import sections
from ..prompts import designs
from ..recipes import load, recipe_names
from ..running import model_names
from ..running.registry import availability, lm_class
from ..scoring import metrics
from ..scoring.processors import processors
from ..synthesis import generators
from ..tables import perturbations, serializers
from ..tables.serializers.base import PictureSerializer

if TYPE_CHECKING:
    from ..plugins import Plugin
    from ..running.registry import ModelAvailability

Row = dict[str, str]


def list_names(kind: str) -> list[Row]:
    """The rows of ``torr list KIND``, each with a ``name`` and what helps to choose.

    Raises:
        UnknownNameError: no such kind.
    """
    loaded = plugins.load()
    if kind == "plugins":
        return [_plugin(each) for each in loaded]
    if kind not in _LISTED:
        raise UnknownNameError("kind of thing to list", kind, [*_LISTED, "plugins"])
    names, describe = _LISTED[kind]
    return [{"name": name, **describe(name)} for name in names()]


def _plugin(plugin: Plugin) -> Row:
    adds = [f"{kind}: {', '.join(names)}" for kind, names in plugin.adds.items()]
    return {
        "name": plugin.name,
        "version": plugin.version,
        "package": plugin.package,
        "adds": "; ".join(adds),
        "problem": plugin.problem or "",
    }


def _card(name: str) -> Row:
    try:
        card = load_card(name)
    except InputError as error:  # a plugin's; the others are listed all the same
        return {"metric": "", "skills": "", "licence": "", "about": str(error)}
    return {
        "metric": card.main_metric,
        "skills": _skills(card.skills),
        "licence": card.licence,
        "about": card.description,
    }


def _skills(skills: Mapping[str, str]) -> str:
    """``knowledge extraction, (numerical reasoning)``: partly needed skills are in brackets."""
    written = {"required": "{}", "partial": "({})"}
    return ", ".join(
        written[need].format(skill.replace("_", " ")) for skill, need in skills.items() if need in written
    )


def _recipe(name: str) -> Row:
    try:
        return {"about": load(name).description}
    except InputError as error:  # a plugin's; the others are listed all the same
        return {"about": str(error)}


def _serializer(name: str) -> Row:
    serializer = serializers.get(name)
    if isinstance(serializer, PictureSerializer):
        return {"reads back": "a picture, for models that see"}
    return {"reads back": "without loss" if serializer.lossless else "not, or with loss"}


def _analysis(name: str) -> Row:
    return {"plugin": figures.origin(name), "about": _first_line(type(figures.get(name)))}


def _first_line(value: object) -> str:
    """The first line of a docstring."""
    return (value.__doc__ or "").strip().split("\n")[0]


_LISTED: dict[str, tuple[Callable[[], Iterable[str]], Callable[[str], Row]]] = {
    "cards": (card_names, _card),
    "recipes": (recipe_names, _recipe),
    "serializers": (serializers.names, _serializer),
    "perturbations": (
        perturbations.names,
        lambda name: {"keeps content": "yes" if perturbations.get(name).keeps_content else "no"},
    ),
    "designs": (designs.names, lambda name: {"about": _first_line(type(designs.get(name)))}),
    "metrics": (
        metrics.names,
        lambda name: {"main score": metrics.get(name).main, "about": _first_line(type(metrics.get(name)))},
    ),
    "processors": (processors.names, lambda name: {"about": _first_line(processors.get(name).step)}),
    "generators": (generators.names, lambda name: {"about": _first_line(generators.get(name))}),
    "models": (model_names, lambda name: {}),
    "analyses": (lambda: [figure.key for figure in plugin_figures()], _analysis),
    "sections": (
        sections.names,
        lambda name: {"plugin": sections.origin(name), "about": sections.get(name).title},
    ),
}
"""What ``torr list`` lists, by kind: the names, and what helps to choose one."""


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
