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


# in the order of a study; the list of commands shows first sentences, cut at some 60 characters
app.command()(quickstart)
app.command(cls=OrderedCommand)(plan)
app.command()(prompts)
app.command(cls=OrderedCommand)(run)
app.command()(status)
app.command()(score)
app.command()(judge)
app.command()(analyse)
app.command()(rate)
app.command()(publish)
app.command()(audit)
app.command()(budget)
app.command()(export)
app.command("import")(import_results)
app.command()(lm_eval_path)
app.command()(models)
app.command()(helm_entries)
app.command()(doctor)
app.command("list")(list_names)
app.add_typer(synth_app, name="synth", short_help="Generate tables with questions and answers.")
app.add_typer(data_app, name="data", short_help="Make a data set of your own, or an offline mirror.")
app.add_typer(annotate_app, name="annotate", short_help="Have models write questions; review them.")


def main() -> None:
    """Entry point of the ``torr`` command."""
    end_at_once_when_signalled()
    run_app(app)


if __name__ == "__main__":
    main()
