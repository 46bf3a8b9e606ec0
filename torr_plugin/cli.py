"""The ``torr`` command: every stage from the shell. Stages are imported where a command uses them."""

from __future__ import annotations

from .command import OrderedCommand, command_app, run_app
from .commands.analyse import analyse
from .commands.budget import budget
from .commands.judge import judge
from .commands.list_names import list_names
from .commands.plan import plan
from .commands.prompts import prompts
from .commands.properties import properties
from .commands.quickstart import quickstart
from .commands.run import run
from .commands.score import score
from .commands.synth import app as synth_app

app = command_app(
    "How well do language models read tables, how much does it depend on the way a table is written down, "
    "and which differences are real?"
)
# in the order of a study; without short_help the list of commands would cut their first sentences
app.command(short_help="Run the embedded study: from bundled tables to a site.")(quickstart)
app.command(short_help="Show what a study would ask. Calls no model.")(plan)
app.command(short_help="Write the prompts of a study to a file. Calls no model.")(prompts)
app.command(cls=OrderedCommand, short_help="Run a study: ask, score, analyse. Run again to resume.")(run)
app.command(short_help="Score predictions made elsewhere.")(score)
app.command(short_help="Have a model judge the answers of a run.")(judge)
app.command(short_help="Analyse scores: every figure with its interval.")(analyse)
app.command(short_help="Say what a ranking of a wished reliability needs.")(budget)
app.command(short_help="Detect the properties of tables, beside their annotation.")(properties)
app.add_typer(synth_app, name="synth", short_help="Make data sets of tables with questions.")
app.command("list", short_help="List cards, recipes, serializers and what else there is.")(list_names)


def main() -> None:
    """Entry point of the ``torr`` command."""
    run_app(app)


if __name__ == "__main__":
    main()
