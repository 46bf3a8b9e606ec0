"""``torr rate``: ratings of models from battles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ... import running
from ...analysis import ratings
from ...core.atomic_files import check_result_folder, make_directory, write_atomically
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
            "level, judge and order where known.",
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
    as_json: Json = False,
) -> int:
    """Rate models from battles: Elo and Bradley-Terry with intervals, ranks, tiers and win rates."""
    running.refuse_foreign_run(out)
    check_result_folder(out, FILE, "earlier ratings")
    check_folder(out)
    options = ratings.RatingOptions(
        resamples, level, seed, baseline, tuple(style or ()), clustered=not unclustered
    )
    found = ratings.rate_file(battles, options)
    with writing(out):
        make_directory(out)
        write_atomically(out / FILE, found.model_dump_json(indent=1, exclude_unset=True).encode())
    if as_json:
        emit(found.model_dump(mode="json", exclude_unset=True))
        return 0
    console.show_ratings(found)
    say(f"All ratings: {out / FILE}")
    return 0
