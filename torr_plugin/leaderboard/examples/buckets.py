"""A run's requests and answers regrouped by example, so that few of them are in memory at once.

A run may hold them in any order. One pass over the shards writes them to temporary files (buckets), each with
all that belongs to some examples; the buckets are then read one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...running import Run
from ...running.answer import answer_schema
from .flips import PARTS, ExampleConfiguration
from .shortening import shorten_requests

ROWS_A_BUCKET = 3_500
MOST_BUCKETS = 100
_REQUEST = ("key", "model", "dataset", "example", "config", "design", "stage", "prompt", "messages")
_ANSWER = ("key", "prediction", "error", "finish_reason", "prompt_tokens", "completion_tokens")


@dataclass
class ExampleBuckets:
    """Buckets on the disk.

    Attributes:
        folder: where they lie.
        examples: (data set, example) in the order of the requests; its place is the example's number.
        sizes: number of an example -> bytes of its prompts, as they are shown, and answers.
        pictures: likewise, of its pictures.
        a_bucket: how many examples a bucket has.
        configs: the configurations of the requests.
    """

    folder: Path
    a_bucket: int
    examples: list[tuple[str, str]] = field(default_factory=list)
    sizes: Counter[int] = field(default_factory=Counter)
    pictures: Counter[int] = field(default_factory=Counter)
    configs: dict[str, ExampleConfiguration] = field(default_factory=dict)

    def buckets(self) -> Iterator[tuple[range, pa.Table, pa.Table]]:
        """Numbers of examples, their requests, and the answers to them."""
        for number in range(self.count):
            yield self.bucket(number)

    @property
    def count(self) -> int:
        """How many buckets there are."""
        return -(-len(self.examples) // self.a_bucket)

    def bucket(self, number: int) -> tuple[range, pa.Table, pa.Table]:
        """One of them. ``number`` of the requests is the example's, ``model`` of the answers the model's."""
        first = number * self.a_bucket
        examples = range(first, min(first + self.a_bucket, len(self.examples)))
        return examples, self._read(f"requests-{number}"), self._read(f"answers-{number}")

    def _read(self, name: str) -> pa.Table:
        with pa.OSFile(str(self.folder / name)) as file:
            return pa.ipc.open_stream(file).read_all()


def write_buckets(run: Run, folder: Path, examples: int) -> ExampleBuckets:
    """Lay a run's requests and answers out by example, of which there are about so many, in an empty folder.

    Raises:
        RunError: requests or answers are damaged.
    """
    rows = int((run.study.get("written") or {}).get("rows") or 0)
    of_each = max(1, rows // max(1, examples))
    spilled = ExampleBuckets(folder, max(1, ROWS_A_BUCKET // of_each, -(-examples // MOST_BUCKETS)))
    keys = _spill_requests(run, spilled)
    _spill_answers(run, spilled, keys)
    return spilled


def _spill_requests(run: Run, spilled: ExampleBuckets) -> list[list[pa.Table]]:
    """Write the requests; by bucket, the key and the example's number of each."""
    numbers: dict[tuple[str, str], int] = {}
    keys: list[list[pa.Table]] = []
    with ExitStack() as stack:
        writers: list[Any] = []
        columns = [*_REQUEST, "references", "images", "cut", "serializer", "perturbation"]
        for table in map(shorten_requests, run.request_tables(columns)):
            _note_configs(table, spilled)
            pairs = zip(table["dataset"].to_pylist(), table["example"].to_pylist(), strict=True)
            of_row = np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], np.int64)
            _count(spilled.sizes, of_row, _lengths(pc.coalesce(table["messages"], table["prompt"])))
            _count(spilled.pictures, of_row, _of_pictures(table))
            kept = table.select([*_REQUEST, "references", "images", "cut", "gaps"]).append_column(
                "number", pa.array(of_row)
            )
            bucket = of_row // spilled.a_bucket
            for each in np.unique(bucket).tolist():
                while len(writers) <= each:
                    path = spilled.folder / f"requests-{len(writers)}"
                    writers.append(stack.enter_context(_writer(path, kept.schema)))
                    keys.append([])
                part = kept.filter(pa.array(bucket == each))
                writers[each].write_table(part)
                keys[each].append(part.select(["key", "number"]))
    spilled.examples.extend(numbers)
    return keys


def _note_configs(table: pa.Table, spilled: ExampleBuckets) -> None:
    for row in table.group_by(["config", *PARTS]).aggregate([]).to_pylist():
        name = row.pop("config")
        spilled.configs.setdefault(name, ExampleConfiguration(name, **row))


def _spill_answers(run: Run, spilled: ExampleBuckets, keys: list[list[pa.Table]]) -> None:
    """Write each model's answers to the buckets whose requests have their keys."""
    if not keys:
        return
    by_bucket = [pa.concat_tables(tables) for tables in keys]
    every = pc.unique(pa.concat_tables(by_bucket)["key"])
    codes, of_code = [], np.zeros(len(every), np.int64)
    for table in by_bucket:
        code = pc.index_in(table["key"], value_set=every).to_numpy()
        of_code[code] = table["number"].to_numpy()
        codes.append(np.unique(code))
    schema = pa.schema([*(answer_schema().field(name) for name in _ANSWER), pa.field("model", pa.int16())])
    with ExitStack() as stack:
        writers = [
            stack.enter_context(_writer(spilled.folder / f"answers-{number}", schema))
            for number in range(len(codes))
        ]
        for number, model in enumerate(run.models()):
            answers = run.predictions(model, list(_ANSWER)).select(list(_ANSWER))
            at = pc.fill_null(pc.index_in(every, value_set=answers["key"]), -1).to_numpy(zero_copy_only=False)
            for writer, code in zip(writers, codes, strict=True):
                wanted = code[at[code] >= 0]
                part = answers.take(pa.array(at[wanted]))
                _count(spilled.sizes, of_code[wanted], _lengths(part["prediction"]))
                model_column = pa.array(np.full(part.num_rows, number, np.int16))
                writer.write_table(part.append_column("model", model_column).cast(schema))


def _writer(path: Path, schema: pa.Schema) -> Any:
    return pa.ipc.new_stream(str(path), schema, options=pa.ipc.IpcWriteOptions(compression="lz4"))


def _count(counts: Counter[int], of_row: Any, lengths: Any) -> None:
    """Add bytes to the examples that they belong to."""
    totals = np.bincount(of_row, weights=lengths)
    counts.update({number: int(totals[number]) for number in np.flatnonzero(totals).tolist()})


def _lengths(texts: Any) -> Any:
    return pc.fill_null(pc.binary_length(texts), 0).to_numpy()


def _of_pictures(table: pa.Table) -> Any:
    """Bytes of pictures of each request."""
    images = table["images"].combine_chunks()
    if images.null_count == len(images):
        return np.zeros(len(images))
    parents = pc.list_parent_indices(images).to_numpy()
    lengths = pc.fill_null(pc.binary_length(pc.list_flatten(images)), 0).to_numpy()
    return np.bincount(parents, weights=lengths, minlength=len(images))
