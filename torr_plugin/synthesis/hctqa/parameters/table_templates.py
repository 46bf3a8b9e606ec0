"""PARAM_tableTemplates.json: families of tables and how they may be laid out (HCT-QA, Appendix C.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, PlainValidator

from ....core.validation import StrictModel, shown
from ..instance import Function
from .json_file import read_json
from .models import as_tuple, validated
from .value_range import ValueRange, value_range

Shuffle: TypeAlias = Literal["none", "row", "cols", "rowscols", "all"]
Sample: TypeAlias = "tuple[int, int] | None"
"""How many consecutive values are drawn, at least and at most; None for all of them."""

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


Name = Annotated[str, Field(min_length=1, max_length=200)]
Codes = Annotated[tuple[Name, ...], BeforeValidator(as_tuple), Field(min_length=1)]
Samples = Annotated[tuple[Annotated[Any, PlainValidator(_sample)], ...], BeforeValidator(as_tuple)]
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
    shuffle: Annotated[
        tuple[Annotated[Shuffle, BeforeValidator(_shuffle)], ...], BeforeValidator(as_tuple)
    ] = Field(default=("none",), min_length=1)
    col_row_levels: Annotated[tuple[Levels, ...], BeforeValidator(as_tuple)] = Field(
        default=(("2", "2"),), min_length=1
    )
    col_row_name_pos: Annotated[tuple[NamePositions, ...], BeforeValidator(as_tuple)] = Field(
        default=(("none", "none"),), min_length=1
    )
    col_row_agg_pos: Annotated[tuple[AggregatePositions, ...], BeforeValidator(as_tuple)] = Field(
        default=(("none", "none"),), min_length=1
    )
    row_format: Annotated[tuple[Literal["new", "indent"], ...], BeforeValidator(as_tuple)] = Field(
        default=("new",), min_length=1
    )
    tables: Annotated[tuple[TableTemplate, ...], BeforeValidator(as_tuple)] = Field(min_length=1)


def read_table_templates(path: Path) -> TableTemplates:
    """The table templates in a file.

    Raises:
        ParameterError: not JSON, a key missing or unknown, an unknown layout, an empty sample range.
    """
    return table_templates(read_json(path), str(path))


def table_templates(document: Any, source: str) -> TableTemplates:
    """The table templates in a document that came from ``source``; raises as its reader."""
    return validated(TableTemplates, document, source, kind="template", named_by="valueName")
