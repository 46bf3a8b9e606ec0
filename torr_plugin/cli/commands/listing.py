"""``torr list`` and ``torr models``: what there is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from ... import catalog, plugins, prompts, recipes
from ...core.errors import InputError, UnknownNameError
from ...core.texts import token_pieces
from .. import console
from ..command import emit, guarded, say
from .options import Json

if TYPE_CHECKING:
    from ...tables import Table

# stages are imported where they are listed: to list recipes takes a third of the time without all the others

Row = dict[str, str]


@guarded
def list_names(
    kind: Annotated[
        str, Argument(help="cards, recipes, serializers, perturbations, designs, metrics or plugins.")
    ],
    tokenizer: Annotated[
        str | None,
        Option(
            metavar="NAME_OR_FOLDER",
            help="Of serializers: count tokens by this one, from this machine.  [default: estimated]",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """List all things of one kind, with what helps to choose; of plugins, what each adds."""
    rows = listed(kind, tokenizer)
    if as_json:
        emit({kind: rows})
    elif not rows:
        say("no plugins; docs/plugins.md says how to write one" if kind == "plugins" else f"no {kind}")
    elif kind == "plugins":
        for row in rows:
            package = "" if row["package"] == "unknown" else f" ({row['package']} {row['version']})"
            adds = [row["problem"]] if row["problem"] else (row["adds"] or "nothing").split("; ")
            console.print_paragraph(f"{row['name']}{package}", adds)
    elif kind == "metrics":
        names = {"metric": "name", "what it gives": "about", "whose": "source"}
        shown = [{title: row[name].rstrip(".") for title, name in names.items()} for row in rows]
        console.print_rows(shown, left=tuple(names))
    elif "about" in rows[0]:
        for row in rows:
            facts = ", ".join(f"{key}: {row[key]}" for key in row if key not in ("name", "about"))
            console.print_paragraph(row["name"], [facts, row["about"]])
    else:
        console.print_rows(rows, left=tuple(rows[0]))
    return 0


def listed(kind: str, tokenizer: str | None = None) -> list[Row]:
    """The rows of ``torr list KIND``, each with a ``name`` and what helps to choose.

    Raises:
        UnknownNameError: no such kind.
        InputError: a tokenizer for another kind than serializers, or one that is not on this machine.
    """
    if kind not in _KINDS:
        raise UnknownNameError("kind of thing to list", kind, _KINDS)
    plugins.load()
    if tokenizer is None:
        return _KINDS[kind]()
    if kind != "serializers":
        raise InputError(
            f"--tokenizer: found it with {kind}; expected it with serializers, whose tokens it counts"
        )
    return _serializers(tokenizer)


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


def _serializers(tokenizer: str | None = None) -> list[Row]:
    """Names, tokens relative to CSV's over real tables (flat, and with nested headers), and losses."""
    from ...recipes.format_prices import price, priced_tables
    from ...recipes.known_models import named_tokenizer
    from ...tables import serializers

    tokens = token_pieces if tokenizer is None else named_tokenizer(tokenizer).count
    tables = priced_tables()
    by = "by an estimate" if tokenizer is None else f"by the tokenizer {tokenizer}"
    say(f"tokens: relative to csv, {by}, over {tables.source}")

    def priced(serializer: serializers.Serializer, some: Sequence[Table]) -> str:
        found = price(serializer, some, tokens)
        return "" if found is None else f"{found:.2f}"

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
    from ...tables.perturbations import get, names

    return [{"name": name, "keeps content": "yes" if get(name).keeps_content else "no"} for name in names()]


def _designs() -> list[Row]:
    return [{"name": name, "about": _first_line(prompts.designs.get(name))} for name in prompts.designs]


def _metrics() -> list[Row]:
    from ...scoring.metrics import metrics

    return [
        {
            "name": name,
            "main score": metric.main,
            "source": getattr(metric, "source", "") or metrics.origin(name),
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
    "serializers": _serializers,
    "perturbations": _perturbations,
    "designs": _designs,
    "metrics": _metrics,
    "plugins": _plugins,
}


_MODEL_KINDS = {
    "in process": "In process: their weights are loaded here, or on Ray",
    "server": "Servers, asked over the network",
    "baseline": "Embedded baselines",
    "plugin": "From plugins",
}


@guarded
def models(as_json: Json = False) -> int:
    """List the models that --model can name, and how to install what is missing."""
    rows = model_rows()
    if as_json:
        emit({"models": rows})
        return 0
    sections: dict[str, list[Row]] = {}
    for row in rows:
        here = "yes" if row["installed"] else "no"
        line = {"model": row["name"], "here": here, "about": advice(row)}
        sections.setdefault(_MODEL_KINDS[row["kind"]], []).append(line)
    console.show_sections(list(sections.items()), left=("model", "here", "about"))
    if any("'.[" in (row["install"] or "") for row in rows):
        console.say_in_columns("Run pip install '.[...]' in a checkout of torr-plugin.")
    console.say_in_columns("Arguments are lm-eval's: --model hf --model-args pretrained=...")
    return 0


def model_rows() -> list[dict[str, Any]]:
    """A row a model: engines, servers, baselines, then plugins' models; installed ones first in each.

    Each has ``name``, ``kind``, ``installed``, ``missing`` (packages), ``install`` (the command; null where
    nothing is missing or lm-eval's documentation has to be read), ``key`` (the environment variable with the
    key of a server), ``origin``, and ``about`` and ``arguments`` of the embedded baselines.

    Raises:
        ModelError: a plugin's model has the name of one of lm-eval's.
    """
    from ...running.models import availability

    order = list(_MODEL_KINDS)
    found = sorted(availability(), key=lambda each: (order.index(each.kind), not each.installed, each.name))
    unknown = {"about": None, "arguments": None}
    return [
        {
            **asdict(each),
            "missing": list(each.missing),
            "installed": each.installed,
            **(_baseline(each.name) if each.kind == "baseline" else unknown),
        }
        for each in found
    ]


def _baseline(name: str) -> dict[str, Any]:
    """What an embedded baseline does, and its arguments."""
    from ...running.models import lm_class

    found = lm_class(name)
    about = (inspect.getdoc(found) or "").partition("\n")[0].partition(": ")[2].rstrip(".")
    parameters = inspect.signature(found).parameters.values()
    return {"about": about, "arguments": {each.name: each.default for each in parameters}}


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
