"""``torr list``, ``torr models``, ``torr doctor``: what there is, what is installed and what is missing."""

from __future__ import annotations

from typing import Annotated

import typer

from ..command import emit, guarded
from .options import Json


@guarded
def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            help="cards, recipes, serializers, perturbations, designs, metrics, processors, generators, "
            "models, analyses, sections or plugins.",
            show_default=False,
        ),
    ],
    as_json: Json = False,
) -> int:
    """List what there is, of one kind: names, and what helps to choose. Plugins: what each brought."""
    from ...workflows.listing import listing
    from ..console.tables import show_listing, show_plugins

    rows = listing(kind)
    if as_json:
        emit({kind: rows})
    elif kind == "plugins":
        show_plugins(rows)
    else:
        show_listing(kind, rows)
    return 0


@guarded
def models(as_json: Json = False) -> int:
    """List the models that --model can name: what is installed, what is missing, how to install it."""
    from ...workflows.listing import KINDS, advice, model_rows
    from ..console.tables import say_in_columns, show_sections

    rows = model_rows()
    if as_json:
        emit({"models": rows})
        return 0
    sections = [
        (
            title,
            [
                {
                    "model": row["name"],
                    "here": "yes" if row["installed"] else "no",
                    "to install, or to know": advice(row),
                }
                for row in rows
                if row["kind"] == kind
            ],
        )
        for kind, title in KINDS.items()
    ]
    columns = ("model", "here", "to install, or to know")
    show_sections([each for each in sections if each[1]], left=columns)
    say_in_columns("Arguments are lm-eval's: --model hf --model-args pretrained=...")
    return 0


@guarded
def doctor(as_json: Json = False) -> int:
    """Say what is installed and what is missing: versions, extras, data, machine, plugins.

    Exit code 1 where something has to be mended; an absent extra or data set is no fault.
    """
    from ...workflows.doctor import diagnose
    from ..console.findings import show_report

    report = diagnose()
    if as_json:
        emit(report.as_dict())
    else:
        show_report(report)
    return 1 if report.wrong else 0
