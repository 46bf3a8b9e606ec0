"""Rows of a data set: columns, properties, constants, expanding list columns, assigning to splits."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import DataError, nearest
from .artifacts import unitxt_artifact

if TYPE_CHECKING:
    from .reading import Property
    from .schema.loaders import Earlier, Mix, Scalar, TableLoader, Twin, Versions
    from .schema.reading import ConstantOf

Row: TypeAlias = "Mapping[str, Any]"

MIRROR_VARIABLE = "TORR_DATA"
ASK_AGAIN = "ask_again"
"""The column with what asks the question again about part of the table, where it was made from the table."""


def mirror_folder() -> Path | None:
    """The folder that ``TORR_DATA`` names, or None if it is not set."""
    named = os.environ.get(MIRROR_VARIABLE)
    return Path(named) if named else None


def needed_columns(loader: TableLoader) -> list[str]:
    """The columns to read: those that the card uses and those that filter rows."""
    return list(dict.fromkeys([*loader.columns, *loader.where]))


def sources(loader: TableLoader, known: Iterable[str], where: str) -> dict[str, str]:
    """The path of each needed column in the data: its own name, or the one in ``instead``.

    Optional ones that the data lacks are left out.

    Args:
        loader: a card's loader.
        known: the columns that the data has.
        where: what a message begins with.

    Raises:
        DataError: another column has neither.
    """
    has = list(known)
    found = {}
    for column in needed_columns(loader):
        path = loader.instead.get(column)
        if column in has:
            path = column
        elif path is None or root(path) not in has:
            if column in loader.optional:
                continue
            name = f"{column!r}, nor {path!r}" if path else repr(column)
            raise DataError(
                f"{where} has no column {name}; {nearest(column, has)} (its columns: {', '.join(has)})"
            )
        found[column] = path
    return found


def root(path: str) -> str:
    """The first part of a dotted path: the column."""
    return path.split(".", 1)[0]


def lifted(rows: Iterable[Row], places: Mapping[str, str], where: str) -> Iterator[Row]:
    """Rename columns: every column gets the value at its path in ``places``.

    Raises:
        DataError: a struct has no such field.
    """
    if all(column == path for column, path in places.items()):
        yield from rows
        return
    for number, row in enumerate(rows):
        try:
            yield {column: value_at(row, path) for column, path in places.items()}
        except DataError as error:
            raise DataError(f"{where}, row {number}: {error}") from None


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


def with_optional(rows: Iterable[Row], optional: Sequence[str]) -> Iterator[Row]:
    """The rows, with empty text in optional columns that are null or not there."""
    for row in rows:
        yield {**row, **{column: "" for column in optional if row.get(column) is None}}


_NUMBER = re.compile(r"-?\d{1,15}")


def properties_of(row: Row, column: str) -> Mapping[str, Property]:
    """The properties in a column: a JSON object as text, or a struct.

    Numbers in text become numbers. Properties that are null or empty text are unknown and left out; a null or
    empty column has none.

    Args:
        row: a data set's row.
        column: its name, or a dotted path into structs.

    Raises:
        DataError: no such column, not a JSON object, or a value that is not a boolean, number or text.
    """
    value = row[column] if column in row else value_at(row, column)
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        return _of_text(value, column)
    return _known(value, column)


@lru_cache(maxsize=4096)
def _of_text(text: str, column: str) -> Mapping[str, Property]:
    """Parse a text; cached, since rows of the same table have the same text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(f"column {column!r}: found {text[:40]!r}, expected a JSON object") from None
    return _known(value, column)


def _known(value: Any, column: str) -> Mapping[str, Property]:
    if not isinstance(value, Mapping):
        raise DataError(f"column {column!r}: found {str(value)[:40]!r}, expected a JSON object")
    plain = {str(name): _plain(each, str(name), column) for name, each in value.items()}
    return {name: each for name, each in plain.items() if each is not None}


def _plain(value: Any, name: str, column: str) -> Property | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        text = value.strip()
        return int(text) if _NUMBER.fullmatch(text) else text or None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise DataError(
        f"column {column!r}: property {name!r} is {str(value)[:40]!r}, "
        "expected true, false, a whole number or text"
    )


def constant_inputs(constants: Mapping[str, ConstantOf], card: str) -> dict[str, str]:
    """The text of each constant input.

    Raises:
        DataError: unitxt has no such artifact, or no list of texts at that path.
    """
    return {name: _text(how, f"{card}: constant {name!r}") for name, how in constants.items()}


def _text(how: ConstantOf, where: str) -> str:
    artifact = unitxt_artifact(how.unitxt)
    if artifact is None:
        raise DataError(f"{where}: unitxt's catalog has no {how.unitxt!r}; expected unitxt 1.26.10 or later")
    try:
        value = value_at(artifact, how.at)
    except DataError as error:
        raise DataError(f"{where}: {how.unitxt}: {error}") from None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise DataError(
            f"{where}: {how.unitxt} has {str(value)[:40]!r} at {how.at!r}, expected a list of texts"
        )
    return how.join.join(value)


