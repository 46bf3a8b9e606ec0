"""The ``torr`` command: all stages from the shell."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from .command import OrderedCommand, command_app, end_at_once_when_signalled, run_app
from .commands.analyse import analyse
from .commands.annotate import app as annotate_app
from .commands.audit import audit
from .commands.budget import budget
from .commands.data import app as data_app
from .commands.doctor import doctor
from .commands.export import export
from .commands.harnesses import helm_entries, import_results, lm_eval_path
from .commands.judge import judge
from .commands.listing import list_names, models
from .commands.plan import plan, prompts
from .commands.publish import publish
from .commands.rate import rate
from .commands.run import quickstart, run
from .commands.score import score
from .commands.status import status
from .commands.synth import app as synth_app
from .plugin_commands import OpenGroup

app = command_app(
    "How well do language models read tables, how much does it depend on the way a table is written down, "
    "and which differences are real?",
    cls=OpenGroup,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"torr-plugin {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[  # printed by its callback
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """The options of all commands."""


# in the order of a study; without short_help the list of commands would cut their first sentences
app.command(short_help="Run the embedded study: from bundled tables to a site.")(quickstart)
app.command(cls=OrderedCommand, short_help="Show what a study would ask and cost, without a model.")(plan)
app.command(short_help="Write the prompts of a study, without asking a model.")(prompts)
app.command(cls=OrderedCommand, short_help="Run a study: ask, score, analyse. Run again to resume.")(run)
app.command(short_help="Show how far a run is.")(status)
app.command(short_help="Score predictions made elsewhere.")(score)
app.command(short_help="Let a model judge the answers of a run.")(judge)
app.command(short_help="Analyse scores: every figure with its interval.")(analyse)
app.command(short_help="Rate models from battles: Elo and Bradley-Terry.")(rate)
app.command(short_help="Check runs and turn them into a static site.")(publish)
app.command(short_help="Say what a leaderboard shows; gate a release.")(audit)
app.command(short_help="Say how large a study must be, and what it would cost.")(budget)
app.command(short_help="Write a run's results as other tools and boards read them.")(export)
app.command("import", short_help="Turn the results of another harness into a run.")(import_results)
app.add_typer(synth_app, name="synth", short_help="Generate tables with questions and answers.")
app.add_typer(data_app, name="data", short_help="Make a data set of your own, or an offline mirror.")
app.add_typer(annotate_app, name="annotate", short_help="Have models write questions; review them.")
app.command("lm-eval-path", short_help="Print the path of our studies as lm-eval tasks.")(lm_eval_path)
app.command(short_help="List the models: what is installed, what is missing.")(models)
app.command(short_help="Write studies as HELM run entries.")(helm_entries)
app.command(short_help="Check the installation; say how to get what is missing.")(doctor)
app.command("list", short_help="List cards, recipes, serializers, metrics, plugins and more.")(list_names)


def main() -> None:
    """Entry point of the ``torr`` command."""
    end_at_once_when_signalled()
    run_app(app)


if __name__ == "__main__":
    main()
