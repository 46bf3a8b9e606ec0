"""The ``torr`` command: every stage from the shell. Stages are imported where a command uses them."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .command import OrderedCommand, command_app, emit, guarded, paired, run_app, say, writing
from .judge_command import judge
from .synth_command import app as synth_app

if TYPE_CHECKING:
    from .recipes import ModelEntry, Recipe
    from .running import Summary

app = command_app(
    "How well do language models read tables, how much does it depend on the way a table is written down, "
    "and which differences are real?"
)
app.add_typer(synth_app, name="synth")
app.command()(judge)


class Measure(str, Enum):
    """How the reliability of a ranking is measured."""

    generalizability = "generalizability"
    w = "w"


class Executor(str, Enum):
    """Where the models run."""

    local = "local"
    ray = "ray"


RecipeArgument = Annotated[
    str, typer.Argument(help="A recipe file (YAML), or the name of a shipped one.", show_default=False)
]
Json = Annotated[
    bool, typer.Option("--json", help="Print the result as one JSON object on stdout, nothing else there.")
]
Limit = Annotated[
    int | None, typer.Option(min=1, help="At most so many examples a data set.", show_default=False)
]
Cards = Annotated[
    str | None,
    typer.Option(help="Some of the recipe's cards alone, e.g. scigen,wikitq.", show_default=False),
]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", help="A model as lm-eval names it; may be repeated.", show_default=False),
]
ModelArgs = Annotated[
    list[str] | None,
    typer.Option(
        "--model-args",
        help="lm-eval's arguments of the model named before, e.g. pretrained=...",
        show_default=False,
    ),
]


@app.command()
@guarded
def quickstart(
    out: Annotated[Path, typer.Option(help="Where the site goes.")] = Path("site"),
    run_dir: Annotated[Path, typer.Option("--run", help="Where the run goes.")] = Path("runs/quickstart"),
    as_json: Json = False,
) -> int:
    """Run the embedded study: bundled tables, embedded baselines, a site at ./site."""
    from .console import show_summary
    from .leaderboard import build_site
    from .recipes import load, plan
    from .study import run_study

    planned = plan(load("quickstart"))
    summary, analysis = run_study(planned, planned.recipe.models, run_dir)
    page = build_site([run_dir], out)
    if as_json:
        emit({**_summary(summary), "site": str(out)})
    else:
        show_summary(analysis)
        say(f"The leaderboard: {page}")
        say(f"The run, every prompt and answer in Parquet: {summary.run}")
    return 1 if summary.failed else 0


@app.command(cls=OrderedCommand)
@guarded
def run(
    ctx: typer.Context,
    recipe: RecipeArgument,
    model: Models = None,
    model_args: ModelArgs = None,
    executor: Annotated[Executor, typer.Option(help="In this process, or on Ray.")] = Executor.local,
    out: Annotated[
        Path | None, typer.Option(help="The run directory.  [default: runs/<name>]", show_default=False)
    ] = None,
    limit: Limit = None,
    cards: Cards = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what failed in an earlier run.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Run a study: prompts, answers, scores and analysis in one directory. Run again to resume."""
    from .console import show_failures, show_summary
    from .recipes import load, plan, with_cards
    from .study import run_study

    loaded = with_cards(load(recipe), cards)
    models = _models(loaded, model or [], model_args or [], paired(ctx, "model", "model_args"))
    planned = plan(loaded, limit=limit)
    summary, analysis = run_study(
        planned,
        models,
        out or Path("runs") / loaded.name,
        executor=executor.value,
        retry_failed=retry_failed,
    )
    if as_json:
        emit(_summary(summary))
    else:
        show_summary(analysis)
        say(f"The run: {summary.run}; its site: python -m torr_plugin.leaderboard {summary.run} --out site")
    if summary.failed:
        show_failures(summary)
    return 1 if summary.failed else 0


def _models(recipe: Recipe, names: list[str], args: list[str], has_args: list[bool]) -> list[ModelEntry]:
    """The models to ask: those of the command line, each with the arguments behind it, else the recipe's."""
    from .errors import InputError
    from .recipes import described_as, labelled, model_entry

    left = iter(args)
    given = [model_entry(name, next(left) if has else "") for name, has in zip(names, has_args, strict=True)]
    entries = labelled(described_as(given, labelled(recipe.models)) or recipe.models)
    if not entries:
        raise InputError("no model: name one by --model (as in lm-eval), or in the recipe under 'models'")
    return list(entries)


