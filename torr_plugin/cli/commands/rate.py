"""``torr rate``: ratings of models from battles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ... import running, workflows
from ...analysis import ratings
from ...core.atomic_files import check_result_folder
from ...core.errors import InputError
from .. import console
from ..command import check_folder, emit, guarded, say, writing
from .options import Json

FILE = "ratings.json"


@guarded
def rate(
    battles: Annotated[
        Path,
        typer.Argument(
            metavar="BATTLES",
            help="Parquet, CSV or JSON lines: model_a, model_b, winner (model_a, model_b or tie); question, "
            "config, level, judge and order where known. Or a run with verdicts on pairs.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Where ratings.json goes.")],
    baseline: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="The model at 1000; else the one in every battle."),
    ] = None,
    resamples: Annotated[int, typer.Option(min=2, help="Bootstrap resamples of questions.")] = 1000,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the resamples.")] = 0,
    style: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Also rate at equal style: columns NAME_a and NAME_b, such as length; repeatable.",
        ),
    ] = None,
    unclustered: Annotated[
        bool, typer.Option("--unclustered", help="Take every battle for independent, to compare.")
    ] = False,
    judge: Annotated[
        str | None, typer.Option(metavar="NAME", help="Take this judge's verdicts alone.")
    ] = None,
    same: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JUDGE=MODEL",
            help="This judge is that contestant, under another name; repeatable. Of a run that is known.",
        ),
    ] = None,
    wished: Annotated[
        float,
        typer.Option(
            min=0.01, max=0.99, help="Say how many questions separate this share of the pairs of models."
        ),
    ] = 0.9,
    as_json: Json = False,
) -> int:
    """Rate models from battles: Elo and Bradley-Terry with intervals, ranks, tiers, win rates, judges."""
    _check_out(out, battles)
    options = ratings.RatingOptions(
        resamples,
        level,
        seed,
        baseline,
        tuple(style or ()),
        clustered=not unclustered,
        judge=judge,
        same=tuple(_contestant(each) for each in same or ()),
        wished=wished,
    )
    if battles.is_dir():
        options = workflows.with_contestants(battles, options)
    found = ratings.rate_file(battles, options)
    with writing(out):
        workflows.write_ratings(found, out)
    if as_json:
        emit(found.model_dump(mode="json", exclude_unset=True))
        return 0
    console.show_ratings(found)
    say(f"All ratings: {out / FILE}")
    return 0


def _check_out(out: Path, battles: Path) -> None:
    """Refuse to write into another run than the one rated, or among other files."""
    running.refuse_foreign_run(out, [battles])
    if out.resolve() != battles.resolve():
        check_result_folder(out, FILE, "earlier ratings")
    check_folder(out)


def _contestant(text: str) -> tuple[str, str]:
    judge, equals, model = text.partition("=")
    if not (judge and equals and model):
        raise InputError(f"--same: found {text!r}; expected JUDGE=MODEL")
    return judge, model
