"""``torr import``, ``torr lm-eval-path``, ``torr helm-entries``: from and to other harnesses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import console
from ..command import command_app, emit, guarded, say, writing
from ..results import results
from .options import Json

if TYPE_CHECKING:
    from ...integrations.importing import HarnessOutput, Imported

app = command_app("Make a run of what another harness wrote, so that every analysis works on it.")

Out = Annotated[Path, typer.Option(help="The run directory to make.", show_default=False)]
Metric = Annotated[
    list[str] | None,
    typer.Option(
        help="The main metric of results that are not of this project's studies; may be repeated, and of "
        "several the first that a data set has counts.",
        show_default=False,
    ),
]
Again = Annotated[
    bool,
    typer.Option(
        "--rate-again", help="Rate their answers by this project's cards, where it has the data set."
    ),
]
Recipe = Annotated[
    str | None,
    typer.Option(help="The study's recipe, where it is a file of one's own.", show_default=False),
]
LeaveOut = Annotated[
    bool,
    typer.Option(
        "--leave-out-unfinished",
        help="Leave runs that helm-run did not finish out, so that their cells are holes.",
    ),
]


def _folder(text: str) -> Any:
    return typer.Argument(help=text, show_default=False)


@app.command()
@guarded
def helm(
    folder: Annotated[Path, _folder("benchmark_output, one of its suites, or one run.")],
    out: Out,
    metric: Metric = None,
    rate_again: Again = False,
    recipe: Recipe = None,
    leave_out_unfinished: LeaveOut = False,
    as_json: Json = False,
) -> int:
    """Results of HELM 0.5: scenario_state.json and per_instance_stats.json."""
    from ...integrations.importing.helm import helm_source

    return _import(
        helm_source(folder, leave_out=leave_out_unfinished), out, metric, rate_again, recipe, as_json
    )


@app.command("lm-eval")
@guarded
def lm_eval(
    folder: Annotated[Path, _folder("What lm_eval wrote with --output_path and --log_samples.")],
    out: Out,
    metric: Metric = None,
    rate_again: Again = False,
    recipe: Recipe = None,
    as_json: Json = False,
) -> int:
    """Results of lm-eval 0.4: samples_*.jsonl and results_*.json."""
    from ...integrations.importing.lm_eval import lm_eval_source

    return _import(lm_eval_source(folder), out, metric, rate_again, recipe, as_json)


@app.command()
@guarded
def unitxt(
    folder: Annotated[Path, _folder("What unitxt-evaluate wrote with --output_path and --log_samples.")],
    out: Out,
    metric: Metric = None,
    rate_again: Again = False,
    recipe: Recipe = None,
    as_json: Json = False,
) -> int:
    """Results of unitxt 1.26: *_samples.json."""
    from ...integrations.importing.unitxt import unitxt_source

    return _import(unitxt_source(folder), out, metric, rate_again, recipe, as_json)


def _import(
    source: HarnessOutput, out: Path, metric: list[str] | None, again: bool, recipe: str | None, as_json: bool
) -> int:
    from ...integrations.importing import import_results

    done = import_results(source, out, metrics=metric or (), again=again, recipe=recipe, tell=say)
    for note in done.notes:
        console.say_in_columns(note)
    if as_json:
        emit(done.as_dict())
    else:
        console.show_summary(done.analysis)
        say(_summary_line(done))
    return 1 if done.failed else 0


def _summary_line(done: Imported) -> str:
    rated = done.rating if isinstance(done.rating, str) else "in part rated again"
    return (
        f"{done.results} results of {done.harness}, {len(done.models)} models, "
        f"{len(done.datasets)} data sets, {done.configurations} configurations; scores: {rated}. "
        f"The run: {done.run}"
    )


@guarded
def lm_eval_path(
    recipes: Annotated[
        list[str] | None,
        typer.Argument(
            help="Recipe files of your own, beside the shipped ones and plugins'.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the folder here, not in your cache.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """Print a folder with the studies as lm-eval's tasks, for its --include_path; make it where needed."""
    from ...integrations.lm_eval.folder import cached, written
    from ...integrations.lm_eval.task_files import task_folder

    found = task_folder(recipes or ())
    for line in found.left_out:
        say(line)
    with writing(out or Path(".")):
        folder = cached(found.files) if out is None else written(out, found.files)
    if as_json:
        emit({"path": str(folder), "groups": list(found.groups), "tasks": list(found.tasks)})
    else:
        results().write(f"{folder}\n")
    return 0


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
    import yaml  # takes a fifth of the time of `torr --help`

    from ...integrations.helm.run_entries import conf, left_out, run_entries
    from ...integrations.helm.schema import schema_of

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
