"""PARAM_semantics.json and PARAM_tableTemplates.json: words, ranges of numbers, families (Appendix C)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, PlainValidator, model_validator

from .....core.validation import StrictModel, shown
from ..instance import NUM_DECIMAL_DIGITS_REAL_FORMAT, Function, RowFormat
from .json_file import Listed, read_json, validated

_LARGEST = 10**12


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Bounds in units of the last decimal, both included: 0.0 to 1.0 with two decimals is 0 to 100.

    Attributes:
        decimals: 0 for integers.
    """

    low: int
    high: int
    decimals: int

    @property
    def size(self) -> int:
        """The number of different values."""
        return self.high - self.low + 1

    @property
    def bounds(self) -> tuple[int | float, int | float]:
        """As the parameter files write them: with a decimal point for reals."""
        if not self.decimals:
            return self.low, self.high
        return self.low / 10**self.decimals, self.high / 10**self.decimals


def value_range(found: Any) -> ValueRange:
    """``[m, M]``: reals if either has a decimal point, else integers (Appendix C.2).

    Raises:
        ValueError: no two finite numbers, the first larger than the second, or too large.
    """
    if not isinstance(found, list) or len(found) != 2 or not all(map(_number, found)):
        raise ValueError(f"found {shown(found)}; expected two numbers [m, M]")
    if found[0] > found[1]:
        raise ValueError(
            f"found {shown(found)}, whose first number is the larger; expected [m, M] with m <= M"
        )
    decimals = NUM_DECIMAL_DIGITS_REAL_FORMAT if any(isinstance(bound, float) for bound in found) else 0
    low, high = (bound * 10**decimals for bound in found)
    # round first: 0.07 * 100 is a little more than 7
    made = ValueRange(math.ceil(round(low, 6)), math.floor(round(high, 6)), decimals)
    if made.size < 1:
        raise ValueError(f"found {shown(found)}; no number of {decimals} decimals lies between them")
    return made


def _number(found: Any) -> bool:
    plain = isinstance(found, int | float) and not isinstance(found, bool)
    return plain and math.isfinite(found) and abs(found) <= _LARGEST


@dataclass(frozen=True, slots=True)
class Branch:
    """A value of an attribute and the values below it, one level further in."""

    label: str
    children: tuple[Branch, ...] = ()

    @property
    def depths(self) -> frozenset[int]:
        """The numbers of levels on the paths through this value."""
        return _deeper(self.children) if self.children else frozenset({1})


def _deeper(children: Sequence[Branch]) -> frozenset[int]:
    return frozenset(depth + 1 for child in children for depth in child.depths)


def _branches(found: Any) -> tuple[Branch, ...]:
    """``["a", {"b": ["c", "d"]}, {"e": "f"}]``: one text below a value is its one child."""
    entries = found if isinstance(found, list) else [found]
    branches = tuple(branch for entry in entries for branch in _entry(entry))
    if not branches:
        raise ValueError(f"found {shown(found)}; expected at least one value")
    labels = [branch.label for branch in branches]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ValueError(f"value {twice!r} occurs twice at one level; expected different values")
    return branches


def _entry(entry: Any) -> list[Branch]:
    if isinstance(entry, Mapping):
        return [Branch(_label(key), _branches(below)) for key, below in entry.items()]
    return [Branch(_label(entry))]


def _label(found: Any) -> str:
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        raise ValueError(f"found {shown(found)} as a value; expected a text")  # noqa: TRY004 (for pydantic)
    label = str(found).strip()
    if not label or len(label) > _LONGEST or not label.isprintable():
        raise ValueError(f"value {shown(found)}: expected 1 to {_LONGEST} printable characters")
    if any(mark in label for mark in "{}|"):
        raise ValueError(f"value {shown(found)}: found '{{', '}}' or '|'; answers are written with these")
    return label


_LONGEST = 200

Name = Annotated[str, Field(min_length=1, max_length=_LONGEST)]


