"""One table from its combination: attributes sampled and shuffled, numbers drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from ....core.seeds import seed as seeded
from ..instance import NUM_DECIMAL_DIGITS_REAL_FORMAT, Aggregate, HctInstance
from ..parameters.json_file import ParameterError
from ..parameters.loading import Parameters
from ..parameters.table_templates import Sample, TableTemplate
from .combinations import Combination
from .sampling import Drawn, axis, draw, shuffled
from .values import distinct_values

_MOST_CELLS = 100_000


def draw_instance(
    parameters: Parameters,
    combination: Combination,
    replica: int,
    *,
    seed: int,
    attempt: int = 0,
    overflow: bool = True,
    names: bool = False,
) -> HctInstance:
    """The ``replica``-th table of a combination; the same for equal arguments on every machine.

    Args:
        parameters: the words and ranges.
        combination: the family and its layout.
        replica: the number of the variant, from 1.
        seed: the data set's.
        attempt: another table for the same place, where the first one repeated one already made.
        overflow: whether a range with too few numbers gives way.
        names: whether the attributes' names are shown where ``col_row_name_pos`` has them, which the
            benchmark's own generator ignores.

    Raises:
        ParameterError: not enough different numbers in the range and no ``overflow``; over 100,000 cells.
    """
    random = Random(seeded(seed, "hctqa", "table", combination.name, str(replica), str(attempt)))  # noqa: S311
    columns = _drawn(parameters, combination.columns, random)
    rows = _drawn(parameters, combination.rows, random)
    where = parameters.where(combination.template)
    _check_size(math.prod(len(code.paths) for code in (*columns, *rows)), where)
    shown_columns, shown_rows = shuffled(columns, rows, combination.shuffle, random)
    side, top = axis(shown_columns), axis(shown_rows)
    width, height = len(side.leaves), len(top.leaves)
    template = combination.template
    span = parameters.value_range(template)
    numbers = distinct_values(span, width * height, random, where=where, overflow=overflow)
    return HctInstance(
        table_id=f"{combination.name}_{replica}",
        family=template.valueName,
        title=template.valueName,
        columns=side,
        rows=top,
        values=tuple(tuple(numbers[row * width : (row + 1) * width]) for row in range(height)),
        aggregate=_aggregate(combination),
        row_format=combination.row_format,
        decimals=_decimals(template, span.decimals),
        order=tuple(name for code in (*columns, *rows) for name in code.names),
        name_positions=combination.name_positions if names else ("none", "none"),
        borders=random.random() < 0.5,  # half of the benchmark's pictures have lines
    )


def _drawn(parameters: Parameters, codes: Sequence[tuple[str, Sample]], random: Random) -> list[Drawn]:
    return [draw(parameters.attributes[code], sample, random) for code, sample in codes]


def _aggregate(combination: Combination) -> Aggregate | None:
    column, row = combination.aggregate_positions
    if column == "none" and row == "none":
        return None
    template = combination.template
    return Aggregate(template.aggregate_name, template.agg_fun1, column, row)


def _decimals(template: TableTemplate, decimals: int) -> int:
    """Integers are shown with decimals in a family whose aggregate is a mean, as the benchmark does."""
    return NUM_DECIMAL_DIGITS_REAL_FORMAT if template.agg_fun1 == "avg" else decimals


def _check_size(cells: int, where: str) -> None:
    if cells > _MOST_CELLS:
        raise ParameterError(
            f"{where}: rowSamples, colSamples: a table of {cells} cells; expected at most {_MOST_CELLS}"
        )
