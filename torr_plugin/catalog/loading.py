"""The rows of a card's split: from a mirror, from the hub, or from one of the project's generators."""

from __future__ import annotations

import gc
import logging
import os
import random
import re
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from ..core.errors import DataError, counted, nearest
from .generated import generate, table_questions
from .row_steps import ROW_STEPS, TOGETHER

if TYPE_CHECKING:
    from .schema import CardRows, Mix, RepositoryFiles, TableLoader

Row: TypeAlias = "Mapping[str, Any]"

MIRROR_VARIABLE = "TORR_DATA"
UNITXT_SEED = 42
ASK_AGAIN = "ask_again"
"""The column with what asks the question again about part of the table, where it was made from the table."""


def mirror_folder() -> Path | None:
    """The folder that ``TORR_DATA`` names, or None if it is not set."""
    named = os.environ.get(MIRROR_VARIABLE)
    return Path(named) if named else None


def value_at(row: Any, path: str) -> Any:
    """The value at a dotted path of names and list indexes; None if a value on the way is None.

    Raises:
        DataError: nothing is there.
    """
    value = row
    for part in path.split("."):
        if value is None:
            return None
        if type(value) is dict or isinstance(value, Mapping):
            if part not in value:
                raise DataError(f"no column {path!r}; {nearest(part, value)}")
            value = value[part]
        elif isinstance(value, list):
            if not part.isdecimal() or int(part) >= len(value):
                raise DataError(f"column {path!r}: found a list of {len(value)}, expected an element {part}")
            value = value[int(part)]
        else:
            raise DataError(f"column {path!r}: found {str(value)[:40]!r}, expected a struct with {part!r}")
    return value


_OBJECTS_A_COLLECTION = 200_000


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Keep the collector of cycles from looking at all cells again and again while a split is read.

    Reading WikiTQ takes half the time so (``benchmarks/README.md``, ``expansion.py``). It is not off,
    as openpyxl's objects are cycles, which would stay in memory for all workbooks of a split.
    """
    before = gc.get_threshold()
    gc.set_threshold(_OBJECTS_A_COLLECTION, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


ROWS_AT_ONCE = 256
FILES_AT_ONCE = 32
FILE_COLUMNS = ("path", "content")
"""The columns of a mirror's file of files."""

MOST_BYTES = 64_000_000
"""Of one file."""

FILE_NAME = re.compile(r"\w[^/\\<>:\"|?*\x00-\x1f\x7f]*(?:/\w[^/\\<>:\"|?*\x00-\x1f\x7f]*)*")
"""A file's path below a folder, which does not lead out of it and which all file systems take."""

_TEXTS = (".csv", ".html", ".json", ".md", ".tex", ".txt")


def stream_rows(loader: CardRows, split: str, card: str, mirror: Path | None = None) -> Iterator[Row]:
    """The rows of a split in order; a mirror is read in batches.

    Args:
        loader: a card's loader.
        split: one of its splits.
        card: the card's name, for messages.
        mirror: a mirror to read from, instead of the one that ``TORR_DATA`` names.

    Raises:
        DataError: the card has no such split, or the data is missing (what is missing, where, what there is).
    """
    if split not in loader.splits:
        raise DataError(f"{card}: no split {split!r}; {nearest(split, loader.splits)}")
    if loader.type_ == "load_generated":
        made = generate(loader.generator, seed=loader.seed, sizes=loader.splits)
        return (dict(row) for row in made[split])
    if loader.type_ == "load_structural":
        return iter(table_questions.get(loader.task)(loader, split, card, mirror))

    folder = mirror or mirror_folder()
    if folder is not None:
        rows: Iterable[Row] = mirror_rows(loader, split, card, folder)
    else:
        from .hub import hub_rows  # the hub's libraries take a second to import; a mirror needs none

        rows = hub_rows(loader, split, card)
    if loader.optional:
        rows = _with_optional(rows, loader.optional)
    if loader.rows is not None:
        rows = _made_rows(loader.rows, rows, f"{card}: split {split!r}")
    if loader.where:
        rows = (row for row in rows if all(row[name] == value for name, value in loader.where.items()))
    if loader.files is not None:
        rows = _with_files(rows, loader, loader.files, card, folder)
    return iter(rows if loader.mix is None else dealt(list(rows), loader.mix, split))


