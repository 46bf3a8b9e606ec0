"""The columns of a CSV, TSV, Parquet or JSONL file, as texts and numbers, read within bounds."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from math import isnan
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pyarrow.json as arrow_json
import pyarrow.parquet as pq

from ...core.errors import NOT_UTF8, InputError
from ...core.parquet import read_parquet
from .files import MOST_BYTES, opened
from .frames import number_of_digits

MOST_CELLS = 300_000_000
"""Of one file."""

LONGEST_ROW = 32 << 20

_MISSING = frozenset(("", "-", "--", "—", "nan", "null", "none", "na", "n/a", "<na>", "#n/a"))
_COMMA = re.compile(r"(\s*[-+]?\d*),(\d+\s*%?\s*)")
_THOUSANDS = re.compile(r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*%?\s*")
_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}


@dataclass(frozen=True)
class Numbers:
    """A column of numbers.

    Attributes:
        values: NaN where there is none.
        digits: the most decimals that were written.
        percent: whether every number had a percent sign.
    """

    values: npt.NDArray[np.float64]
    digits: int
    percent: bool


@dataclass(frozen=True)
class Columns:
    """A table's columns, each read when it is asked for.

    Attributes:
        path: the file.
        table: its columns; names may repeat.
        names: of them, as they are in the file.
    """

    path: Path
    table: pa.Table
    names: tuple[str, ...]

    def texts(self, at: int) -> tuple[npt.NDArray[np.int64], list[str]]:
        """A column's texts: for each row the place of its text, and the texts; blanks around them are cut.

        Raises:
            InputError: a cell is empty, or two texts differ only in blanks around them.
        """
        column, name = self.table.column(at), self.names[at]
        if pa.types.is_floating(column.type):
            column = _whole(column, self.path, name)
        encoded = _dictionary(column.cast(pa.string()) if not _is_text(column.type) else column)
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        texts = encoded.dictionary.to_pylist()
        if encoded.null_count or "" in (plain := [text.strip() for text in texts]):
            empty = np.isnan(codes) if encoded.null_count else np.isin(codes, [plain.index("")])
            raise InputError(
                f"{self.path}: row {int(np.argmax(empty)) + 1}: {name}: is empty; expected a name"
            )
        if len(set(plain)) < len(plain):
            again = next(text for text in plain if plain.count(text) > 1)
            raise InputError(
                f"{self.path}: {name}: {again!r:.80} has blanks around it in some rows; expected one name"
            )
        return codes.astype(np.int64), plain

    def numbers(self, at: int) -> Numbers:
        """A column's numbers; true and false are 1 and 0; what is empty, null or NaN is NaN.

        Raises:
            InputError: a cell is something else.
        """
        column, name = self.table.column(at), self.names[at]
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.uint8())
        if not _is_text(column.type):
            floats = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
            if not pa.types.is_floating(column.type):
                return Numbers(floats, 0, False)
            short = np.unique(floats[np.isfinite(floats)][:100_000])[:1000]
            exact = (str(np.float32(each)) if column.type == pa.float32() else each for each in short)
            return Numbers(floats, max((number_of_digits(float(each)) for each in exact), default=0), False)
        encoded = _dictionary(column)
        codes = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False)
        values, digits, percents = list[float](), 0, set[bool]()
        for text in encoded.dictionary.to_pylist():
            value, decimals, percent = _number(text)
            if value is None:
                row = int(np.argmax(codes == len(values))) + 1
                raise InputError(f"{self.path}: row {row}: {name}: found {text!r:.60}; expected a number")
            values.append(value)
            if not isnan(value):
                digits = max(digits, decimals)
                percents.add(percent)
        if len(percents) > 1:
            raise InputError(
                f"{self.path}: {name}: some numbers have a percent sign and some not; expected one way"
            )
        return Numbers(np.array([*values, np.nan])[codes], digits, percents == {True})

    def is_numeric(self, at: int) -> bool:
        """Whether a column has a number, and no cell of another kind."""
        column = self.table.column(at)
        if not _is_text(column.type):
            return bool(len(column) > column.null_count)
        parsed = [_number(text)[0] for text in pc.unique(_plain(column)).to_pylist() if text is not None]
        return None not in parsed and not all(isnan(value) for value in parsed if value is not None)


def read_columns(path: Path) -> Columns:
    """A file's columns of texts, numbers and truth values; others are left out.

    Raises:
        InputError: it is not there, too large, damaged, or has no row.
    """
    readers = {".parquet": _parquet, ".jsonl": _json_lines}
    table = readers.get(path.suffix.lower(), _csv)(path)
    fit = [at for at, kind in enumerate(table.schema.types) if _is_text(kind) or _is_number(kind)]
    if not table.num_rows or not fit:
        raise InputError(f"{path}: has no row of texts and numbers; expected a table of scores")
    table = table.select(fit)
    return Columns(path, table, tuple(table.column_names))


def _csv(path: Path) -> pa.Table:
    """Every cell as a text, so that ids keep their zeros."""
    with open_table(path) as file:
        line = file.readline(LONGEST_ROW).decode("utf-8-sig").rstrip("\r\n")
        between = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=line.count)
        header = next(csv.reader(StringIO(line), delimiter=between), [])
        if not any(name.strip() for name in header):
            raise InputError(f"{path}: the first line is empty; expected the names of the columns")
        file.seek(0)
        table = arrow_csv.read_csv(
            file,
            arrow_csv.ReadOptions(use_threads=False, block_size=LONGEST_ROW),
            arrow_csv.ParseOptions(delimiter=between, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=False
            ),
        )
    return _with_points(table) if between == ";" else table


def _with_points(table: pa.Table) -> pa.Table:
    """``0,81`` as ``0.81``: a spreadsheet writes semicolons where it writes decimals with commas.

    A column whose commas may all stand for thousands stays as it is, and is refused as no numbers.
    """
    columns = []
    for column in table.columns:
        # a heading of several lines is not known above, so that Arrow may have read numbers below it
        cells = pc.unique(column).to_pylist() if _is_text(column.type) else ()
        commas = [text for text in cells if text and _COMMA.fullmatch(text)]
        if not all(_THOUSANDS.fullmatch(text) for text in commas):
            column = pc.replace_substring_regex(column, f"^{_COMMA.pattern}$", r"\1.\2")  # noqa: PLW2901
        columns.append(column)
    return pa.table(columns, names=table.column_names)


def _parquet(path: Path) -> pa.Table:
    with open_table(path) as file:
        fields = check_parquet(path, file)
        kinds = zip(fields.names, fields.types, strict=True)
        return read_parquet(
            file,
            [name for name, kind in kinds if _is_text(kind) or _is_number(kind)],
            categories=lambda name: True,
        )


@contextmanager
def open_table(path: Path) -> Iterator[IO[bytes]]:
    """A file that Arrow reads, whose errors are one line.

    Raises:
        InputError: it is not there, too large or damaged.
    """
    with opened(path) as file:
        try:
            yield file
        except (pa.ArrowException, UnicodeError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            text = " ".join(str(error).split())  # Arrow's errors of damaged files are of all three kinds
            odd = isinstance(error, UnicodeError) or "UTF8" in text
            raise InputError(f"{path}: {NOT_UTF8 if odd else f'cannot be read: {text:.200}'}") from None


def check_parquet(path: Path, file: IO[bytes]) -> pa.Schema:
    """The columns of a Parquet file, which may unpack to much more than it is long.

    Raises:
        InputError: it holds too much.
    """
    footer = pq.read_metadata(file)
    held = sum(footer.row_group(at).total_byte_size for at in range(footer.num_row_groups))
    if footer.num_rows * footer.num_columns > MOST_CELLS or held > MOST_BYTES:
        raise InputError(
            f"{path}: holds {footer.num_rows:,} rows, {footer.num_columns:,} columns and {held:,} bytes; "
            f"expected at most {MOST_CELLS:,} cells and {MOST_BYTES:,} bytes"
        )
    return footer.schema.to_arrow_schema()


def _json_lines(path: Path) -> pa.Table:
    """The fields of the first line that are texts, numbers or truth values, each as one kind in all lines."""
    with open_table(path) as file:
        try:
            first = json.loads(file.readline(LONGEST_ROW))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: line 1: is not JSON that can be read: {str(error)[:120]}") from None
        if not isinstance(first, dict):
            raise InputError(f"{path}: line 1: expected an object with a field a column")
        texts = {name: pa.string() for name, value in first.items() if isinstance(value, str)}
        other = [
            name for name, value in first.items() if value is None or isinstance(value, (bool, int, float))
        ]
        file.seek(0)
        table = arrow_json.read_json(
            file,
            arrow_json.ReadOptions(use_threads=False, block_size=LONGEST_ROW),
            arrow_json.ParseOptions(explicit_schema=pa.schema(texts), newlines_in_values=False),
        )
    return table.select([name for name in table.column_names if name in texts or name in other])


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_number(kind: pa.DataType) -> bool:
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def _dictionary(column: pa.ChunkedArray) -> Any:
    encoded = column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
    return encoded.unify_dictionaries().combine_chunks()


def _whole(column: pa.ChunkedArray, path: Path, name: str) -> pa.ChunkedArray:
    """Ids that were stored as floats, as whole numbers."""
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        raise InputError(f"{path}: {name}: holds fractions; expected names or whole numbers") from None


def _number(text: str) -> tuple[float | None, int, bool]:
    """A number, its decimals, and whether it had a percent sign; None where it is no number."""
    plain = text.strip()
    if plain.lower() in _MISSING:
        return float("nan"), 0, False
    if (word := _WORDS.get(plain.lower())) is not None:
        return word, 0, False
    percent = plain.endswith("%")
    plain = plain.removesuffix("%").rstrip()
    try:
        value = float(plain) if "_" not in plain else None
    except ValueError:
        return None, 0, False
    decimals = (
        number_of_digits(value)
        if "e" in plain.lower() and value is not None
        else len(plain.partition(".")[2])
    )
    return value, decimals, percent


def numbered(names: Sequence[str]) -> list[str]:
    """Names of which those that stand again get a number: ``gpt2 (2)``."""
    counts, found = Counter[str](), list[str]()
    for name in names:
        counts[name] += 1
        found.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return found
