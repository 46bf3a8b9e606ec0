"""A bucket's requests and answers, example by example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...prompts import Prompt
from ...recipes import prompt_of_row

_REQUEST = ("model", "config", "design", "stage", "prompt", "messages", "images", "cut", "gaps")
_ANSWER = ("prediction", "error", "finish_reason", "prompt_tokens", "completion_tokens")


@dataclass(frozen=True, slots=True)
class ExampleRows:
    """An example's requests, the first calls before others, and what was answered.

    Attributes:
        requests: their rows, with the columns that pages need.
        prompts: the prompt of each.
        references: the right answers.
        answers: of each, for every model of the run, the number of its answer; -1 where there is none.
        different: the different answers of the bucket, each (prediction, error, finish reason, tokens of the
            prompt, of the answer).
    """

    requests: Sequence[Mapping[str, Any]] = ()
    prompts: Sequence[Prompt] = ()
    references: Sequence[str] = ()
    answers: Sequence[Sequence[int]] = ()
    different: Sequence[tuple[Any, ...]] = ()


def rows_by_example(
    examples: range, requests: pa.Table, answers: pa.Table, labels: Mapping[str, int]
) -> Iterator[tuple[int, ExampleRows]]:
    """The rows of each example of a bucket, in their order; ``labels``: model -> its number in the run."""
    of_row = requests["number"].to_numpy()
    order = np.lexsort((requests["stage"].to_numpy(), of_row))
    requests, of_row = requests.take(order), of_row[order]
    keys = pc.unique(requests["key"])
    first, numbers = _equal_rows(answers.select(_ANSWER))
    by_key = np.full((len(keys), max(labels.values(), default=-1) + 1), -1)
    by_key[_places(answers["key"], keys), answers["model"].to_numpy()] = numbers
    by_request = by_key[_places(requests["key"], keys)]
    different = list(zip(*(answers[name].take(first).to_pylist() for name in _ANSWER), strict=True))
    bounds = np.searchsorted(of_row, [*examples, examples.stop])
    shown = requests.select(_REQUEST)
    for number, start, stop in zip(examples, bounds, bounds[1:], strict=False):
        rows = shown.slice(start, stop - start).to_pylist()
        for row in rows:
            row["model_number"] = labels.get(row["model"], -2)
        prompts = [prompt_of_row(row) for row in rows]
        references = requests["references"][start].as_py() if rows else ()
        yield number, ExampleRows(rows, prompts, references, by_request[start:stop].tolist(), different)


def _equal_rows(table: pa.Table) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each different row stands first, and for every row which of the different ones it is."""
    first, numbers = np.zeros(min(1, table.num_rows), np.intp), np.zeros(table.num_rows, np.intp)
    for column in table.columns:
        values = pc.unique(column)
        together = numbers * len(values) + _places(column, values)
        _, first, numbers = np.unique(together, return_index=True, return_inverse=True)
    return first, numbers


def _places(values: pa.ChunkedArray, among: pa.Array) -> NDArray[np.intp]:
    found: NDArray[np.intp] = pc.index_in(values, value_set=among).to_numpy().astype(np.intp)
    return found
