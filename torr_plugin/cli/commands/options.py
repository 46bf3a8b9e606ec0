"""Arguments and options that several commands have."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class Executor(str, Enum):
    """Where the models run."""

    local = "local"
    ray = "ray"


RecipeArgument = Annotated[
    str, typer.Argument(help="A recipe file (YAML), or the name of a shipped one.", show_default=False)
]
ScoresArgument = Annotated[
    Path,
    typer.Argument(help="A run directory, or a scores file (Parquet, CSV, JSONL).", show_default=False),
]
RunArgument = Annotated[Path, typer.Argument(help="A run directory.", show_default=False)]
Json = Annotated[
    bool, typer.Option("--json", help="Print the result as one JSON object on stdout, nothing else there.")
]
Limit = Annotated[
    int | None, typer.Option(min=1, help="At most so many examples a data set.", show_default=False)
]
Cards = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES", help="Some of the recipe's cards alone, e.g. scigen,wikitq.", show_default=False
    ),
]
Chat = Annotated[
    bool | None,
    typer.Option(
        "--chat/--no-chat",
        help="Ask through chat templates, or not; else as fits each kind of model.",
        show_default=False,
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", metavar="NAME", help="A model as lm-eval names it; may be repeated.", show_default=False
    ),
]
ModelArgs = Annotated[
    list[str] | None,
    typer.Option(
        "--model-args",
        metavar="ARGS",
        help="lm-eval's arguments of the model named before, e.g. pretrained=...",
        show_default=False,
    ),
]
Pool = Annotated[
    Path | None,
    typer.Option("--models", help="A file (YAML) of models to ask.", show_default=False),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="NAMES",
        help="Of these models those of such names alone, e.g. a,b.",
        show_default=False,
    ),
]
RunOut = Annotated[
    Path | None,
    typer.Option("--out", help="The run directory.  [default: runs/<name>]", show_default=False),
]