def chosen(row: Row, where: Mapping[str, Scalar]) -> bool:
    """Whether a row's columns have these values."""
    return all(row[column] == value for column, value in where.items())


def with_twins(rows: Iterable[Row], twin: Twin, where: Mapping[str, Scalar], place: str) -> list[Row]:
    """The rows that ``where`` keeps, with columns of their twins.

    Args:
        rows: all rows of the split.
        twin: by which columns a twin is found, and what is taken from it.
        where: of the card; rows that it leaves out are twins.
        place: what a message begins with.

    Raises:
        DataError: a row has no twin.
    """
    everything = list(rows)

    def key(row: Row) -> tuple[object, ...]:
        return tuple(row[column] for column in twin.same)

    others = {key(row): row for row in reversed(everything) if not chosen(row, where)}
    made: list[Row] = []
    for number, row in enumerate(everything):
        if chosen(row, where):
            if key(row) not in others:
                raise DataError(f"{place}, row {number}: no other row has the same {' and '.join(twin.same)}")
            other = others[key(row)]
            made.append({**row, **{column: other[theirs] for column, theirs in twin.columns.items()}})
    return made


def with_earlier(rows: Iterable[Row], earlier: Earlier, where: str) -> list[Row]:
    """The rows, in their order, with the values of the earlier rows of their sequences.

    Args:
        rows: all rows of the split.
        earlier: what makes a sequence, and which columns are taken.
        where: what a message begins with.

    Raises:
        DataError: a row's order is no whole number, or two rows of a sequence have the same.
    """
    everything = list(rows)
    sequences: dict[tuple[object, ...], dict[int, Row]] = {}
    for number, row in enumerate(everything):
        order, sequence = row[earlier.order], sequences.setdefault(_sequence_of(row, earlier), {})
        if type(order) is not int or order in sequence:
            found = f"{order!r} twice" if order in sequence else repr(order)
            name = _sequence_name(row, earlier)
            raise DataError(
                f"{where}, row {number}: sequence {name!r}: column {earlier.order!r} has {found:.60}, "
                "expected another whole number in each of its rows"
            )
        sequence[order] = row
    made: list[Row] = []
    for row in everything:
        sequence = sequences[_sequence_of(row, earlier)]
        before = [sequence[order] for order in sorted(sequence) if order < row[earlier.order]]
        values = {column: [each[theirs] for each in before] for column, theirs in earlier.columns.items()}
        made.append({**row, earlier.name: _sequence_name(row, earlier), **values})
    return made


def _sequence_of(row: Row, earlier: Earlier) -> tuple[object, ...]:
    return tuple(row[column] for column in earlier.same)


def _sequence_name(row: Row, earlier: Earlier) -> str:
    return "-".join(map(str, _sequence_of(row, earlier)))


def in_versions(rows: Iterable[Row], versions: Versions) -> Iterator[Row]:
    """Every row in all of its versions, one after the other."""
    for row in rows:
        for version, suffix in versions.suffixes.items():
            yield {**row, versions.name: f"{row[versions.of]}{suffix}", versions.version: version}


UNITXT_SEED = 42


def row_of_each(rows: Sequence[Row], each: Mapping[str, str], where: str) -> list[Row]:
    """Expand list columns: a row for every element, in order.

    Args:
        rows: the rows as the data set has them.
        each: new column -> the list column whose element it gets.
        where: what a message begins with.

    Raises:
        DataError: a value is no list, or the lists of one row are of different lengths.
    """
    made: list[Row] = []
    for number, row in enumerate(rows):
        lists = {name: _elements(row, column, f"{where}, row {number}") for name, column in each.items()}
        lengths = {each[name]: len(elements) for name, elements in lists.items()}
        if len(set(lengths.values())) > 1:
            found = ", ".join(f"{column!r} has {length}" for column, length in lengths.items())
            raise DataError(f"{where}, row {number}: lists of different lengths: {found} elements")
        made.extend(
            {**row, **dict(zip(lists, elements, strict=True))}
            for elements in zip(*lists.values(), strict=True)
        )
    return made


def _elements(row: Row, column: str, where: str) -> list[object]:
    value = row[column]
    if not isinstance(value, list):
        raise DataError(f"{where}: column {column!r} has {str(value)[:40]!r}, expected a list")
    return value


def dealt(rows: Sequence[Row], mix: Mix, split: str) -> list[Row]:
    """The rows of a split when all rows are randomly assigned to splits.

    The same as unitxt's ``split_random_mix`` with its default seed, 42: one draw per row from
    ``random.Random("42/<name of the source split>")``, weighted by the shares in their order.
    """
    chance = random.Random(f"{UNITXT_SEED}/{mix.of}")  # noqa: S311 - Python's own generator, as unitxt's
    names, weights = list(mix.shares), list(mix.shares.values())
    return [row for row in rows if chance.choices(names, weights=weights, k=1)[0] == split]
