"""How fast the HCT-QA generator is: tables and questions a second, beside pandas and SQLite doing the same.

    python benchmarks/synthesis.py [--tables 300] [--size 70000] [--parameters DIR] [--json]

Three measurements, each of processor time in this process but the last:

``tables``: instance to laid-out table (spans, aggregates at every level), beside ``pandas.pivot_table`` with
margins, which gives the grand aggregates alone, for the same relational rows.

``questions``: sentence, SQL and answer, beside SQLite alone running the same SQL, each table loaded once: the
floor.

``data set``: about ``size`` questions and their tables written to Parquet: seconds
of the clock, and this process's peak memory after a tenth as many and at the end: flat if the two are close.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from torr_plugin.papers.hctqa.generator.dataset import GeneratedTable, generate
from torr_plugin.papers.hctqa.generator.layout.pivot import hct_table
from torr_plugin.papers.hctqa.generator.layout.relational import Relational
from torr_plugin.papers.hctqa.generator.output.writing import OutputOptions, write_tables
from torr_plugin.papers.hctqa.generator.parameters.loading import SHIPPED, Parameters, load_parameters


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--size", type=int, default=70_000)
    parser.add_argument("--parameters", type=Path, default=SHIPPED)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    parameters = load_parameters(given.parameters)
    found = {
        **measured(parameters, given.tables),
        "data set": data_set(parameters, given.size),
    }
    print(json.dumps(found) if given.json else _lines(found))


def measured(parameters: Parameters, tables: int) -> dict[str, Any]:
    """Tables and questions a second, ours and the peers'."""
    list(generate(parameters, tables=20, seed=1))  # warm
    seconds, made = timed(lambda: list(generate(parameters, tables=tables, seed=2)))
    ours, _ = timed(lambda: [hct_table(one.instance) for one in made])
    pandas = peer_pandas(made)
    sqlite, _ = timed(lambda: [peer_sqlite(one) for one in made])
    asked = sum(len(one.questions) for one in made)
    return {
        "tables": {"ours": tables / ours, "pandas": tables / pandas},
        "questions": {"ours, tables included": asked / seconds, "sqlite alone": asked / sqlite, "n": asked},
    }


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def peer_pandas(made: Iterable[GeneratedTable]) -> float:
    """Seconds of ``pivot_table`` over the same rows; making the frames does not count."""
    import pandas as pd

    frames = [(one, pd.DataFrame(one.relational.rows, columns=list(one.relational.names))) for one in made]
    for _, frame in frames:
        frame["Value"] = frame["Value"].astype(float)
    functions = {"avg": "mean"}

    def pivot(one: GeneratedTable, frame: pd.DataFrame) -> pd.DataFrame:
        aggregate = one.instance.aggregate
        name = functions.get(aggregate.function, aggregate.function) if aggregate else "sum"
        return frame.pivot_table(
            values="Value",
            index=list(one.instance.rows.attributes),
            columns=list(one.instance.columns.attributes),
            aggfunc=name,
            margins=aggregate is not None,
            sort=False,
        )

    seconds, _ = timed(lambda: [pivot(one, frame) for one, frame in frames])
    return seconds


def peer_sqlite(generated: GeneratedTable) -> list[list[Any]]:
    """The same SQL by the library alone."""
    connection = sqlite3.connect(":memory:")
    table: Relational = generated.relational
    names = ", ".join(f'"{name}"' for name in table.sql_names)
    connection.execute(f"CREATE TABLE DBdata ({names})")
    marks = ", ".join("?" * len(table.sql_names))
    rows = [(*row[:-1], float(row[-1])) for row in table.rows]
    connection.executemany(f"INSERT INTO DBdata VALUES ({marks})", rows)
    answers = [connection.execute(question.sql).fetchall() for question in generated.questions]
    connection.close()
    return answers


def data_set(parameters: Parameters, size: int) -> dict[str, float]:
    """A whole data set of about ``size`` questions, and what it took."""
    sample = [len(one.questions) for one in generate(parameters, tables=60, seed=3)]
    tables = round(size / (sum(sample) / len(sample)))
    with tempfile.TemporaryDirectory() as folder:
        write(parameters, Path(folder) / "tenth", tables // 10)
        early = peak()
        start = time.perf_counter()
        written = write(parameters, Path(folder) / "whole", tables)
        seconds = time.perf_counter() - start
        size_on_disk = sum(path.stat().st_size for path in (Path(folder) / "whole").iterdir())
    return {
        **written,
        "seconds": seconds,
        "questions a second": written["questions"] / seconds,
        "MiB at a tenth": early,
        "MiB at the end": peak(),
        "MiB on disk": size_on_disk / 2**20,
    }


def write(parameters: Parameters, folder: Path, tables: int) -> dict[str, int]:
    """Write a data set as ``torr synth`` does; the numbers of tables and questions."""
    options = OutputOptions(seed=4)
    return write_tables(generate(parameters, tables=tables, seed=4), folder, options)


def peak() -> float:
    """The most memory this process has held, in MiB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _lines(found: dict[str, dict[str, float]]) -> str:
    return "\n".join(
        f"{name}: " + ", ".join(f"{key} {value:,.1f}" for key, value in parts.items())
        for name, parts in found.items()
    )


if __name__ == "__main__":
    main()
