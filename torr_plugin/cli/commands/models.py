"""``torr models``: which models can be asked here, and what is missing for the others."""

from __future__ import annotations

from ..command import emit, guarded
from .options import Json


@guarded
def models(as_json: Json = False) -> int:
    """List the models that --model can name: what is installed, what is missing, how to install it."""
    from ...workflows.models import KINDS, advice, model_rows
    from ..console import say_in_columns, show_sections

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
