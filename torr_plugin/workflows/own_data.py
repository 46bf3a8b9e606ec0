"""``torr data make``: a data set of the user's own tables, rated by a metric that they may name."""

from __future__ import annotations

from pathlib import Path

from ..catalog import load_card
from ..catalog.own_tables import AnswerMetric, DataAndCard, Tables, make_data_set
from ..core.errors import InputError
from ..scoring.metrics import metrics
from ..scoring.metrics.unitxt import PREFIX


def make_own_data(
    name: str,
    questions: Path,
    tables: Tables,
    mirror: Path,
    *,
    licence: str,
    metric: str | None = None,
    decimal_mark: str = ".",
) -> tuple[DataAndCard, list[str]]:
    """Make a data set, as :func:`torr_plugin.catalog.own_tables.make_data_set`; card and recipe lie here.

    Args:
        name: of the data set.
        questions: their file.
        tables: that they are about.
        mirror: where the data go.
        licence: of the tables.
        metric: the name of one; None for what fits the answers.
        decimal_mark: of numbers that can be read in two ways.

    Returns:
        The files, and remarks for the user.

    Raises:
        InputError: a file is wrong, or the metric needs more than answers.
    """
    data = make_data_set(
        name,
        questions,
        tables,
        mirror,
        beside=Path(),
        licence=licence,
        metric=None if metric is None else _answer_metric(metric),
        decimal_mark=decimal_mark,
    )
    return data, [*(_other_card(data, decimal_mark) if data.card in data.kept else ()), *data.notes]


def _other_card(data: DataAndCard, decimal_mark: str) -> list[str]:
    """A note on an existing card that lacks columns of the data, or has another metric or decimal mark."""
    try:
        card = load_card(data.card)
    except InputError:  # reported when it is used
        return []
    mark = card.reading.facts.get("decimal_mark")
    has_points = decimal_mark != "." and (mark is None or mark.default != decimal_mark)
    unread = set(data.columns) - set(getattr(card.loader, "columns", data.columns))
    if not unread and card.main_metric == data.metric and not has_points:
        return []
    without = f" and without {', '.join(sorted(unread))}" if unread else ""
    without += f", and without --decimal-mark {decimal_mark}" if has_points else ""
    return [
        f"{data.card}: left as found, with the metric {card.main_metric}{without}; edit it, or remove it to "
        "have it made again"
    ]


def _answer_metric(name: str) -> AnswerMetric:
    """A metric by its name, for a card; refuses one that needs more than answers."""
    metric = metrics.get(name)
    if metric.needs:
        raise InputError(
            f"--metric: {name} needs {', '.join(metric.needs)} of each example, which tables lack"
        )
    if metric.name.startswith(PREFIX):
        return AnswerMetric(metric.name.removeprefix(PREFIX), metric.main)
    return AnswerMetric.ours(metric.name, metric.main)
