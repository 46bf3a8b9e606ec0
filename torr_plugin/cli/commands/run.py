"""``torr run`` and ``quickstart``: a study from its recipe to its analysis."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import leaderboard, recipes, running, workflows
from ...core.errors import InputError
from ...core.yaml_files import read_yaml_file
from .. import console
from ..command import INPUT_WRONG, check_folder, emit, guarded, say
from .options import (
    Cards,
    Chat,
    ExecutorName,
    Gen,
    Json,
    Limit,
    ModelArgs,
    Models,
    Only,
    Pool,
    RecipeArgument,
    ReplicateCount,
    Replicates,
    RunOut,
    SendKey,
    TrustRemoteCode,
    models_of_line,
    study_of_line,
)
from .status import show_end

if TYPE_CHECKING:
    from ...running import RunSummary


ExecutorOption = Annotated[
    ExecutorName | None, typer.Option(help="Run models in this process, or on Ray.  [default: local]")
]
RayAddress = Annotated[
    str | None,
    typer.Option(help="Use this running Ray cluster: auto, or host:port. Implies --executor ray."),
]
RayRuntimeEnv = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="YAML of Ray's runtime environment for the models: env_vars, pip, ... Implies --executor ray.",
    ),
]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Send failed requests again.")]
MixVersions = Annotated[
    bool,
    typer.Option(
        "--mix-versions", help="Resume although an engine (vllm, torch, ...) was updated in the meantime."
    ),
]
Reuse = Annotated[
    list[Path] | None,
    typer.Option(metavar="RUN", help="Take answers from this earlier run; repeatable."),
]


@guarded
def run(
    ctx: typer.Context,
    recipe: RecipeArgument,
    model: Models = None,
    model_args: ModelArgs = None,
    models: Pool = None,
    only: Only = None,
    chat: Chat = None,
    gen: Gen = None,
    send_key: SendKey = None,
    trust_remote_code: TrustRemoteCode = False,
    executor: ExecutorOption = None,
    ray_address: RayAddress = None,
    ray_runtime_env: RayRuntimeEnv = None,
    out: RunOut = None,
    limit: Limit = None,
    cards: Cards = None,
    replicates: Replicates = None,
    replicate_count: ReplicateCount = None,
    retry_failed: RetryFailed = False,
    mix_versions: MixVersions = False,
    reuse: Reuse = None,
    as_json: Json = False,
) -> int:
    """Run a study: prompts, answers, scores and analysis in one directory. Run again to resume."""
    loaded = study_of_line(
        recipe, cards, replicates, replicate_count, send_key, trust_remote_code=trust_remote_code
    )
    entries = models_of_line(
        ctx,
        loaded.models,
        names=model,
        args=model_args,
        pool=models,
        only=only,
        chat=chat,
        gen=gen,
        send_key=send_key,
        trust_remote_code=trust_remote_code,
    )
    where = _where(len(entries), executor, ray_address, ray_runtime_env)
    running.check_models(loaded.judges, here=False)  # before the models are asked
    entries, notes = recipes.with_known_prices(entries)
    for line in [*notes, *running.key_lines([*entries, *loaded.judges])]:
        console.say_in_columns(line)
    for line in workflows.check_judges(loaded.judges, entries, out or Path("runs") / loaded.name):
        console.say_in_columns(line)
    folder = out or Path("runs") / loaded.name
    with running.exclusive(folder):  # one hold, so that no other command comes in before the judges
        summary, analysis = workflows.run_study(
            lambda: recipes.plan(loaded, limit=limit),
            entries,
            folder,
            executor=where,
            retry_failed=retry_failed,
            mix_versions=mix_versions,
            reuse=reuse or (),
            progress=console.RunProgress,
            tell=console.say_in_columns,
        )
        judged = workflows.judge_study(
            folder,
            loaded,
            executor=where,
            retry_failed=retry_failed,
            progress=console.RunProgress,
            tell=console.say_in_columns,
        )
    if as_json:
        judges = {getattr(each, "metric", each.judge): each.overall for each in judged}
        emit({**outcome(summary), **({"judges": judges} if judges else {})})
    else:
        console.show_summary(analysis)
    show_end(running.run_status(summary.run), {entry.label for entry in entries}, table=not as_json)
    if not as_json:
        say(f"The run: {summary.run}; its site: torr publish {quote(str(summary.run))}")
    failed = summary.failed or any(each.failed for each in judged)
    return INPUT_WRONG if summary.unloaded else 1 if failed else 0


def _where(
    models: int, executor: ExecutorName | None, ray_address: str | None, runtime_env: Path | None
) -> str | running.RayCluster:
    if not models:
        raise InputError(
            "no model: name one by --model (as in lm-eval) or a file of them by --models, or in the recipe "
            "under 'models'"
        )
    given = [("--ray-address", ray_address), ("--ray-runtime-env", runtime_env)]
    of_ray = [name for name, value in given if value]
    if of_ray and executor is ExecutorName.local:
        raise InputError(f"{of_ray[0]}: found with --executor local; expected --executor ray, or none")
    if not of_ray:
        return (executor or ExecutorName.local).value
    env = None if runtime_env is None else read_yaml_file(runtime_env, "Ray's runtime environment").data
    return running.RayCluster(ray_address, env)


def outcome(summary: RunSummary) -> dict[str, Any]:
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
    out: Annotated[Path, typer.Option(help="Where the site goes.")] = Path("site"),
    run_dir: Annotated[Path, typer.Option("--run", help="Where the run goes.")] = Path("runs/quickstart"),
    as_json: Json = False,
) -> int:
    """Run the embedded study: bundled tables, embedded baselines, a site at ./site."""
    leaderboard.check_site_folder(out, [run_dir])
    check_folder(out)
    planned = recipes.plan(recipes.load("quickstart"))
    summary, analysis = workflows.run_study(
        planned, planned.recipe.models, run_dir, progress=console.RunProgress, tell=console.say_in_columns
    )
    page = leaderboard.build_site([run_dir], out)
    if as_json:
        emit({**outcome(summary), "site": str(out)})
    else:
        console.show_summary(analysis)
        say(f"The leaderboard: {page}")
        say(f"The run, every prompt and answer in Parquet: {summary.run}")
    return 1 if summary.failed else 0
