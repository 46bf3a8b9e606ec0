"""``torr run`` and ``quickstart``: a study from its recipe to its analysis."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from ... import analysis, leaderboard, recipes, running, workflows
from ...core.errors import InputError
from ...core.yaml_files import read_yaml_file
from .. import console
from ..command import INPUT_WRONG, check_folder, emit, guarded, say, say_in_columns
from .options import ExecutorName, Json, RecipeArgument, RetryFailed, StudyOptions
from .status import show_end

if TYPE_CHECKING:
    from ...running import RunSummary


@guarded
def run(
    ctx: typer.Context,
    recipe: RecipeArgument,
    options: StudyOptions,
    executor: Annotated[
        ExecutorName | None, Option(help="Run models in this process, or on Ray.  [default: local]")
    ] = None,
    ray_address: Annotated[
        str | None,
        Option(help="Use this running Ray cluster: auto, or host:port. Implies --executor ray."),
    ] = None,
    ray_runtime_env: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="YAML of Ray's runtime environment for the models: env_vars, pip, ... Implies --executor "
            "ray.",
        ),
    ] = None,
    retry_failed: RetryFailed = False,
    mix_versions: Annotated[
        bool,
        Option(
            "--mix-versions", help="Resume although an engine (vllm, torch, ...) was updated in the meantime."
        ),
    ] = False,
    reuse: Annotated[
        list[Path] | None, Option(metavar="RUN", help="Take answers from this earlier run; repeatable.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Run a study: ask, score, analyse. Run again to resume."""
    study = options.study(recipe)
    models, notes = recipes.with_known_prices(options.entries(ctx, study.models))
    if not models:
        raise InputError(
            "no model: name one by --model (as in lm-eval) or a file of them by --models, or in the recipe "
            "under 'models'"
        )
    where = _where(executor, ray_address, ray_runtime_env)
    out = options.run_directory(study)
    running.check_models(study.judges, here=False)  # before the models are asked
    notes += running.key_lines([*models, *study.judges])
    say_in_columns(*notes, *workflows.judging.check_judges(study.judges, models, out))
    summary, analysed, judged = workflows.study.run_study(
        study,
        models,
        out,
        limit=options.limit,
        executor=where,
        retry_failed=retry_failed,
        mix_versions=mix_versions,
        reuse=reuse or (),
        progress=console.run_progress,
        tell=say_in_columns,
    )
    if as_json:
        judges = {each.metric or each.judge: each.overall for each in judged}
        emit({**_outcome(summary), **({"judges": judges} if judges else {})})
    else:
        console.show_summary(analysed)
    show_end(running.run_status(summary.run), {entry.label for entry in models}, table=not as_json)
    if not as_json:
        say(f"The run: {summary.run}; its site: torr publish {quote(str(summary.run))}")
    failed = summary.failed or any(each.failed for each in judged)
    return INPUT_WRONG if summary.unloaded else 1 if failed else 0


def _where(
    executor: ExecutorName | None, address: str | None, runtime_env: Path | None
) -> str | running.RayCluster:
    """Where the models run: in this process, on a Ray of this machine, or on a cluster."""
    if address is None and runtime_env is None:
        return executor or "local"
    if executor == "local":
        raise InputError("--executor: found local with an option of Ray's; expected ray, or none")
    env = None if runtime_env is None else read_yaml_file(runtime_env, "Ray's runtime environment").data
    return running.RayCluster(address, env)


def _outcome(summary: RunSummary) -> dict[str, Any]:
    """The result of a run for ``--json``."""
    return {
        "run": summary.run,
        "requests": summary.requests,
        "answered": summary.answered,
        "failed": summary.failed,
        "seconds": round(summary.seconds, 3),
        "reused": summary.reused,
        "unloaded": summary.unloaded,
    }


@guarded
def quickstart(
    out: Annotated[Path, Option(help="Where the site goes.")] = Path("site"),
    run_dir: Annotated[Path, Option("--run", help="Where the run goes.")] = Path("runs/quickstart"),
    as_json: Json = False,
) -> int:
    """Run the embedded study: from bundled tables to a site. It asks embedded baselines."""
    leaderboard.check_site_folder(out, [run_dir])
    check_folder(out)
    study = recipes.load("quickstart")
    summary, analysed, _ = workflows.study.run_study(
        study, study.models, run_dir, progress=console.run_progress, tell=say_in_columns
    )
    with console.counting("pages and examples") as progress:
        page = leaderboard.build_site([run_dir], out, progress=progress)
    if as_json:
        emit({**_outcome(summary), "site": str(out)})
    else:
        console.show_summary(analysed)
        console.show_lines(analysis.main_findings(analysed))
        say(f"The leaderboard: {page}")
        say(f"The run, every prompt and answer in Parquet: {summary.run}")
    return 1 if summary.failed else 0