class Attribute(StrictModel):
    """An independent attribute (one name), or a hierarchy of attributes (a name a level, outermost first)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)

    code: Name
    names: Annotated[Listed[Name], Field(min_length=1)]
    values: Annotated[tuple[Branch, ...], PlainValidator(_branches)]

    @model_validator(mode="after")
    def _paths_fit(self) -> Attribute:
        most = len(self.names)
        for branch in self.values:
            depth = max(branch.depths)
            if depth > most:
                raise ValueError(
                    f"values: below {branch.label!r} is a path of {depth} levels; expected at most {most}, "
                    f"one for each of names {', '.join(map(repr, self.names))}"
                )
        return self


class Semantics(StrictModel):
    """The attributes by code, and named ranges of numbers.

    ``series`` is accepted, as in the benchmark's file; nothing reads it.
    """

    data: Listed[Attribute]
    values: dict[str, Annotated[ValueRange, PlainValidator(value_range)]] = Field(default_factory=dict)
    series: dict[str, Any] = Field(default_factory=dict)

    @property
    def attributes(self) -> dict[str, Attribute]:
        """The attributes by their code."""
        return {attribute.code: attribute for attribute in self.data}

    @model_validator(mode="after")
    def _codes_differ(self) -> Semantics:
        for code, count in Counter(attribute.code for attribute in self.data).items():
            if count > 1:
                raise ValueError(f"attribute {code!r}: code: found {count} times; expected once")
        return self


def read_semantics(path: Path) -> Semantics:
    """Read the semantics from a file.

    Raises:
        ParameterError: not JSON, a key missing or unknown, a code given twice, or a path of values longer
            than the attribute's names.
    """
    return validated(Semantics, read_json(path), str(path), kind="attribute", named_by="code")


Shuffle: TypeAlias = Literal["none", "row", "cols", "rowscols", "all"]
Sample: TypeAlias = "tuple[int, int] | None"
"""The least and the largest number of consecutive values in a sample; None for all values."""

AGGREGATE_NAMES = {"sum": "Total", "avg": "Average", "min": "Minimum", "max": "Maximum"}
SHUFFLE_ALIASES = {"rows": "row", "col": "cols"}


def _shuffle(found: Any) -> Any:
    return SHUFFLE_ALIASES.get(found, found) if isinstance(found, str) else found


def _sample(found: Any) -> Sample:
    """``0`` or ``[0]`` for all values, else ``[m, M]``."""
    if found in (0, [0]) and not isinstance(found, bool):
        return None
    two = isinstance(found, list) and len(found) == 2 and all(type(bound) is int for bound in found)
    if not two:
        raise ValueError(f"found {shown(found)}; expected 0 or [0] for all values, or [m, M]")
    if not 1 <= found[0] <= found[1]:
        raise ValueError(f"found {shown(found)}, an empty range of samples; expected [m, M] with 1 <= m <= M")
    return found[0], found[1]


def _values(found: Any) -> str | ValueRange:
    return found if isinstance(found, str) else value_range(found)


def _pair(columns: Sequence[str], rows: Sequence[str]) -> Callable[[Any], Any]:
    """A reader of ``C_R``, one of ``columns`` and one of ``rows``."""

    def read(found: Any) -> tuple[str, str]:
        parts = found.split("_") if isinstance(found, str) else []
        if len(parts) != 2 or parts[0] not in columns or parts[1] not in rows:
            raise ValueError(
                f"found {shown(found)}; expected C_R with C one of {', '.join(columns)} "
                f"and R one of {', '.join(rows)}"
            )
        return parts[0], parts[1]

    return read


Codes = Annotated[Listed[Name], Field(min_length=1)]
Samples = Listed[Annotated[Any, PlainValidator(_sample)]]
DEPTHS = ("1", "2", "3")
Levels = Annotated[Any, PlainValidator(_pair(DEPTHS, DEPTHS))]
NamePositions = Annotated[Any, PlainValidator(_pair(("none", "left", "top"), ("none", "left", "top")))]
AggregatePositions = Annotated[
    Any, PlainValidator(_pair(("none", "left", "right"), ("none", "top", "bottom")))
]


class TableTemplate(StrictModel):
    """One family of tables: its numbers, its attributes and its aggregate.

    ``valueUnit`` is accepted and, as in the benchmark, not yet written.
    """

    valueName: Name  # noqa: N815 (the benchmark's key)
    values: Annotated[Any, PlainValidator(_values)]
    valueUnit: str = ""  # noqa: N815
    rowCodes: Codes  # noqa: N815
    rowSamples: Samples  # noqa: N815
    colCodes: Codes  # noqa: N815
    colSamples: Samples  # noqa: N815
    agg_name1: str = Field(default="", max_length=200)
    agg_fun1: Function = "sum"

    @property
    def aggregate_name(self) -> str:
        """The name that the table shows for its aggregate; the function's own where none is given."""
        return self.agg_name1 or AGGREGATE_NAMES[self.agg_fun1]


class TableTemplates(StrictModel):
    """The layouts that all families share, and the families."""

    replica: int = Field(default=1, ge=1)
    shuffle: Annotated[Listed[Annotated[Shuffle, BeforeValidator(_shuffle)]], Field(min_length=1)] = ("none",)
    col_row_levels: Annotated[Listed[Levels], Field(min_length=1)] = (("2", "2"),)
    col_row_name_pos: Annotated[Listed[NamePositions], Field(min_length=1)] = (("none", "none"),)
    col_row_agg_pos: Annotated[Listed[AggregatePositions], Field(min_length=1)] = (("none", "none"),)
    row_format: Annotated[Listed[RowFormat], Field(min_length=1)] = ("new",)
    tables: Annotated[Listed[TableTemplate], Field(min_length=1)]


def read_table_templates(path: Path) -> TableTemplates:
    """Read the table templates from a file.

    Raises:
        ParameterError: not JSON, a key missing or unknown, an unknown layout, an empty sample range.
    """
    return validated(TableTemplates, read_json(path), str(path), kind="template", named_by="valueName")


@lru_cache(maxsize=4096)  # every condition of every question needs it
def sql_name(name: str) -> str:
    """An attribute's name as a column of the relational table: every other character becomes ``_``."""
    return "".join(character if character.isascii() and character.isalnum() else "_" for character in name)
