"""``torr import``, ``torr lm-eval-path``, ``torr helm-entries``: from and to other harnesses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from ...core.atomic_files import write_named_file
from .. import console
from ..command import emit, guarded, say, say_in_columns
from ..results import results
from .options import Json


@guarded
def import_results(
    harness: Annotated[
        Literal["helm", "lm-eval", "unitxt", "inspect", "eee"],
        Argument(
            help="Whose results: HELM 0.5, lm-eval 0.4, unitxt 1.26, inspect_ai, or Every Eval Ever 0.3."
        ),
    ],
    folder: Annotated[Path, Argument(help="The folder that the harness wrote.")],
    out: Annotated[Path, Option(help="The run directory to make.")],
    metric: Annotated[
        list[str] | None,
        Option(
            metavar="NAME",
            help="The main metric, for results of other studies than ours. Repeatable: each data set takes "
            "the first that it has.",
        ),
    ] = None,
    rate_again: Annotated[
        bool, Option("--rate-again", help="Score again with our card of the data set, where there is one.")
    ] = False,
    recipe: Annotated[
        str | None, Option(help="The recipe of the study, if it is your own file.", metavar="FILE")
    ] = None,
    study: Annotated[str | None, Option(metavar="NAME", help="Only the results of this study.")] = None,
    as_json: Json = False,
) -> int:
    """Turn the results of another harness into a run.

    Every analysis works on it. Of helm the folder is benchmark_output, one of its suites, or one run; of
    lm-eval and unitxt what lm_eval and unitxt-evaluate wrote with --output_path and --log_samples; of
    inspect a folder of logs, .eval or .json; of eee one with instances.
    """
    from ...integrations.importing import import_results as imported
    from ...integrations.logs import readers

    done = imported(
        readers.get(harness).read(folder),
        out,
        metrics=metric or (),
        again=rate_again,
        recipe=recipe,
        study=study,
        tell=say,
    )
    report = done.report
    say_in_columns(*report["notes"])
    if as_json:
        emit(report)
    else:
        console.show_summary(done.analysis)
        rated = report["scores"] if isinstance(report["scores"], str) else "in part rated again"
        say(
            f"{report['results']} results of {report['harness']}, {len(report['models'])} models, "
            f"{len(report['datasets'])} data sets, {report['configurations']} configurations; "
            f"scores: {rated}. The run: {report['run']}"
        )
    return 1 if report["failed"] else 0


@guarded
def lm_eval_path(
    recipes: Annotated[
        list[str] | None, Argument(help="Your own recipe files, beside the shipped ones and plugins'.")
    ] = None,
    out: Annotated[Path | None, Option(help="Write the folder here instead of in your cache.")] = None,
    as_json: Json = False,
) -> int:
    """Print the path of our studies as lm-eval tasks. It is for lm_eval's --include_path."""
    from ...integrations.lm_eval.task_files import task_folder, written

    found = task_folder(recipes or ())
    for line in found.left_out:
        say(line)
    folder = written(found.files, out)
    if as_json:
        emit({"path": folder, "groups": found.groups, "tasks": found.tasks})
    else:
        results().write(f"{folder}\n")
    return 0


@guarded
def helm_entries(
    studies: Annotated[list[str], Argument(metavar="STUDY", help="Recipes, by name or file.")],
    model: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="By HELM's name, e.g. torr/lexical; else helm-run's --models-to-run."),
    ] = None,
    chat: Annotated[bool, Option("--chat", help="Ask in chat messages instead of one text.")] = False,
    out: Annotated[Path | None, Option(help="The file of run entries (.conf).")] = None,
    as_json: Json = False,
) -> int:
    """Write studies as HELM run entries. They are for helm-run --conf-paths."""
    from ...integrations.helm.run_entries import conf, left_out, run_entries

    entries = run_entries(studies, model or (), chat=chat)
    for study in studies:
        if shown := left_out(study):
            some = ", ".join(shown[:3]) + (", ..." if len(shown) > 3 else "")
            say(f"{study}: {len(shown)} configurations show pictures and are left out: {some}")
    if out is not None:
        write_named_file(out, conf(entries).encode())
    if as_json:
        emit({"out": out, "entries": entries})
    elif out is None:
        results().write(conf(entries))
    else:
        say(f"{len(entries)} run entries in {out}")
    return 0