def _summary(summary: Summary) -> dict[str, Any]:
    return {
        "run": str(summary.run),
        "requests": summary.requests,
        "answered": summary.answered,
        "failed": summary.failed,
        "seconds": round(summary.seconds, 3),
    }


@app.command()
@guarded
def plan(recipe: RecipeArgument, limit: Limit = None, cards: Cards = None, as_json: Json = False) -> int:
    """Show what would run: configurations, prompts and tokens per data set. Calls no model."""
    from . import recipes
    from .console import show_plan

    planned = recipes.plan(recipes.with_cards(recipes.load(recipe), cards), limit=limit)
    rows = recipes.summary(planned)
    if as_json:
        emit({"datasets": rows, "notes": list(planned.notes)})
    else:
        show_plan(rows, planned.notes)
    return 0


@app.command()
@guarded
def prompts(
    recipe: RecipeArgument,
    out: Annotated[Path, typer.Option(help="A .parquet or .jsonl file.", show_default=False)],
    limit: Limit = None,
    cards: Cards = None,
    as_json: Json = False,
) -> int:
    """Write the expanded prompts of a study to Parquet or JSONL. Calls no model."""
    from . import recipes

    planned = recipes.plan(recipes.with_cards(recipes.load(recipe), cards), limit=limit)
    with writing(out):
        recipes.write_prompts(planned, out)
    if as_json:
        emit({"out": str(out), "prompts": planned.size})
    else:
        say(f"{planned.size} prompts in {out}")
    return 0


