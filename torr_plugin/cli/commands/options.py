"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from ... import recipes
from ..command import paired

if TYPE_CHECKING:
    from ...recipes import ModelEntry


ExecutorName = Literal["local", "ray"]
"""Where the models run."""

Executor = Annotated[ExecutorName, Option(help="In this process, or on Ray.")]

RecipeArgument = Annotated[str, Argument(help="A recipe file (YAML), or the name of a shipped one.")]
RunArgument = Annotated[Path, Argument(help="A run directory.")]
Json = Annotated[
    bool, Option("--json", help="Print the result as one JSON object; notes and progress go to stderr.")
]
Limit = Annotated[int | None, Option(min=1, help="At most this many examples per data set.")]
Cards = Annotated[
    list[str] | None,
    Option(metavar="NAMES", help="Ask about only these cards of the recipe, e.g. scigen,wikitq."),
]
Configurations = Annotated[
    list[str] | None,
    Option(
        metavar="NAMES",
        help="Ask in only these configurations of the recipe: formats, or ids such as torr.csv/none/*.",
    ),
]
RunOut = Annotated[Path | None, Option("--out", help="The run directory.  [default: runs/<name>]")]
RetryFailed = Annotated[bool, Option("--retry-failed", help="Send failed requests again.")]
ModelFacts = Annotated[
    Path | None,
    Option(help="A YAML list of models: name, and any of maker, family, size, open, licence, price, ..."),
]
Reviews = Annotated[
    list[Path] | None,
    Option(help="A file with verdicts (CSV, XLSX, JSON lines); repeatable.  [default: the folder's own]"),
]
MirrorTo = Annotated[Path | None, Option("--to", help="The mirror's folder; else TORR_DATA, else data.")]


def chosen_study(
    recipe: str, cards: Sequence[str] | None, configurations: Sequence[str] | None
) -> recipes.Recipe:
    """A recipe with the cards and configurations that were named, each option as often as it was given.

    Raises:
        RecipeError: there is none, it is wrong, or it has no such card or configuration.
    """
    some = recipes.with_cards(recipes.load(recipe), ",".join(cards) if cards else None)
    names = ",".join(configurations) if configurations else None
    return recipes.with_configurations(some, names)


@dataclass(frozen=True)
class ModelOptions:
    """Which models are asked."""

    model: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="A model, by lm-eval's name for its class; repeatable."),
    ] = None
    model_args: Annotated[
        list[str] | None,
        Option(
            metavar="ARGS",
            help="lm-eval's arguments for the --model before it, e.g. pretrained=...",
        ),
    ] = None
    models: Annotated[Path | None, Option(help="A file (YAML) of models to ask.")] = None
    only: Annotated[
        list[str] | None,
        Option(metavar="NAMES", help="Ask only the models with these names, e.g. a,b."),
    ] = None
    chat: Annotated[
        bool | None,
        Option(
            "--chat/--no-chat", help="Use chat templates, or plain text.  [default: what suits the model]"
        ),
    ] = None
    gen: Annotated[
        list[str] | None,
        Option(
            metavar="KEY=VALUE,...",
            help="The models' own generation parameters, e.g. max_tokens=4000; null: not sent. Repeatable.",
        ),
    ] = None
    send_key: Annotated[
        list[str] | None,
        Option(
            metavar="HOST[:PORT]",
            help="Send keys of the environment to this host too, if a file names it. Repeatable.  "
            "[default: to their vendors, and to an address in --model-args]",
        ),
    ] = None
    trust_remote_code: Annotated[
        bool, Option("--trust-remote-code", help="Run code that comes with a model where a file says so.")
    ] = False

    def entries(self, ctx: typer.Context, known: Sequence[ModelEntry] = ()) -> list[ModelEntry]:
        """The models that a command asks, with labels that differ; empty where nothing names any.

        These are the models of ``--models`` and ``--model``, each with what the recipe or the file says of
        its label; where there are none, ``known``, those of the recipe.

        Raises:
            InputError: ``--model-args`` without a ``--model`` of its own, unreadable arguments or file,
                two models of one name, or ``--only`` names none.
        """
        args = iter(self.model_args or ())
        given = [
            recipes.model_entry(name, next(args) if has_args else "")
            for name, has_args in zip(self.model or (), paired(ctx, "model", "model_args"), strict=True)
        ]
        in_file = [] if self.models is None else recipes.read_pool(self.models)
        described = [*recipes.labelled(known), *in_file]
        entries = recipes.with_descriptions([*in_file, *given], described) or list(known)
        if self.chat is not None:
            entries = [entry.model_copy(update={"chat": self.chat}) for entry in entries]
        entries = recipes.with_generation(entries, self.gen or ())
        entries = recipes.with_trust(entries, self.send_key or (), code=self.trust_remote_code)
        return recipes.selected_models(recipes.labelled(entries), self.only or ())


@dataclass(frozen=True)
class StudyOptions(ModelOptions):
    """What a study asks, and of which models."""

    limit: Limit = None
    cards: Cards = None
    configurations: Configurations = None
    replicates: Annotated[
        float | None,
        Option(
            metavar="SHARE", help="Ask a random share of the prompts again, to measure how much answers vary."
        ),
    ] = None
    out: RunOut = None

    def study(self, recipe: str) -> recipes.Recipe:
        """The recipe as the line changes it, its judges with what the line allows them.

        Raises:
            RecipeError: there is none, it is wrong, or it has no such card or configuration.
        """
        loaded = recipes.with_replicates(
            chosen_study(recipe, self.cards, self.configurations), self.replicates
        )
        judges = recipes.with_trust(loaded.judges, self.send_key or (), code=self.trust_remote_code)
        return loaded.model_copy(update={"judges": tuple(judges)})

    def run_directory(self, study: recipes.Recipe) -> Path:
        """``--out``, or where runs of the study are by default."""
        return self.out or Path("runs") / study.name
