"""``torr menus``: imported when one of its commands is asked for."""

from __future__ import annotations

from typing import Annotated

import typer

from torr_plugin.cli.command import command_app, emit, guarded
from torr_plugin.cli.results import results

app = command_app("Look at the menus of the example plugin.")


@app.callback()
def _group() -> None:
    """Look at the menus of the example plugin."""


@app.command()
@guarded
def show(
    number: Annotated[int, typer.Option(min=1, help="How many questions.")] = 3,
    seed: Annotated[int, typer.Option(help="Another seed, other menus.")] = 0,
    serializer: Annotated[str, typer.Option(help="How the tables are written.")] = "json_lines",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Show menus, and what is asked about them."""
    from torr_plugin.catalog.generated import generate
    from torr_plugin.tables import serializers

    written = serializers.get(serializer)
    rows = generate("menus", seed=seed, sizes={"test": number})["test"]
    shown = [
        {"table": written.serialize(row["table"]), "question": row["question"], "answer": row["answer"]}
        for row in rows
    ]
    if as_json:
        emit({"menus": shown})
    else:
        for row in shown:
            results().write(f"{row['table']}\n{row['question']} {row['answer']}\n\n")
    return 0
