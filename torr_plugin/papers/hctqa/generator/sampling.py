"""Samples one table: which values its attributes show, in what order, and its numbers (Appendix C.2, C.3)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import TypeVar

from ....core.seeds import seed as seeded
from .combinations import Combination
from .instance import NUM_DECIMAL_DIGITS_REAL_FORMAT, Aggregate, HctInstance, Path, TableAxis
from .parameters.json_file import ParameterError
from .parameters.loading import Parameters
from .parameters.models import Attribute, Branch, Sample, Shuffle, TableTemplate, ValueRange

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SampledValues:
    """The names of one code's attributes, and the chosen paths of values."""

    names: tuple[str, ...]
    paths: tuple[Path, ...]


def sample_values(attribute: Attribute, sample: Sample, random: Random) -> SampledValues:
    """Sample an attribute's values; a hierarchy's at every level, each branch by itself."""
    paths = _paths(_sampled(attribute.values, sample, random))
    return SampledValues(attribute.names, tuple(_filled(path, len(attribute.names)) for path in paths))


def _filled(path: Path, length: int) -> Path:
    """Repeat a value that has no values below it at every further level (an unbalanced hierarchy)."""
    return (*path, *[path[-1]] * (length - len(path)))


def consecutive(values: Sequence[T], sample: Sample, random: Random) -> Sequence[T]:
    """Choose n consecutive values, n in [m, M], at a random place; all if too few (Appendix C.3)."""
    if sample is None:
        return values
    least, most = (min(bound, len(values)) for bound in sample)
    count = random.randint(least, most)
    start = random.randint(0, len(values) - count)
    return values[start : start + count]


def _sampled(branches: Sequence[Branch], sample: Sample, random: Random) -> tuple[Branch, ...]:
    return tuple(
        Branch(branch.label, _sampled(branch.children, sample, random)) if branch.children else branch
        for branch in consecutive(branches, sample, random)
    )


def _paths(branches: Iterable[Branch]) -> Iterable[Path]:
    for branch in branches:
        if not branch.children:
            yield (branch.label,)
        for below in _paths(branch.children):
            yield (branch.label, *below)


def shuffled(
    columns: Sequence[T], rows: Sequence[T], shuffle: Shuffle, random: Random
) -> tuple[list[T], list[T]]:
    """Shuffle columns and rows as a command says; a hierarchy is one entry, so it is never split.

    ``all`` exchanges entries between the axes, whose lengths stay.
    """
    left, right = list(columns), list(rows)
    if shuffle == "all":
        mixed = [*left, *right]
        random.shuffle(mixed)
        return mixed[: len(left)], mixed[len(left) :]
    if shuffle in ("cols", "rowscols"):
        random.shuffle(left)
    if shuffle in ("row", "rowscols"):
        random.shuffle(right)
    return left, right


def axis(sampled: Sequence[SampledValues]) -> TableAxis:
    """One side of the table: every combination of the codes' paths, the last code varying fastest."""
    starts = itertools.accumulate((len(code.names) for code in sampled), initial=0)
    return TableAxis(
        attributes=tuple(name for code in sampled for name in code.names),
        groups=tuple(
            tuple(range(start, start + len(code.names))) for start, code in zip(starts, sampled, strict=False)
        ),
        leaves=tuple(
            tuple(itertools.chain.from_iterable(paths))
            for paths in itertools.product(*(code.paths for code in sampled))
        ),
    )


def distinct_values(span: ValueRange, count: int, random: Random) -> list[Decimal]:
    """Choose ``count`` different numbers uniformly from a range.

    If the range has too few, its upper bound grows, as in the benchmark.
    """
    high = max(span.high, span.low + count - 1)
    sampled = random.sample(range(span.low, high + 1), count)
    return [Decimal(number).scaleb(-span.decimals) for number in sampled]


_MOST_CELLS = 100_000


def sample_instance(
    parameters: Parameters,
    combination: Combination,
    replica: int,
    *,
    seed: int,
    attempt: int = 0,
) -> HctInstance:
    """Sample the ``replica``-th table of a combination; the same for equal arguments on every machine.

    Args:
        parameters: the words and ranges.
        combination: the family and its layout.
        replica: the number of the variant, from 1.
        seed: the data set's.
        attempt: the number of the draw; a new one replaces a table that equals an earlier one.

    Raises:
        ParameterError: over 100,000 cells.
    """
    random = Random(seeded(seed, "hctqa", "table", combination.name, str(replica), str(attempt)))  # noqa: S311
    columns = _sampled_codes(parameters, combination.columns, random)
    rows = _sampled_codes(parameters, combination.rows, random)
    cells = math.prod(len(code.paths) for code in (*columns, *rows))
    if cells > _MOST_CELLS:
        where = parameters.where(combination.template)
        raise ParameterError(
            f"{where}: rowSamples, colSamples: a table of {cells} cells; expected at most {_MOST_CELLS}"
        )
    shown_columns, shown_rows = shuffled(columns, rows, combination.shuffle, random)
    side, top = axis(shown_columns), axis(shown_rows)
    width, height = len(side.leaves), len(top.leaves)
    template = combination.template
    span = parameters.value_range(template)
    numbers = distinct_values(span, width * height, random)
    return HctInstance(
        table_id=f"{combination.name}_{replica}",
        family=template.valueName,
        columns=side,
        rows=top,
        values=tuple(tuple(numbers[row * width : (row + 1) * width]) for row in range(height)),
        aggregate=_aggregate(combination),
        row_format=combination.row_format,
        decimals=_decimals(template, span.decimals),
        order=tuple(name for code in (*columns, *rows) for name in code.names),
        borders=random.random() < 0.5,  # half of the benchmark's pictures have lines
    )


def _sampled_codes(
    parameters: Parameters, codes: Sequence[tuple[str, Sample]], random: Random
) -> list[SampledValues]:
    return [sample_values(parameters.attributes[code], sample, random) for code, sample in codes]


def _aggregate(combination: Combination) -> Aggregate | None:
    column, row = combination.aggregate_positions
    if column == "none" and row == "none":
        return None
    template = combination.template
    return Aggregate(template.aggregate_name, template.agg_fun1, column, row)


def _decimals(template: TableTemplate, decimals: int) -> int:
    """Integers are shown with decimals in a family whose aggregate is a mean, as the benchmark does."""
    return NUM_DECIMAL_DIGITS_REAL_FORMAT if template.agg_fun1 == "avg" else decimals
