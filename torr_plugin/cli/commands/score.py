"""``torr score``: predictions made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from ... import catalog
from ...core.atomic_files import write_named_file
from .. import console
from ..command import emit, guarded, say_in_columns
from .options import Json

if TYPE_CHECKING:
    from ...scoring import ScoreReport


@guarded
def score(
    card: Annotated[str, Option(help="The card whose questions were answered, e.g. cards.hctqa.real.")],
    predictions: Annotated[Path, Option(help="Parquet, CSV or JSONL: example, prediction[, model, config].")],
    by: Annotated[
        str | None,
        Option(help='Also score by group (source), property ("table:Row Nesting") or all (table:all).'),
    ] = None,
    out: Annotated[
        Path | None, Option(help="Also write the score of every example there, as Parquet.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Score predictions made elsewhere. They are compared with a card's references."""
    from ... import scoring  # takes a third of the time of `torr --help`

    report = scoring.score_predictions(catalog.load_card(card), predictions, by=by)
    say_in_columns(*report.notes)
    if out is not None:
        write_named_file(out, report.frame.to_parquet(index=False))
    emit(_record(report, by)) if as_json else _show(report)
    return 0


def _record(found: ScoreReport, by: str | None) -> dict[str, Any]:
    """The figures for ``--json``, by metric; of several models and configurations also of each of them."""
    whole = {**found.metrics, **({"by": {by: found.groups}} if by else {})}
    if len(found.by_model) == 1:
        return whole
    models = [
        {
            "model": of[0],
            "config": of[1],
            "metrics": figures,
            **({"by": {by: found.groups_by_model[of]}} if by else {}),
        }
        for of, figures in found.by_model.items()
    ]
    return {**whole, "models": models}


def _show(report: ScoreReport) -> None:
    """A row a score with its interval, by model, and by group."""
    groups = report.groups_by_model or dict.fromkeys(report.by_model, report.groups)
    rows = [
        {"of": ", ".join(of), "group": group, **_row(metric, figure)}
        for of, whole in report.by_model.items()
        for group, figures in {"": whole, **groups[of]}.items()
        for metric, figure in figures.items()
    ]
    left_out = {"of"} if len(report.by_model) == 1 else set()
    left_out |= {name for name in ("group", "normal interval", "deff") if not any(row[name] for row in rows)}
    shown = [{name: cell for name, cell in row.items() if name not in left_out} for row in rows]
    console.print_rows(shown, left=("of", "group", "metric"))


def _row(metric: str, figure: Mapping[str, Any]) -> dict[str, Any]:
    low, high = figure["normal"]["low"], figure["normal"]["high"]
    effect = figure.get("design_effect")
    return {
        "metric": metric,
        **{key: f"{figure[key]:.4f}" for key in ("value", "low", "high")},
        # a formula that promises scores beyond 0 and 1 says nothing here
        "normal interval": f"[{low:.4f}, {high:.4f}]" if low >= 0 and high <= 1 else "",
        "n": figure["n"],
        "deff": "" if effect is None else f"{effect:.2f}",  # narrow: a terminal has 80 columns
    }
