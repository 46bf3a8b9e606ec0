"""``torr analyse``: every figure of a study's scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from ... import analysis, workflows
from ...analysis import ratings
from .. import console
from ..command import check_out, emit, guarded, say, say_in_columns
from .options import Json, ModelFacts


@guarded
def analyse(
    scores: Annotated[
        list[Path],
        Argument(
            metavar="SCORES",
            help="A run, or several of one study; or scores files (Parquet, CSV, JSONL).",
        ),
    ],
    out: Annotated[Path, Option(help="Where analysis.json goes.")],
    resamples: Annotated[int, Option(min=1, max=100_000, help="Bootstrap resamples.")] = 1000,
    level: Annotated[float, Option(min=0.5, max=0.999, help="Level of the intervals.")] = 0.95,
    seed: Annotated[int, Option(help="Seed of the resamples.")] = 0,
    models: ModelFacts = None,
    card: Annotated[list[str] | None, Option(help="Of a scores file's data set: splits by property.")] = None,
    metric: Annotated[str | None, Option(help="Analyse this metric instead of the main ones.")] = None,
    charts: Annotated[bool, Option(help="Also draw every figure as SVG.")] = True,
    chart_format: Annotated[
        Literal["svg", "png", "pdf", "all"], Option(help="Of the charts; all: of each one the three.")
    ] = "svg",
    as_json: Json = False,
) -> int:
    """Analyse scores: every figure with its interval. From here or elsewhere; as JSON, tables and charts."""
    check_out(out, scores if len(scores) == 1 else [], "analysis.json", "earlier analysis")
    result = workflows.scores.analyse_scores(
        *scores,
        tell=say_in_columns,
        models=models,
        cards=card or (),
        resamples=resamples,
        level=level,
        seed=seed,
        metric=metric,
    )
    formats: tuple[Literal["svg", "png", "pdf"], ...] = ("svg", "png", "pdf")
    if chart_format != "all":
        formats = (chart_format,)
    written = analysis.write_analysis(result, out, charts=formats if charts else ())
    if len(scores) == 1:
        options = ratings.RatingOptions(max(resamples, 2), level, seed)
        workflows.judging.rate_run(scores[0], out, options, say_in_columns)
    if as_json:
        emit(result.to_json())
    else:
        console.show_summary(result)
        console.show_lines(analysis.findings(result))
    if written.left_out:
        left_out = out / "charts" / analysis.LEFT_OUT
        say(f"Some charts are left out; {left_out} says which and why")
    if not as_json:
        where = f"; as charts: {out / 'charts'}" if charts else ""
        say(f"Every figure: {out / 'analysis.json'}; as tables: {out}/*.csv{where}")
    return 0
