"""``torr helm-entries``: whole studies as run entries of HELM, and the schema that shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..command import emit, guarded, say, writing
from .options import Json


@guarded
def helm_entries(
    studies: Annotated[
        list[str], typer.Argument(metavar="STUDY...", help="Recipes, by name or file.", show_default=False)
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="A model as HELM names it, e.g. torr/lexical; may be repeated. Else --models-to-run says.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file of run entries (.conf).", show_default=False)
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(help="Also write a schema for helm-summarize (.yaml).", show_default=False),
    ] = None,
    as_json: Json = False,
) -> int:
    """Write whole studies as run entries of HELM, for helm-run --conf-paths."""
    import yaml

    from ...integrations.helm.entries import conf, left_out, run_entries
    from ...integrations.helm.schema import schema_of
    from ..results import results

    entries = run_entries(studies, model or ())
    for study in studies:
        if shown := left_out(study):
            some = ", ".join(shown[:3]) + (", ..." if len(shown) > 3 else "")
            say(f"{study}: {len(shown)} configurations show pictures and are left out: {some}")
    if out is not None:
        with writing(out):
            out.write_text(conf(entries), encoding="utf-8")
    if schema is not None:
        with writing(schema):
            schema.write_text(yaml.safe_dump(schema_of(studies), sort_keys=False), encoding="utf-8")
    if as_json:
        files = {"out": out and str(out), "schema": schema and str(schema)}
        emit({**files, "entries": entries})
    elif out is None:
        results().write(conf(entries))
    else:
        say(f"{len(entries)} run entries in {out}")
    return 0
