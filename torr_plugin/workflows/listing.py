"""What there is, in rows: ``torr list KIND`` and ``torr models``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import catalog, plugins, prompts, recipes
from ..core.errors import InputError, UnknownNameError
from ..core.texts import token_pieces

if TYPE_CHECKING:
    from ..tables import Table

# stages are imported where they are listed: to list recipes takes a third of the time without all the others

Row = dict[str, str]
Tell = Callable[[str], object]


def listed(kind: str, tokenizer: str | None = None, tell: Tell = lambda line: None) -> list[Row]:
    """The rows of ``torr list KIND``, each with a ``name`` and what helps to choose.

    Args:
        kind: ``cards``, ``recipes``, ...
        tokenizer: counts the tokens of serializers; an estimate without one.
        tell: shows what they were counted over.

    Raises:
        UnknownNameError: no such kind.
        InputError: a tokenizer for another kind than serializers, or one that is not on this machine.
    """
    kinds: dict[str, Callable[[], list[Row]]] = {
        **_KINDS,
        "serializers": partial(_serializers, tokenizer, tell),
    }
    if kind not in kinds:
        raise UnknownNameError("kind of thing to list", kind, kinds)
    if tokenizer is not None and kind != "serializers":
        raise InputError(
            f"--tokenizer: found it with {kind}; expected it with serializers, whose tokens it counts"
        )
    plugins.load()
    return kinds[kind]()


def _cards() -> list[Row]:
    return [{"name": name, **_card(name)} for name in catalog.card_names()]


def _card(name: str) -> Row:
    try:
        card = catalog.load_card(name)
    except InputError as error:  # a plugin's; the others are listed all the same
        return {"metric": "", "skills": "", "licence": "", "about": str(error)}
    # skills that are partly needed are in brackets
    written = {"required": "{}", "partial": "({})"}
    skills = (
        written[need].format(skill.replace("_", " "))
        for skill, need in card.skills.items()
        if need in written
    )
    return {
        "metric": card.main_metric,
        "skills": ", ".join(skills),
        "licence": card.licence,
        "about": card.description,
    }


def _recipes() -> list[Row]:
    return [{"name": name, "about": _recipe(name)} for name in recipes.recipe_names()]


def _recipe(name: str) -> str:
    try:
        return recipes.load(name).description
    except InputError as error:  # a plugin's; the others are listed all the same
        return str(error)


def _serializers(tokenizer: str | None, tell: Tell) -> list[Row]:
    """Names, tokens relative to CSV's over real tables (flat, and with nested headers), and losses."""
    from ..recipes.format_prices import price, priced_tables
    from ..recipes.known_models import named_tokenizer
    from ..tables import serializers

    tokens = token_pieces if tokenizer is None else named_tokenizer(tokenizer).count
    tables = priced_tables()
    by = "by an estimate" if tokenizer is None else f"by the tokenizer {tokenizer}"
    tell(f"tokens: relative to csv, {by}, over {tables.source}")

    def priced(serializer: serializers.Serializer, some: Sequence[Table]) -> str:
        share = price(serializer, some, tokens)
        return "" if share is None else f"{share:.2f}"

    def row(name: str) -> Row:
        serializer = serializers.get(name)
        if isinstance(serializer, serializers.PictureSerializer):
            kind = f"a picture{' and text' if serializer.text_format else ''}, for models that see"
            return {"name": name, "tokens": "", "tokens, nested headers": "", "loses": kind}
        return {
            "name": name,
            "tokens": priced(serializer, tables.flat),
            "tokens, nested headers": priced(serializer, tables.nested),
            "loses": "nothing" if serializer.lossless else serializer.loses or "what it does not say",
        }

    return [row(name) for name in serializers.names()]


def _perturbations() -> list[Row]:
    from ..tables.perturbations import get, names

    return [{"name": name, "keeps content": "yes" if get(name).keeps_content else "no"} for name in names()]


def _designs() -> list[Row]:
    return [{"name": name, "about": _first_line(prompts.designs.get(name))} for name in prompts.designs]


def _metrics() -> list[Row]:
    from ..scoring.metrics import metrics

    return [
        {
            "name": name,
            "main score": metric.main,
            "source": metric.source or metrics.origin(name),
            "about": _first_line(metric),
        }
        for name, metric in ((name, metrics.get(name)) for name in metrics)
    ]


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
    ]


def _first_line(value: object) -> str:
    """The first line of a docstring; that of a partial is its function's."""
    return (getattr(value, "func", value).__doc__ or "").strip().partition("\n")[0]


_KINDS: dict[str, Callable[[], list[Row]]] = {
    "cards": _cards,
    "recipes": _recipes,
    "perturbations": _perturbations,
    "designs": _designs,
    "metrics": _metrics,
    "plugins": _plugins,
}


MODEL_KINDS = ("in process", "server", "baseline", "plugin")
"""The kinds of models, in their order."""


def model_rows() -> list[dict[str, Any]]:
    """A row a model: engines, servers, baselines, then plugins' models; installed ones first in each.

    Each has ``name``, ``kind``, ``installed``, ``missing`` (packages), ``install`` (the command; null where
    nothing is missing or lm-eval's documentation has to be read), ``key`` (the environment variable with the
    key of a server), ``origin``, and ``about`` and ``arguments`` of the embedded baselines.

    Raises:
        ModelError: a plugin's model has the name of one of lm-eval's.
    """
    from ..running.model_classes import availability

    models = sorted(
        availability(), key=lambda model: (MODEL_KINDS.index(model.kind), bool(model.missing), model.name)
    )
    unknown = {"about": None, "arguments": None}
    return [
        {
            **asdict(model),
            "missing": list(model.missing),
            "installed": not model.missing,
            **(_baseline(model.name) if model.kind == "baseline" else unknown),
        }
        for model in models
    ]


def _baseline(name: str) -> dict[str, Any]:
    """What an embedded baseline does, and its arguments."""
    from ..running.model_classes import lm_class

    baseline = lm_class(name)
    about = (inspect.getdoc(baseline) or "").partition("\n")[0].partition(": ")[2].rstrip(".")
    parameters = inspect.signature(baseline).parameters.values()
    return {"about": about, "arguments": {parameter.name: parameter.default for parameter in parameters}}


def advice(row: Mapping[str, Any]) -> str:
    """How to install a model, or what to know about it, in few words."""
    if not row["installed"]:
        return str(row["install"] or f"needs {', '.join(row['missing'])}")
    if row["key"]:
        return f"reads its key from {row['key']}"
    if row["about"] is None:
        return "" if row["origin"] == "lm-eval" else f"from {row['origin']}"
    arguments = ", ".join(f"{name}={value!r}" for name, value in row["arguments"].items())
    return f"{row['about']}{f' ({arguments})' if arguments else ''}"
