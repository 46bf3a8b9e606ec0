"""``torr list`` and ``torr models``: what there is."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from ... import workflows
from .. import console
from ..command import emit, guarded, say, say_in_columns
from .options import Json


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
    """List cards, recipes, serializers, metrics, plugins and more.

    Each with what helps to choose; of plugins, what each adds.
    """
    rows = workflows.listing.listed(kind, tokenizer, say_in_columns)
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


_MODEL_KINDS = {
    "in process": "In process: their weights are loaded here, or on Ray",
    "server": "Servers, asked over the network",
    "baseline": "Embedded baselines",
    "plugin": "From plugins",
}


@guarded
def models(as_json: Json = False) -> int:
    """List the models: what is installed, what is missing. These are what --model can name."""
    rows = workflows.listing.model_rows()
    if as_json:
        emit({"models": rows})
        return 0
    sections: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        here = "yes" if row["installed"] else "no"
        line = {"model": row["name"], "here": here, "about": workflows.listing.advice(row)}
        sections.setdefault(_MODEL_KINDS[row["kind"]], []).append(line)
    console.show_sections(list(sections.items()), left=("model", "here", "about"))
    if any("'.[" in (row["install"] or "") for row in rows):
        say_in_columns("Run pip install '.[...]' in a checkout of torr-plugin.")
    say_in_columns("Arguments are lm-eval's: --model hf --model-args pretrained=...")
    return 0
