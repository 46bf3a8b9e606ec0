"""The data in a mirror: a Parquet file a split, each marked as made here, so that no other is replaced."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...core.atomic_files import atomic_path
from ...core.errors import DataError
from .questions import ASKED, SHOWN, Question

_MARK = {b"torr.made": b"tables"}


def check_ours(folder: Path) -> None:
    """Refuse a folder that holds what was not made here: a mirror's own data set may have the same name.

    Raises:
        DataError: a Parquet file of it has no mark, or cannot be read.
        OSError: the folder cannot be read.
    """
    for path in sorted(folder.glob("*.parquet")):
        if not _is_ours(path):
            raise DataError(f"{path}: is another data set's; expected a name or --to that is free")


def write_splits(questions: Sequence[Question], splits: Sequence[str], folder: Path) -> tuple[Path, ...]:
    """Write the file of each split, and remove those of splits that an earlier make had."""
    folder.mkdir(parents=True, exist_ok=True)
    data = tuple(_write(questions, split, folder) for split in splits)
    for split in {SHOWN, ASKED}.difference(splits):
        (folder / f"{split}.parquet").unlink(missing_ok=True)
    return data


def _is_ours(path: Path) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as file:
            found = pq.read_schema(file).metadata or {}
    except (pa.ArrowException, OSError):
        return False
    return _MARK.items() <= found.items()


def _write(questions: Sequence[Question], split: str, folder: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    mine = [each for each in questions if each.split == split]
    columns = {
        "id": pa.array([each.id for each in mine], pa.string()),
        "table_id": pa.array([each.table for each in mine], pa.string()),
        "table": pa.array([each.rows for each in mine], pa.list_(pa.list_(pa.string()))),
        "question": pa.array([each.question for each in mine], pa.string()),
        "answer": pa.array([each.answer for each in mine], pa.string()),
    }
    path = folder / f"{split}.parquet"
    # files and not their names, which pyarrow takes in UTF-8 alone
    with atomic_path(path) as aside, aside.open("wb") as file:
        pq.write_table(pa.table(columns, metadata=_MARK), file)
    return path
