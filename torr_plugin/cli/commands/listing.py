"""``torr list``, ``torr models``, ``torr doctor``: what there is, what is installed and what is missing."""

from __future__ import annotations

from typing import Annotated

import typer

from ... import workflows
from .. import console
from ..command import emit, guarded
from .options import Json


@guarded
def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            help="cards, recipes, serializers, perturbations, designs, metrics, processors, generators, "
            "models, analyses, sections or plugins."
        ),
    ],
    as_json: Json = False,
) -> int:
    """List all things of one kind, with what helps to choose; of plugins, what each adds."""
    rows = workflows.list_names(kind)
    if as_json:
        emit({kind: rows})
    elif kind == "plugins":
        console.show_plugins(rows)
    elif kind == "metrics":
        console.show_metrics(rows)
    else:
        console.show_listing(kind, rows)
    return 0


@guarded
def models(as_json: Json = False) -> int:
    """List the models that --model can name, and how to install what is missing."""
    rows = workflows.list_models()
    if as_json:
        emit({"models": rows})
    else:
        console.show_models(rows)
    return 0


@guarded
def doctor(as_json: Json = False) -> int:
    """Check versions, extras, data, machine and plugins, and say how to get what is missing.

    Exit code 1 if something has to be fixed; a missing extra or data set is no fault.
    """
    report = workflows.diagnose()
    if as_json:
        emit(report.as_dict())
    else:
        console.show_report(report)
    return 1 if report.wrong else 0
