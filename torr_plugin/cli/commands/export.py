"""``torr export``: a run's results as other tools and boards read them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from typer import Option

from ... import running
from ...core.errors import counted
from ..command import check_folder, emit, guarded, say, say_in_columns
from .options import Json, RunArgument


@guarded
def export(
    run: RunArgument,
    to: Annotated[
        Literal["csv", "eee", "hub", "inspect", "mlflow", "wandb"],
        Option(
            help="csv: leaderboard.csv; eee: Every Eval Ever; hub: Hugging Face model pages; inspect: "
            "inspect_ai's logs; mlflow, wandb: offline."
        ),
    ],
    out: Annotated[Path, Option(help="A new folder for the files.")],
    model: Annotated[
        list[str] | None, Option(metavar="NAME", help="Only this model. Repeatable.  [default: all]")
    ] = None,
    organization: Annotated[str | None, Option(help="Who publishes the results.")] = None,
    relationship: Annotated[
        Literal["first_party", "third_party", "collaborative", "other"],
        Option(help="Of the organization to the models' makers, for eee."),
    ] = "other",
    url: Annotated[
        str | None, Option(help="Where the results can be read, e.g. your published site.")
    ] = None,
    benchmark: Annotated[
        str | None,
        Option(metavar="ID", help="The hub's data set that has the leaderboard.  [default: each card's own]"),
    ] = None,
    as_json: Json = False,
) -> int:
    """Write a run's results as other tools and boards read them.

    The numbers, with their intervals, are those of analysis.json. Nothing is sent anywhere.
    """
    from ...integrations.exporting import exporters
    from ...integrations.exporting.exporter import Attribution, export_run
    from ...integrations.exporting.results import read_results

    attribution = Attribution(organization, relationship, url, benchmark)
    results = read_results(run, model or ())
    running.refuse_foreign_run(out, [run])
    check_folder(out)
    report = export_run(exporters.get(to), results, out, attribution)
    say_in_columns(*report["notes"])
    if as_json:
        emit(report)
    else:
        files, models = counted(len(report["files"]), "file"), counted(len(report["models"]), "model")
        say(f"{files} of {models} for {to}: {out}")
    return 0
