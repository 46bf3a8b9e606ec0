"""Writes the prompts of a plan to a file."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.atomic_files import file_in_place_of
from ..core.errors import InputError
from .rows import request_batches, request_schema

if TYPE_CHECKING:
    from .planning import Plan


def write_prompts(plan: Plan, path: Path) -> None:
    """Write every request of a plan, a row each with the columns of :func:`request_schema`.

    The suffix decides: ``.parquet``, or ``.jsonl`` (one JSON object a line, UTF-8; pictures in base64).
    Prompts are built and written batch by batch; the file takes its name when it is whole.

    Raises:
        InputError: another suffix, a folder that does not exist, or a file that cannot be written; whatever
            ``plan.requests()`` raises.
    """
    path = Path(path)
    writers = {".parquet": _write_parquet, ".jsonl": _write_jsonl}
    if path.suffix not in writers:
        raise InputError(f"{path}: the file ends in {path.suffix!r}; expected .parquet or .jsonl")
    if not path.parent.is_dir():
        raise InputError(f"{path}: the folder {str(path.parent)!r} does not exist")
    try:
        with file_in_place_of(path) as unfinished:
            writers[path.suffix](plan, unfinished)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _write_parquet(plan: Plan, path: Path) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, request_schema(), compression="zstd") as writer:
        for batch in request_batches(plan):
            writer.write_batch(batch)


def _write_jsonl(plan: Plan, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for batch in request_batches(plan):
            for row in batch.to_pylist():
                file.write(json.dumps(_texts(row), ensure_ascii=False) + "\n")


def _texts(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose pictures are written in base64, for JSON."""
    images = row["images"] and [base64.b64encode(image).decode("ascii") for image in row["images"]]
    return {**row, "images": images}
