"""The rows of ``torr list`` and ``torr models``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .. import catalog, plugins, prompts, recipes, running, synthesis
from ..core.errors import InputError, UnknownNameError
from ..plugins.versions import without_entry_point

if TYPE_CHECKING:
    from ..analysis.figure import Figure
    from ..core.registry import Registry
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
    plugins.load()
    return _LISTED[kind]()


def _cards() -> list[Row]:
    return [{"name": name, **_card(name)} for name in catalog.card_names()]


def _card(name: str) -> Row:
    try:
        card = catalog.load_card(name)
    except InputError as error:  # a plugin's; the others are listed all the same
        return {"metric": "", "skills": "", "licence": "", "about": str(error)}
    facts = {"metric": card.main_metric, "skills": _skills(card.skills), "licence": card.licence}
    return {**facts, "about": card.description}


def _skills(skills: Mapping[str, str]) -> str:
    """``knowledge extraction, (numerical reasoning)``: partly needed skills are in brackets."""
    written = {"required": "{}", "partial": "({})"}
    return ", ".join(
        written[need].format(skill.replace("_", " ")) for skill, need in skills.items() if need in written
    )


def _recipes() -> list[Row]:
    return [{"name": name, "about": _recipe(name)} for name in recipes.recipe_names()]


def _recipe(name: str) -> str:
    try:
        return recipes.load(name).description
    except InputError as error:  # a plugin's; the others are listed all the same
        return str(error)


def _serializers() -> list[Row]:
    from ..tables import serializers
    from ..tables.serializers.base import PictureSerializer

    def reads_back(name: str) -> str:
        serializer = serializers.get(name)
        if isinstance(serializer, PictureSerializer):
            return f"a picture{' and text' if serializer.text_format else ''}, for models that see"
        return "without loss" if serializer.lossless else "not, or with loss"

    return [{"name": name, "reads back": reads_back(name)} for name in serializers.names()]


def _perturbations() -> list[Row]:
    from ..tables.perturbations import get, names

    return [{"name": name, "keeps content": "yes" if get(name).keeps_content else "no"} for name in names()]


def _designs() -> list[Row]:
    """The designs, and what can be put in front of any of their names."""
    from ..prompts.augmentations import AUGMENTATIONS

    composed = [
        {"name": f"{name}+DESIGN", "about": f"Any design, and {each.about}."}
        for name, each in AUGMENTATIONS.items()
    ]
    return _described(prompts.designs) + composed


def _metrics() -> list[Row]:
    from ..scoring.metrics import metrics

    return [
        {
            "name": row["name"],
            "main score": metrics.get(row["name"]).main,
            "about": row["about"],
            "source": getattr(metrics.get(row["name"]), "source", "") or metrics.origin(row["name"]),
        }
        for row in _described(metrics)
    ]


def _processors() -> list[Row]:
    from ..scoring.processors import processors

    return [{"name": name, "about": _first_line(processors.get(name).step)} for name in processors]


def _analyses() -> list[Row]:
    return [{"name": each.key, **_origin(each), "about": _first_line(each)} for each in _figures()]


def _sections() -> list[Row]:
    """What figures and plugins add to the site's pages; the rest of a page is no section of its own."""
    from ..leaderboard.sections import sections

    of_figures = [
        {"name": each.key, **_origin(each), "page": each.page, "about": each.title}
        for each in _figures()
        if each.page
    ]
    added = {name: {"plugin": sections.origin(name), "page": "overview"} for name in sections}
    return of_figures + [
        {"name": name, **row, "about": sections.get(name).title} for name, row in added.items()
    ]


def _figures() -> list[Figure[Any]]:
    """The project's figures in the order of ``analysis.json``, then plugins'."""
    from ..analysis.figure import plugin_figures
    from ..analysis.registered import OWN_FIGURES

    return [*OWN_FIGURES, *plugin_figures()]


def _origin(figure: Figure[Any]) -> Row:
    from ..analysis.figure import figures

    return {"plugin": figures.origin(figure.key)}


def _plugins() -> list[Row]:
    return [
        {
            "name": plugin.name,
            "version": plugin.version,
            "package": plugin.package,
            "adds": "; ".join(f"{kind}: {', '.join(names)}" for kind, names in plugin.adds.items()),
            "problem": plugin.problem or "",
        }
        for plugin in plugins.load()
    ] + [
        {"name": name, "version": number, "package": name, "adds": "", "problem": lacking}
        for name, number, lacking in without_entry_point()
    ]


def _described(registry: Registry[Any]) -> list[Row]:
    return [{"name": name, "about": _first_line(registry.get(name))} for name in registry]


def _first_line(value: object) -> str:
    """The first line of a docstring; that of a partial is its function's."""
    return (getattr(value, "func", value).__doc__ or "").strip().partition("\n")[0]


_LISTED: dict[str, Callable[[], list[Row]]] = {
    "cards": _cards,
    "recipes": _recipes,
    "serializers": _serializers,
    "perturbations": _perturbations,
    "designs": _designs,
    "metrics": _metrics,
    "processors": _processors,
    "generators": lambda: _described(synthesis.generators),
    "models": lambda: [{"name": name} for name in running.model_names()],
    "analyses": _analyses,
    "sections": _sections,
    "plugins": _plugins,
}


KINDS = {
    "in process": "In process: their weights are loaded here, or on Ray",
    "server": "Servers, asked over the network",
    "baseline": "Embedded baselines",
    "plugin": "From plugins",
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