@app.command()
@guarded
def score(
    card: Annotated[
        str, typer.Option(help="The card the predictions answer, e.g. cards.hctqa.real.", show_default=False)
    ],
    predictions: Annotated[
        Path,
        typer.Option(
            help="Parquet, CSV or JSONL (also .gz): example, prediction[, model, config].", show_default=False
        ),
    ],
    by: Annotated[
        str | None,
        typer.Option(
            help='Also per group (source), property ("table:Row Nesting") or all properties (table:all).',
            show_default=False,
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            help="Metrics to rate by instead of the card's, e.g. hctqa_vision; commas between.",
            show_default=False,
        ),
    ] = None,
    example_column: Annotated[
        str | None, typer.Option(help="The column with example ids, if not 'example'.", show_default=False)
    ] = None,
    prediction_column: Annotated[
        str | None, typer.Option(help="The column with answers, if not 'prediction'.", show_default=False)
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 1000,
    out: Annotated[
        Path | None,
        typer.Option(help="Also write the scores of every example there (Parquet).", show_default=False),
    ] = None,
    as_json: Json = False,
) -> int:
    """Score predictions made elsewhere against a card's references."""
    from .catalog import load_card, with_metrics
    from .console import show_scores
    from .scoring import score_predictions

    report = score_predictions(
        with_metrics(load_card(card), [name.strip() for name in metrics.split(",")] if metrics else None),
        predictions,
        example_column=example_column,
        prediction_column=prediction_column,
        by=by,
        resamples=resamples,
    )
    for line in report.notes:
        say(line)
    if as_json and len(report.by_model) > 1:
        say(f"the figures are over all {len(report.by_model)} models and configurations of the file together")
    if out is not None:
        with writing(out), out.open("wb") as file:
            report.frame.to_parquet(file, index=False)
    if as_json:
        emit({**report.metrics, **({"by": {by: report.groups}} if by else {})})
    else:
        show_scores(report)
    return 0


@app.command()
@guarded
def analyse(
    scores: Annotated[
        Path,
        typer.Argument(help="A run directory, or a scores file (Parquet, CSV, JSONL).", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="Where analysis.json goes.", show_default=False)],
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 1000,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Level of the intervals.")] = 0.95,
    two_way: Annotated[bool, typer.Option("--two-way", help="Resample configurations too.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the resamples.")] = 0,
    models: Annotated[
        Path | None,
        typer.Option(
            help="A YAML list of models: name, and any of family, size (billions of parameters) and open.",
            show_default=False,
        ),
    ] = None,
    card: Annotated[
        list[str] | None,
        typer.Option(
            help="The card of a data set in a scores file: scores by its examples' properties. Repeatable.",
            show_default=False,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="This metric's scores rather than each data set's main one.", show_default=False),
    ] = None,
    charts: Annotated[
        bool, typer.Option(help="Draw every figure as SVG and PNG; takes some seconds.")
    ] = True,
    as_json: Json = False,
) -> int:
    """Analyse scores, from here or elsewhere: every figure with its interval, as JSON, tables and charts."""
    from .analysis import analyse as analyse_frame
    from .analysis import findings, write_analysis
    from .console import say_in_columns, show_lines, show_summary
    from .made_scores import models_at, scores_at, told_at

    frame, keeps_labels = scores_at(scores)
    result = analyse_frame(
        frame,
        resamples=resamples,
        level=level,
        two_way=two_way,
        seed=seed,
        keeps_labels=keeps_labels,
        models=models_at(scores, models),
        metric=metric,
        **told_at(scores, card or ()),
    )
    with writing(out):
        written = write_analysis(result, out, charts=charts)
    if as_json:
        emit(result)
    else:
        show_summary(result)
        show_lines(findings(result))
    for line in written.left_out:
        say_in_columns(line)
    if not as_json:
        where = f"; as charts: {out / 'charts'}" if charts else ""
        say(f"Every figure: {out / 'analysis.json'}; as tables: {out}/*.csv{where}")
    return 0


@app.command()
@guarded
def budget(
    scores: Annotated[
        Path,
        typer.Argument(help="A run directory, or a scores file (Parquet, CSV, JSONL).", show_default=False),
    ],
    target: Annotated[float, typer.Option(help="The wished reliability, between 0 and 1.")] = 0.9,
    measure: Annotated[
        Measure,
        typer.Option(help="The generalizability coefficient, or the expected Kendall's W of ten rankings."),
    ] = Measure.generalizability,
    dataset: Annotated[
        str | None, typer.Option(help="One data set alone, not the mean over all.", show_default=False)
    ] = None,
    label_keeping: Annotated[
        bool, typer.Option("--label-keeping", help="Only perturbations under which the labels stay true.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the intervals.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Also write the result there, as JSON.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """Say how many configurations and examples a ranking of a wished reliability needs, and their cost."""
    from .budgeting import budget_report, sections, write_report
    from .console import show_sections
    from .made_scores import scores_at

    frame, keeps_labels = scores_at(scores)
    report = budget_report(
        scores,
        frame,
        keeps_labels,
        target=target,
        measure=measure.value,
        dataset=dataset,
        kept_labels_only=label_keeping,
        seed=seed,
    )
    if out is not None:
        with writing(out):
            write_report(report, out)
    if as_json:
        emit(report)
    else:
        show_sections(sections(report), left=())
    for text in report["notes"]:
        say(text)
    return 0


@app.command()
@guarded
def properties(
    card: Annotated[
        str,
        typer.Argument(
            help="A card, e.g. cards.hctqa.real, or a tables.parquet that torr synth wrote.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Also write properties.parquet, .csv and agreement.csv there.", show_default=False),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many tables.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """Detect HCT-QA's table properties, and compare them with the data set's own annotation."""
    from . import properties_report as report_of
    from .console import say_in_columns, show_sections

    report = report_of.properties_report(card, limit)
    if out is not None:
        with writing(out):
            report_of.write(report, out)
    if as_json:
        emit(report_of.as_json(report))
    else:
        show_sections(
            [(f"{len(report.tables)} tables of {Path(card).name}", report_of.rows(report))],
            left=("property",),
        )
    for line in report.notes:
        say_in_columns(line)
    return 0


@app.command("list")
@guarded
def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            help="cards, recipes, serializers, perturbations, designs, metrics, models or plugins.",
            show_default=False,
        ),
    ],
    as_json: Json = False,
) -> int:
    """List what there is: cards, recipes, serializers, perturbations, designs, metrics, models, plugins."""
    from .console import show_listing
    from .listing import listing

    rows = listing(kind)
    if as_json:
        emit({kind: rows})
    else:
        show_listing(kind, rows)
    return 0


def main() -> None:
    """Entry point of the ``torr`` command."""
    run_app(app)


if __name__ == "__main__":
    main()
