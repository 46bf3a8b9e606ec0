"""Make a data set of the user's own tables, and say where an existing card or study does not fit it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .. import plugins, recipes
from ..catalog import Card, load_card
from ..catalog.loading import stream_rows
from ..catalog.own_tables import (
    AS_ONE_TEXT,
    TRAIN,
    AnswerMetric,
    OwnDataSet,
    Tables,
    TableShape,
    make_data_set,
)
from ..catalog.reading import read_rows
from ..catalog.schema.loaders import TableLoader
from ..core.errors import InputError
from ..core.text_files import TextFiles
from ..scoring.metrics import metrics, needs_of
from ..scoring.metrics.unitxt import PREFIX

if TYPE_CHECKING:
    from ..tables.workbooks import Formulas


def make_own_data(
    name: str,
    questions: Path,
    tables: Path,
    mirror: Path,
    *,
    licence: str = "unknown",
    metric: str | None = None,
    encoding: str | None = None,
    header_rows: int | None = None,
    header_columns: int | None = None,
    sheet: str = "",
    formulas: Formulas = "values",
    decimal_mark: str = ".",
) -> OwnDataSet:
    """Make a data set, its card and a first study in the current directory.

    Args:
        name: of the data set.
        questions: the file of questions; ``make_data_set`` has its columns.
        tables: the folder of tables.
        mirror: the folder that ``TORR_DATA`` names; the data goes into a folder in it.
        licence: of the tables.
        metric: the name of one; None for the one that fits the questions.
        encoding: of the CSV files; None to detect it.
        header_rows: rows of headings of every table; None for what is detected in a workbook, and else 1.
        header_columns: columns of headings of every table; None for what is detected, and else 0.
        sheet: of every workbook for which a question names none; empty for the first with a table.
        formulas: what to read of a formula whose value a workbook lacks.
        decimal_mark: ``.`` or ``,``, for the metric ``number_match``.

    Raises:
        InputError: the metric is unknown or needs more than answers, or as ``make_data_set``.
        OSError: a file cannot be written.
    """
    made = make_data_set(
        name,
        questions,
        Tables(tables, TextFiles(encoding), TableShape(header_rows, header_columns, sheet, formulas)),
        mirror,
        beside=Path(),
        licence=licence,
        metric=None if metric is None else _answer_metric(metric),
        decimal_mark=decimal_mark,
    )
    of_card = _unfit_card(made, mirror, metric) if made.card in made.kept else ()
    return replace(made, notes=(*of_card, *_unfit_demonstrations(made), *made.notes))


def _answer_metric(name: str) -> AnswerMetric:
    """A metric by its name, for a card.

    Raises:
        InputError: there is none, or it needs more than answers.
    """
    plugins.load()
    metric = metrics.get(name)
    needs = needs_of(metric)
    if needs:
        raise InputError(f"--metric: {name} needs {', '.join(needs)} of each example, which tables lack")
    if metric.name.startswith(PREFIX):
        return AnswerMetric(metric.name.removeprefix(PREFIX), metric.main)
    return AnswerMetric(f"metrics.torr.{metric.name}", metric.main)


def _unfit_card(made: OwnDataSet, mirror: Path, metric: str | None) -> Iterator[str]:
    """Notes on an existing card that cannot read the new data, or leaves out a part of them."""
    again = f"edit {made.card}, or remove it to have it made again"
    found = _card_of(made)
    if found is None:
        return
    card, loader = found
    try:
        rows = stream_rows(loader, card.test_split, card.name, mirror)
        next(read_rows(card.reading, rows, split=card.test_split, card=card.name), None)
    except InputError as error:
        yield f"{made.card}: left as found, but cannot read the data now: {error}; {again}"
        return
    unread = [name for name in made.columns if name not in loader.columns]
    if unread:
        yield f"{made.card}: left as found, but does not read {', '.join(unread)}; {again}"
    needs_another = card.main_metric in AS_ONE_TEXT and made.metric not in AS_ONE_TEXT
    if needs_another or (metric is not None and made.metric != card.main_metric):
        yield f"{made.card}: left as found, with the metric {card.main_metric}; {again}"


def _unfit_demonstrations(made: OwnDataSet) -> list[str]:
    """Notes on an existing card or recipe that does not fit the demonstrations of the new data."""
    has_and_needs = {
        made.card: (_card_has_split(made), bool(made.shown)),
        made.recipe: (_recipe_shows(made), bool(made.shots)),
    }
    notes = []
    for has, what in (
        (True, "with demonstrations, which the data lack"),
        (False, "without demonstrations, which the data have"),
    ):
        files = [str(path) for path in made.kept if has_and_needs[path] == (has, not has)]
        if files:
            them = "them" if len(files) > 1 else "it"
            notes.append(
                f"{' and '.join(files)}: left as found, but made {what} now; edit {them}, or "
                f"remove {them} to have {them} made again"
            )
    return notes


def _card_of(made: OwnDataSet) -> tuple[Card, TableLoader] | None:
    """The card beside the data, and its loader; None for a wrong card or one of other data."""
    try:
        card = load_card(made.card)
    except InputError:  # reported when it is used
        return None
    loader = card.loader
    if not isinstance(loader, TableLoader) or loader.mirror != made.data[0].parent.name:
        return None
    return card, loader


def _card_has_split(made: OwnDataSet) -> bool | None:
    """Whether a card reads the split for demonstrations; None for a wrong card or one of other data."""
    found = _card_of(made)
    return None if found is None else any(split.mirror == TRAIN for split in found[1].splits.values())


def _recipe_shows(made: OwnDataSet) -> bool | None:
    """Whether a recipe shows demonstrations of this data; None for a wrong one or without this card."""
    try:
        recipe = recipes.load(made.recipe)
    except InputError:
        return None
    shots = [
        recipe.demonstrations.shots if entry.shots is None else entry.shots
        for entry in recipe.cards
        if Path(entry.card).resolve() == made.card.resolve()
    ]
    return any(shots) if shots else None
