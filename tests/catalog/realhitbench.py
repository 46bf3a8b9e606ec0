"""RealHiTBench's published questions, for tests where they are at hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


@cache
def questions(mirror: Path) -> list[dict[str, Any]]:
    """All questions, the long tables' last."""
    files = [mirror / "realhitbench" / f"{name}.parquet" for name in ("qa", "qa_long")]
    return [row for file in files for row in pq.read_table(file).to_pylist()]
