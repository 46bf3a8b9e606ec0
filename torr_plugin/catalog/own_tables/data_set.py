"""Write the files of the user's own data set: Parquet files, a card, a recipe."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.atomic_files import atomic_path
from ...core.errors import DataError
from .form import AS_ONE_TEXT, NUMBERS, AnswerMetric, DataForm, Wording, card_document
from .questions import TEST, TRAIN, OwnQuestion, notes_of, possible_shots, read_questions
from .tables import Tables

_NAME = re.compile(r"[a-z][a-z0-9_]*")
# quoted: YAML reads no, null and true as other than names
_RECIPE = """\
# A first study of {name}: `torr list serializers`, `torr list perturbations` and `torr models` name more.
name: "{name}"
cards: [{cards}]
configurations:
  - serializers: [html, markdown, csv, json]
    perturbations: [{perturbations}]
demonstrations: {{shots: {shots}}}
examples: {{count: all}}
{generation}models: [torr-lexical]
"""


@dataclass(frozen=True)
class DataAndCard:
    """The files of a data set, and counts.

    Attributes:
        data: the Parquet files, one a split.
        card: the card's file.
        kept: what existed already and was left unchanged.
        asked: the number of questions to ask; ``shown`` the number for demonstrations.
        shots: how many demonstrations a question can have in a first recipe, 0 or 1.
        tables: the number of tables.
        columns: of the data.
        metric: the main score of a new card.
        notes: remarks for the user.
    """

    data: tuple[Path, ...]
    card: Path
    kept: tuple[Path, ...]
    asked: int
    shown: int
    shots: int
    tables: int
    columns: tuple[str, ...]
    metric: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class OwnDataSet(DataAndCard):
    """A data set with a first study, the file ``recipe``."""

    recipe: Path


def make_data_set(
    name: str,
    questions: Path,
    tables: Tables,
    mirror: Path,
    *,
    beside: Path,
    licence: str,
    metric: AnswerMetric | None = None,
    decimal_mark: str = ".",
) -> OwnDataSet:
    """Make a data set from tables and questions.

    Parquet files are rewritten each time, and those of splits that no longer exist removed. An existing card
    or recipe is kept, as it may have been edited. Parquet files of other data sets are never touched.

    Args:
        name: the name of the data set.
        questions: a CSV, TSV, XLSX or JSON lines file with the columns table, question and answer, any_of or
            all_of, and any of id, split, sheet, range, absolute_tolerance and relative_tolerance.
        tables: the tables.
        mirror: the folder that ``TORR_DATA`` names; the data goes into a folder in it.
        beside: the folder for card and recipe.
        licence: the licence of the tables.
        metric: rates the answers; None for the one that fits them: ``number_match`` with tolerances,
            ``value_set`` where an answer has several values, else ``exact_match``.
        decimal_mark: ``.`` or ``,``, for ``number_match``.

    Raises:
        DataError: the name, the licence, a file or a line of it is wrong, the metric does not fit, or the
            folder holds other data.
        OSError: a file cannot be written.
    """
    _check_names(name, licence)
    found = read_questions(questions, tables)
    made = write_data(
        name,
        found,
        mirror,
        beside=beside,
        licence=licence,
        source=questions,
        metric=metric,
        decimal_mark=decimal_mark,
    )
    recipe = beside / f"{name}.yaml"
    kept = write_recipe(recipe, [made.card], made.shots)
    notes = (*tables.texts.notes(), *tables.notes(), *made.notes)
    files = {**vars(made), "kept": (*made.kept, *[recipe] * kept), "notes": notes}
    return OwnDataSet(**files, recipe=recipe)


def write_data(
    name: str,
    questions: Sequence[OwnQuestion],
    mirror: Path,
    *,
    beside: Path,
    licence: str,
    source: Path,
    metric: AnswerMetric | None = None,
    decimal_mark: str = ".",
    wording: Wording | None = None,
) -> DataAndCard:
    """Write the data of questions, and the card that reads them; see :func:`make_data_set`.

    Args:
        name: the name of the data set.
        questions: at least one, each with its split.
        mirror: the folder that ``TORR_DATA`` names.
        beside: the folder for the card.
        licence: the licence of the tables.
        source: the file of the questions, for messages.
        metric: rates the answers; None for the one that fits them.
        decimal_mark: ``.`` or ``,``, for ``number_match``.
        wording: what the card says around the questions.

    Raises:
        DataError: the name or the licence is wrong, the metric does not fit, or the folder holds other data.
        OSError: a file cannot be written.
    """
    _check_names(name, licence)
    chosen = metric or AnswerMetric.ours(fitting_metric(questions))
    _check_metric(chosen, questions, source)
    check_ours(mirror / name)
    splits = [split for split in (TRAIN, TEST) if any(each.split == split for each in questions)]
    form = DataForm.of(questions)
    card = beside / f"{name}.json"
    document = card_document(
        name,
        licence,
        splits,
        form,
        metric=chosen,
        decimal_mark=decimal_mark,
        wording=wording or Wording(),
    )
    data = write_splits(questions, splits, mirror / name, form)
    kept = _write_new(card, json.dumps(document, indent=4, ensure_ascii=False) + "\n")
    asked = sum(each.split == TEST for each in questions)
    return DataAndCard(
        data=data,
        card=card,
        kept=(card,) * kept,
        asked=asked,
        shown=len(questions) - asked,
        shots=possible_shots(questions),
        tables=len({each.table for each in questions}),
        columns=form.columns,
        metric=chosen.main,
        notes=(*_of_mark(decimal_mark, chosen), *notes_of(questions)),
    )


def write_recipe(
    path: Path,
    cards: Sequence[Path],
    shots: int,
    perturbations: Sequence[str] = ("none", "transpose"),
    max_tokens: int | None = None,
) -> bool:
    """Write a first study of cards that lie beside it, called like its file; gives whether one was there.

    Args:
        path: the file.
        cards: the cards.
        shots: demonstrations per question.
        perturbations: of the tables.
        max_tokens: of an answer; None for a recipe's default.

    Raises:
        OSError: the file cannot be written.
    """
    text = _RECIPE.format(
        name=path.stem,
        cards=", ".join(f'"{card.name}"' for card in cards),
        perturbations=", ".join(perturbations),
        shots=shots,
        generation=f"generation: {{max_tokens: {max_tokens}}}\n" if max_tokens else "",
    )
    return _write_new(path, text)


def _write_new(path: Path, text: str) -> bool:
    """Write a file unless there is one, which may have been edited; gives whether there was."""
    if path.exists():
        return True
    with atomic_path(path) as aside:
        aside.write_bytes(text.encode())
    return False


def fitting_metric(questions: Sequence[OwnQuestion]) -> str:
    """The metric that rates answers of this kind."""
    if any(each.tolerances for each in questions):
        return NUMBERS
    return "value_set" if any(each.has_values for each in questions) else "exact_match"


def _of_mark(mark: str, metric: AnswerMetric) -> list[str]:
    unused = mark != "." and metric.main != NUMBERS
    return [f"--decimal-mark: without use, for {metric.main} reads no numbers; {NUMBERS} does"] * unused


def _check_metric(metric: AnswerMetric, questions: Sequence[OwnQuestion], path: Path) -> None:
    toleranced = next((each for each in questions if each.tolerances), None)
    if toleranced and metric.main != NUMBERS:
        raise DataError(
            f"{path}: question {toleranced.id!r} has a tolerance, which {metric.main} does not take into "
            f"account; expected --metric {NUMBERS}, or none"
        )
    several = next((each for each in questions if each.has_values), None)
    if several and metric.main in AS_ONE_TEXT:
        raise DataError(
            f"{path}: question {several.id!r} has several values (all_of), which {metric.main} compares as "
            f"one text; expected --metric value_set or {NUMBERS}, or none"
        )


def _check_names(name: str, licence: str) -> None:
    if not _NAME.fullmatch(name):
        raise DataError(
            f"name: found {name!r}; expected small letters, digits and _, a letter first, e.g. towns"
        )
    try:
        licence.encode()
    except UnicodeEncodeError:
        raise DataError(f"--licence: found {licence!r}; expected UTF-8") from None


_MARK = {b"torr.made": b"tables"}


def check_ours(folder: Path) -> None:
    """Refuse a folder with Parquet files that :func:`make_data_set` did not make.

    Raises:
        DataError: a Parquet file lacks our metadata or cannot be read.
        OSError: the folder cannot be read.
    """
    for path in sorted(folder.glob("*.parquet")):
        if not _is_ours(path):
            raise DataError(f"{path}: belongs to another data set; expected an unused name or --to")


def write_splits(
    questions: Sequence[OwnQuestion], splits: Sequence[str], folder: Path, form: DataForm
) -> tuple[Path, ...]:
    """Write the file of each split, and remove files of splits that no longer exist."""
    folder.mkdir(parents=True, exist_ok=True)
    data = tuple(
        _write([each for each in questions if each.split == split], folder / f"{split}.parquet", form)
        for split in splits
    )
    for split in {TRAIN, TEST}.difference(splits):
        (folder / f"{split}.parquet").unlink(missing_ok=True)
    return data


def _is_ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            found = pq.read_schema(file).metadata or {}
    except (pa.ArrowException, OSError):
        return False
    return _MARK.items() <= found.items()


def _write(questions: Sequence[OwnQuestion], path: Path, form: DataForm) -> Path:
    rows = [form.row(each) for each in questions]
    # open the file here: pyarrow accepts only UTF-8 paths
    with atomic_path(path) as aside, aside.open("wb") as file:
        pq.write_table(pa.Table.from_pylist(rows, schema=form.schema.with_metadata(_MARK)), file)
    return path
