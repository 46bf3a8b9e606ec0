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
            help="cards, recipes, serializers, perturbations, designs, metrics, models or plugins.",
            show_default=False,
        ),
    ],
    as_json: Json = False,
) -> int:
    """List what there is: cards, recipes, serializers, perturbations, designs, metrics, models, plugins."""
    from ..console import show_listing
    from ..listing import listing

    rows = listing(kind)
    if as_json:
        emit({kind: rows})
    else:
        show_listing(kind, rows)
    return 0
