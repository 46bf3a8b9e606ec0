"""RealHiTBench's 198 programs: each that can run gives its published values; the rest, counted by cause."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.papers.realhitbench.charts import is_right
from torr_plugin.scoring.chart_programs import program_of, reference_values
from torr_plugin.scoring.sandbox import ChartLimits, ChartSandbox
from torr_plugin.tables import Table
from torr_plugin.tables.workbooks import to_bytes

KINDS = {"LineChart": "line", "BarChart": "bar", "ScatterChart": "scatter", "PieChart": "pie"}

OTHER_VALUES = {
    ("qa", 144): "the values of another chart",
    ("qa", 195): "the values of another chart",
    ("qa", 369): "one point less",
    ("qa", 384): "the values of another chart",
    ("qa", 385): "the values of another chart",
}
"""Programs that hold their values, and draw others than ProcessedAnswer has."""

EMPTY = {("qa", 2105)}
"""A program that runs on any workbook, and draws what is there: nothing."""


@pytest.fixture(scope="module")
def published(shared_data: Path) -> pd.DataFrame:
    folder = shared_data / "realhitbench"
    parts = [pd.read_parquet(folder / f"{name}.parquet").assign(file=name) for name in ("qa", "qa_long")]
    rows = pd.concat(parts, ignore_index=True)
    return rows[rows["QuestionType"] == "Visualization"]


def parses(text: str) -> bool:
    try:
        compile(text, "program", "exec")
    except SyntaxError:
        return False
    return True


def mended(program: str) -> str:
    """A published program, with one space less before each line or none where it cannot be compiled."""
    tried = [re.sub(f"^{spaces}", "", program, flags=re.MULTILINE) for spaces in ("", " ?", " *")]
    return next((text for text in tried if parses(text)), program)


@pytest.mark.full
def test_what_is_published(published: pd.DataFrame) -> None:
    assert len(published) == 198
    assert sum(not parses(text) for text in published["FinalAnswer"]) == 92
    assert all(reference_values(text) for text in published["ProcessedAnswer"])


@pytest.mark.full
def test_some_programs_that_can_run_give_their_values(published: pd.DataFrame) -> None:
    assert {"gives its values", "draws from the workbook"} <= set(causes_of(published[::6]))


@pytest.mark.release
def test_every_program_that_can_run_gives_its_values(published: pd.DataFrame) -> None:
    assert causes_of(published) == {
        "gives its values": 121,
        "draws from the workbook": 72,
        "the values of another chart": 4,
        "one point less": 1,
    }


def causes_of(published: pd.DataFrame) -> Counter[str]:
    """Runs programs, and counts what comes of them."""
    anything = to_bytes(Table.flat(header=["a", "b"], rows=[["1", "2"]]))
    charts = [(mended(program_of(text)), anything) for text in published["FinalAnswer"]]
    with ChartSandbox(limits=ChartLimits(seconds=60)) as sandbox:
        runs = [sandbox.run(*chart) for chart in charts]
    causes = Counter[str]()
    for (_, row), run in zip(published.iterrows(), runs, strict=True):
        kind = KINDS[row["SubQType"].split()[0]]
        name = (row["file"], row["id"])
        if not run.ran or name in EMPTY:
            assert "read_excel" in row["FinalAnswer"], (name, run.error)
            assert not run.error.startswith("SyntaxError"), name
            causes["draws from the workbook"] += 1
        elif name in OTHER_VALUES:
            assert run.values[kind], name  # type: ignore[index]
            causes[OTHER_VALUES[name]] += 1
        else:
            expected = reference_values(row["ProcessedAnswer"])
            assert is_right(run, kind, expected), (name, run)  # type: ignore[arg-type]
            causes["gives its values"] += 1
    return causes
