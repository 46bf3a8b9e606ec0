"""Arguments and options that several commands share, and the models that they choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ... import recipes
from ...core.errors import InputError
from ..command import paired

if TYPE_CHECKING:
    from ...recipes import ModelEntry


PriceOption = Annotated[
    str | None,
    typer.Option(
        "--price",
        metavar="PROMPTS,REPLIES",
        help="US dollars per million tokens, to say what it costs: 2.5,10.",
    ),
]


class ExecutorName(str, Enum):
    """Where the models run."""

    local = "local"
    ray = "ray"


RecipeArgument = Annotated[str, typer.Argument(help="A recipe file (YAML), or the name of a shipped one.")]
ModelFacts = Annotated[
    Path | None,
    typer.Option(
        help="A YAML list of models: name, and any of family, size (billions of parameters) and open."
    ),
]
RunArgument = Annotated[Path, typer.Argument(help="A run directory.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print the result as one JSON object; notes and progress go to stderr.")
]
Limit = Annotated[int | None, typer.Option(min=1, help="At most this many examples per data set.")]
Cards = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Ask about only these cards of the recipe, e.g. scigen,wikitq."),
]
Replicates = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Ask a random share of the prompts again, to measure how much answers vary.",
    ),
]
ReplicateCount = Annotated[
    int | None,
    typer.Option(
        "--replicate-count",
        metavar="N",
        min=1,
        help="Ask each of them so many more times.  [default: the recipe's, which is 1 if it says nothing]",
    ),
]
Chat = Annotated[
    bool | None,
    typer.Option(
        "--chat/--no-chat", help="Use chat templates, or plain text.  [default: what suits the model]"
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="NAME", help="A model, by lm-eval's name for its class; repeatable."),
]
ModelArgs = Annotated[
    list[str] | None,
    typer.Option(
        "--model-args",
        metavar="ARGS",
        help="lm-eval's arguments for the --model before it, e.g. pretrained=...",
    ),
]
Gen = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE,...",
        help="The models' own generation parameters, e.g. max_tokens=4000; null: not sent. Repeatable.",
    ),
]
Pool = Annotated[Path | None, typer.Option("--models", help="A file (YAML) of models to ask.")]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="NAMES", help="Ask only the models with these names, e.g. a,b."),
]
SendKey = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HOST[:PORT]",
        help="Send keys of the environment to this host too, if a file names it. Repeatable.  "
        "[default: to their vendors, and to an address in --model-args]",
    ),
]
TrustRemoteCode = Annotated[
    bool,
    typer.Option("--trust-remote-code", help="Run code that comes with a model where a file says so."),
]
RunOut = Annotated[Path | None, typer.Option("--out", help="The run directory.  [default: runs/<name>]")]


Reviews = Annotated[
    list[Path] | None,
    typer.Option(
        help="A file with verdicts (CSV, XLSX, JSON lines); repeatable.  [default: the folder's own]"
    ),
]
MirrorTo = Annotated[
    Path | None, typer.Option("--to", help="The mirror's folder; else TORR_DATA, else data.")
]


def study_of_line(
    recipe: str,
    cards: str | None,
    replicates: float | None,
    replicate_count: int | None,
    send_key: Sequence[str] | None,
    *,
    trust_remote_code: bool,
) -> recipes.Recipe:
    """The recipe as the line changes it, its judges with what the line allows them.

    Raises:
        RecipeError: there is none, it is wrong, or it has no such card.
    """
    loaded = recipes.with_cards(recipes.load(recipe), cards)
    loaded = recipes.with_replicates(loaded, replicates, replicate_count)
    judges = recipes.with_trust(loaded.judges, send_key or (), code=trust_remote_code)
    return loaded.model_copy(update={"judges": tuple(judges)})


def models_of_line(
    ctx: typer.Context,
    known: Sequence[ModelEntry],
    *,
    names: Sequence[str] | None,
    args: Sequence[str] | None,
    pool: Path | None,
    only: Sequence[str] | None,
    chat: bool | None,
    gen: Sequence[str] | None = None,
    send_key: Sequence[str] | None = None,
    trust_remote_code: bool = False,
) -> list[ModelEntry]:
    """The models that a command asks, with labels that differ; empty where nothing names any.

    These are the models of ``--models`` and ``--model``, each with what the recipe or the file says of its
    label; where there are none, ``known``, those of the recipe.

    Raises:
        InputError: ``--model-args`` without a ``--model`` of its own, unreadable arguments or file,
            two models of one name, or ``--only`` names none.
    """
    unused = iter(args or ())
    given = [
        recipes.model_entry(name, next(unused) if has_args else "")
        for name, has_args in zip(names or (), paired(ctx, "model", "model_args"), strict=True)
    ]
    in_file = [] if pool is None else recipes.read_pool(pool)
    described = [*recipes.labelled(known), *in_file]
    entries = recipes.with_descriptions([*in_file, *given], described) or list(known)
    if chat is not None:
        entries = [entry.model_copy(update={"chat": chat}) for entry in entries]
    entries = recipes.with_generation(entries, gen or ())
    entries = recipes.with_trust(entries, send_key or (), code=trust_remote_code)
    return recipes.selected_models(recipes.labelled(entries), only or ())


def names_in(text: str | None) -> tuple[str, ...]:
    """The names in ``a, b``; empty for no text."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def price_of_line(text: str | None) -> dict[str, float] | None:
    """What ``--price`` says, as a model's ``price``; None without it.

    Raises:
        InputError: it is not two numbers.
    """
    if text is None:
        return None
    try:
        prompt, completion = map(float, text.split(","))
        if 0 <= prompt < float("inf") and 0 <= completion < float("inf"):
            return {"prompt": prompt, "completion": completion}
    except ValueError:
        pass
    raise InputError(
        f"--price: found {text!r}; expected two numbers, US dollars per million tokens of prompts and of "
        "replies"
    )


ANY_MODEL = "any model"
"""How a plan names the model whose price is given where a study names none."""


def priced(entries: Sequence[ModelEntry], price: Mapping[str, float] | None) -> list[ModelEntry]:
    """The models, those without a price at ``price``; one of no name where there are none."""
    if price is None:
        return list(entries)
    known = recipes.Price.model_validate(price)
    if not entries:
        return [recipes.ModelEntry(model="dummy", name=ANY_MODEL, price=known)]
    return [each if each.price else each.model_copy(update={"price": known}) for each in entries]
