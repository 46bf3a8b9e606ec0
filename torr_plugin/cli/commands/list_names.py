"""``torr list``: what there is, by kind."""

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
    from ..console import show_listing
    from ..console_plugins import show_plugins

    rows = listing(kind)
    if as_json:
        emit({kind: rows})
    elif kind == "plugins":
        show_plugins(rows)
    else:
        show_listing(kind, rows)
    return 0
