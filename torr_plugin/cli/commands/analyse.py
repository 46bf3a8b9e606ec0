"""``torr analyse``: every figure of a study's scores. ``torr budget``: what a reliable ranking needs."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from ... import analysis, running, workflows
from ...analysis import ratings
from ...core.atomic_files import check_result_folder
from ...core.errors import InputError
from .. import console
from ..command import check_folder, emit, guarded, say, writing
from .options import Json, ScoresArgument, ScoresArguments


@guarded
def analyse(
    scores: ScoresArguments,
    out: Annotated[Path, typer.Option(help="Where analysis.json goes.")],
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 1000,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Level of the intervals.")] = 0.95,
    two_way: Annotated[bool, typer.Option("--two-way", help="Resample configurations too.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the resamples.")] = 0,
    models: Annotated[
        Path | None,
        typer.Option(
            help="A YAML list of models: name, and any of family, size (billions of parameters) and open."
        ),
    ] = None,
    card: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CARD",
            help="For a scores file: the card of a data set, to split its scores by properties; repeatable.",
        ),
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="Analyse this metric instead of each data set's main one.")
    ] = None,
    charts: Annotated[
        bool, typer.Option(help="Also draw every figure as SVG, PNG and PDF, which takes some seconds.")
    ] = True,
    as_json: Json = False,
) -> int:
    """Analyse scores, from here or elsewhere: every figure with its interval, as JSON, tables and charts."""
    # the figures are shared out among threads; of its own, OpenBLAS starts more, which only get in their way
    # (it reads this when numpy is imported, which whatever opens a run does)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _check_out(out, scores)
    # the processes that draw start up, and draw what is computed, while other figures are being computed
    with analysis.chart_workers(None if charts else 0) as workers:
        result = workflows.analyse_scores(
            *scores,
            tell=console.say_in_columns,
            models=models,
            cards=card or (),
            resamples=resamples,
            level=level,
            two_way=two_way,
            seed=seed,
            metric=metric,
            computed=analysis.ChartsAhead(workers),
        )
        with writing(out):
            written = analysis.write_analysis(result, out, charts=charts, workers=workers)
            if len(scores) == 1:
                options = ratings.RatingOptions(max(resamples, 2), level, seed)
                workflows.rate_run(scores[0], out, options, console.say_in_columns)
    if as_json:
        emit(result.to_json())
    else:
        console.show_summary(result)
        console.show_lines(analysis.findings(result))
        console.show_designs(result)
    _say_left_out(written.left_out, out)
    if not as_json:
        where = f"; as charts: {out / 'charts'}" if charts else ""
        say(f"Every figure: {out / 'analysis.json'}; as tables: {out}/*.csv{where}")
    return 0


def _check_out(out: Path, scores: Sequence[Path]) -> None:
    """Refuse to write into another run than the one analysed, or among other files."""
    own = list(scores) if len(scores) == 1 else []
    running.refuse_foreign_run(out, own)
    if out.resolve() not in {run.resolve() for run in own}:
        check_result_folder(out, "analysis.json", "earlier analysis")
    check_folder(out)


def _say_left_out(lines: Sequence[str], out: Path) -> None:
    """Say which charts there are none of: the one reason, or where the reasons are."""
    if len(lines) > 1:
        names = sum(line.partition(": ")[0].count(",") + 1 for line in lines)
        say(f"{names} charts are left out; {out / 'charts' / analysis.LEFT_OUT} says which and why")
    for line in lines if len(lines) == 1 else ():
        console.say_in_columns(line)


class Measure(str, Enum):
    """How the reliability of a ranking is measured."""

    generalizability = "generalizability"
    w = "w"


@guarded
def budget(
    scores: ScoresArgument,
    target: Annotated[
        float | None,
        typer.Option(help="The reliability that the ranking should have, from 0 to 1.  [default: 0.9]"),
    ] = None,
    measure: Annotated[
        Measure | None,
        typer.Option(
            help="The generalizability coefficient, or the expected Kendall's W of ten rankings.  "
            "[default: generalizability]"
        ),
    ] = None,
    detect: Annotated[
        float | None,
        typer.Option(
            help="Plan to detect this difference between two models, e.g. 0.02, instead of a reliability."
        ),
    ] = None,
    power: Annotated[
        float | None, typer.Option(help="The share of studies that should detect it.  [default: 0.8]")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Plan for this data set alone, not for the mean over all.")
    ] = None,
    label_keeping: Annotated[
        bool,
        typer.Option("--label-keeping", help="Use only perturbations under which the answers stay right."),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the intervals.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Also write the result there, as JSON.")] = None,
    as_json: Json = False,
) -> int:
    """Say how many configurations and examples it takes to rank models reliably, or to tell two apart."""
    _refuse_mixed(detect, power, target, measure)
    report = (
        workflows.budget_report(
            scores,
            target=0.9 if target is None else target,
            measure="w" if measure is Measure.w else "generalizability",
            dataset=dataset,
            kept_labels_only=label_keeping,
            seed=seed,
        )
        if detect is None
        else workflows.detection_report(
            scores,
            difference=detect,
            power=0.8 if power is None else power,
            dataset=dataset,
            kept_labels_only=label_keeping,
        )
    )
    if out is not None:
        with writing(out):
            text = json.dumps(report, ensure_ascii=False, allow_nan=False, indent=1)
            out.write_text(f"{text}\n", encoding="utf-8", errors="replace")
    if as_json:
        emit(report)
    elif detect is None:
        console.show_budget(report)
    else:
        console.show_detection(report)
    for text in report["notes"]:
        console.say_in_columns(text)
    return 0


def _refuse_mixed(
    detect: float | None, power: float | None, target: float | None, measure: Measure | None
) -> None:
    """Refuse both questions at once."""
    if detect is None and power is not None:
        raise InputError("--power: found without --detect; expected both, e.g. --detect 0.02 --power 0.8")
    if detect is not None and (target, measure) != (None, None):
        raise InputError("--detect: found with --target or --measure; expected one of the two questions")