def needed_columns(loader: TableLoader) -> list[str]:
    """The columns to read: those that the card uses and those that filter rows."""
    return list(dict.fromkeys([*loader.columns, *loader.where]))


def columns_in(loader: TableLoader, known: Sequence[str], where: str) -> list[str]:
    """The needed columns that the data has; those that it lacks are optional.

    Args:
        loader: a card's loader.
        known: the columns that the data has.
        where: what a message begins with.

    Raises:
        DataError: it lacks another one.
    """
    needed = needed_columns(loader)
    for column in needed:
        if column not in known and column not in loader.optional:
            has = ", ".join(known)
            raise DataError(
                f"{where} has no column {column!r}; {nearest(column, known)} (its columns: {has})"
            )
    return [column for column in needed if column in known]


def _with_optional(rows: Iterable[Row], optional: Sequence[str]) -> Iterator[Row]:
    """The rows, with empty text in optional columns that are null or not there."""
    for row in rows:
        yield {**row, **{column: "" for column in optional if row.get(column) is None}}


def _made_rows(step: str, rows: Iterable[Row], place: str) -> Iterator[Row]:
    try:
        yield from ROW_STEPS[step](rows, place)
    except (AttributeError, KeyError, TypeError) as error:
        found = f"{type(error).__name__}: {error}"
        raise DataError(f"{place}: its rows are not as {step!r} takes them ({found})") from error


def dealt(rows: Sequence[Row], mix: Mix, split: str) -> list[Row]:
    """The rows of a split when all rows are randomly assigned to splits.

    The same as unitxt's ``split_random_mix`` with its default seed, 42: one draw per row from
    ``random.Random("42/<name of the source split>")``, weighted by the shares in their order.
    """
    chance = random.Random(f"{UNITXT_SEED}/{mix.of}")  # noqa: S311 - Python's own generator, as unitxt's
    names, weights = list(mix.shares), list(mix.shares.values())
    return [row for row in rows if chance.choices(names, weights=weights, k=1)[0] == split]


# a mirror


def mirror_files(loader: TableLoader, folder: Path) -> dict[str, Path]:
    """The file of each split in a mirror; that of the files of tables is called ``files``."""
    names = {split: each.mirror for split, each in loader.splits.items()}
    if loader.files is not None:
        names["files"] = loader.files.mirror
    return {split: folder / loader.mirror / f"{name}.parquet" for split, name in names.items()}


def available_splits(loader: CardRows) -> list[str]:
    """The splits that can be read: with a mirror those whose files it has, else all."""
    folder = mirror_folder()
    if folder is None or loader.type_ != "load_tables":
        return list(loader.splits)
    paths = mirror_files(loader, folder)
    if "files" in paths and not paths["files"].is_file():
        return []
    return [split for split in loader.splits if paths[split].is_file()]


def mirror_rows(loader: TableLoader, split: str, card: str, folder: Path) -> Iterator[Row]:
    """The rows of one file of the mirror, with only the needed columns, read in batches.

    Raises:
        DataError: the folder, the data set, the file or a column is missing, or the file is damaged (found
            while iterating, if the damage is not in its metadata).
    """
    path = _mirrored(loader, split, card, folder)
    with naming_the_file(path, card, split):
        names = pq.read_schema(path).names
    columns = columns_in(loader, names, f"{card}: split {split!r}: {path}")
    return (row for row in _read(path, columns, card, split))


def _read(
    path: Path, columns: Sequence[str], card: str, split: str, at_once: int = ROWS_AT_ONCE
) -> Iterator[Row]:
    """Read rows in small batches: most are needed only once, so they need not all be in memory."""
    with naming_the_file(path, card, split), pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=at_once, columns=list(columns)):
            yield from batch.to_pylist()


