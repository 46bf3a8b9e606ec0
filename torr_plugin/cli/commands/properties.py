"""``torr properties``: the properties of a data set's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..command import emit, guarded, writing
from .options import Json


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
    from ...workflows import properties as report_of
    from ..console import say_in_columns, show_sections

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
