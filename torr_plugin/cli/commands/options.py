"""Arguments and options that several commands share, and the models that they choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ... import recipes
from ..command import paired

if TYPE_CHECKING:
    from ...recipes import ModelEntry, Recipe


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


@dataclass(frozen=True)
class Asked:
    """What the command line says of models.

    Attributes:
        names: ``--model``, in order.
        args: ``--model-args``, in order.
        has_args: for each name, whether the next of ``args`` is its own.
        pool: ``--models``, a file.
        only: ``--only``, labels of some of them.
        chat: ``--chat`` or ``--no-chat``, for all of them; None: each has its own.
    """

    names: Sequence[str] = ()
    args: Sequence[str] = ()
    has_args: Sequence[bool] = ()
    pool: Path | None = None
    only: Sequence[str] = ()
    chat: bool | None = None


def models_of_line(
    ctx: typer.Context,
    recipe: Recipe,
    *,
    names: Sequence[str] | None,
    args: Sequence[str] | None,
    pool: Path | None,
    only: Sequence[str] | None,
    chat: bool | None,
) -> list[ModelEntry]:
    """:func:`asked_models` of the options that ``torr plan`` and ``torr run`` have in common.

    Raises:
        InputError: ``--model-args`` without a model of its own, and what :func:`asked_models` raises.
    """
    has_args = paired(ctx, "model", "model_args")
    return asked_models(recipe, Asked(names or (), args or (), has_args, pool, only or (), chat))


def asked_models(recipe: Recipe, asked: Asked) -> list[ModelEntry]:
    """The models that are meant, with labels that differ; none where neither line, file nor recipe has one.

    Those of the pool and of ``--model``, each with what the recipe or pool knows of the model of its label;
    where there are none, the recipe's.

    Raises:
        RecipeError: arguments or a file that cannot be read, two models of one name, or ``only`` names none.
    """
    left = iter(asked.args)
    given = [
        recipes.model_entry(name, next(left) if has else "")
        for name, has in zip(asked.names, asked.has_args, strict=True)
    ]
    pool = [] if asked.pool is None else recipes.read_pool(asked.pool)
    known = [*recipes.labelled(recipe.models), *pool]
    entries = recipes.with_descriptions([*pool, *given], known) or list(recipe.models)
    told = {} if asked.chat is None else {"chat": asked.chat}
    return recipes.selected_models(
        recipes.labelled([entry.model_copy(update=told) for entry in entries]), asked.only
    )