def _mirrored(loader: TableLoader, split: str, card: str, folder: Path) -> Path:
    path = mirror_files(loader, folder)[split]
    if not path.is_file():
        sets = sorted(each.name for each in folder.iterdir()) if folder.is_dir() else None
        there = "does not exist" if sets is None else f"has {', '.join(sets) or 'nothing'}"
        made = f"which 'torr data pull {card}' makes" if loader.hub else "which no hub has"
        raise DataError(
            f"{card}: split {split!r}: expected {path}, {made}; the folder {folder} that {MIRROR_VARIABLE} "
            f"names {there}"
        )
    return path


@contextmanager
def naming_the_file(path: Path, card: str, split: str) -> Iterator[None]:
    """Add card, split and path to errors of reading a file."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeEncodeError) as error:  # pyarrow takes paths in UTF-8 alone
        raise DataError(
            f"{card}: split {split!r}: {path} cannot be read: {str(error).splitlines()[0]}"
        ) from error


# files of the data set's repository


def _with_files(
    rows: Iterable[Row], loader: TableLoader, files: RepositoryFiles, card: str, folder: Path | None
) -> Iterator[Row]:
    together: dict[object, list[Row]] = {}
    for number, row in enumerate(rows):  # all versions of one row
        together.setdefault(row.get(TOGETHER, number), []).append(row)
    found = list(together.values())
    if folder is None:
        from .hub import hub_files

        places = hub_files(loader, card)
        return _rows_with_files(found, files, places, lambda path: content_of(places[path]), card)
    wanted = {path for versions in found for paths in _paths(versions, files, card) for path in paths}
    contents: dict[str, bytes] = {}  # compressed: documents would fill the memory
    for each in _read(_mirrored(loader, "files", card, folder), FILE_COLUMNS, card, "files", FILES_AT_ONCE):
        if each["path"] in wanted:
            data = each["content"]
            contents[each["path"]] = zlib.compress(data.encode() if isinstance(data, str) else data, 1)
    return _rows_with_files(found, files, contents, lambda path: zlib.decompress(contents[path]), card)


def content_of(path: Path) -> bytes:
    """A file's content; of one that is too large as much as shows that."""
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _paths(versions: Sequence[Row], files: RepositoryFiles, card: str) -> list[list[str]]:
    """For each of the card's paths, the best first, the files of these rows."""
    names = [str(row[files.name]) for row in versions]
    for name in names:
        if not FILE_NAME.fullmatch(name):
            raise DataError(
                f"{card}: column {files.name!r}: found {name[:60]!r}, expected a file's name without suffix"
            )
    return [[path.replace("{name}", name) for name in names] for path in files.paths]


def _rows_with_files(
    found: Sequence[Sequence[Row]],
    files: RepositoryFiles,
    there: Container[str],
    read: Callable[[str], bytes],
    card: str,
) -> Iterator[Row]:
    """The rows with their files, of the first kind that all versions of a row have.

    Those without one are left out, with a warning that names them.
    """
    taken = [
        next((paths for paths in _paths(versions, files, card) if all(path in there for path in paths)), [])
        for versions in found
    ]
    lacking = [str(rows[0][files.name]) for rows, paths in zip(found, taken, strict=True) if not paths]
    if lacking:
        names, kinds = list(dict.fromkeys(lacking)), " or ".join(files.paths)
        some = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        if len(lacking) == len(found):
            raise DataError(f"{card}: none of its rows has a file {kinds}: {some}")
        logging.getLogger(__name__).warning(
            "torr: %s: %s left out, as there is no file %s of %s",
            card,
            counted(len(lacking), "row"),
            kinds,
            some,
        )
    before, content = "", _content(b"", "", card)  # of the row before, as neighbours often share a document
    for versions, paths in zip(found, taken, strict=True):
        for row, path in zip(versions, paths, strict=False):
            if path != before:
                before, content = path, _content(read(path), path, card)
            yield {**row, files.column: content}


def _content(data: bytes, path: str, card: str) -> str | bytes:
    if len(data) > MOST_BYTES:
        raise DataError(f"{card}: {path} has more than {MOST_BYTES} bytes")
    return data.decode("utf-8", "replace") if PurePosixPath(path).suffix in _TEXTS else data
