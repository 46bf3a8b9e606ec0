"""What is read from the figures that programs draw."""

from __future__ import annotations

import io
import math
import zipfile

import openpyxl
import pytest

from torr_plugin.scoring.sandbox import ChartLimits, ChartSandbox

pytestmark = pytest.mark.full

START = "import numpy as np, pandas as pd, matplotlib.pyplot as plt\nfig, ax = plt.subplots()\n"


@pytest.mark.parametrize(
    ("program", "kind", "expected"),
    [
        ("plt.plot([1, 2.5]); plt.plot([3])", "line", (1, 2.5, 3)),
        ("pd.DataFrame({'a': [1, 2], 'b': [3, 4]}).plot(ax=ax)", "line", (1, 2, 3, 4)),
        ("plt.bar(['x', 'y'], [3, -4])", "bar", (3, -4)),
        ("plt.bar(['x', 'y'], [1, 2], bottom=[5, 5])", "bar", (1, 2)),
        ("plt.barh(['x', 'y'], [3, 4])", "bar", (3, 4)),
        ("pd.Series([3, 4]).plot.barh()", "bar", (3, 4)),
        ("plt.scatter([1, 2], [5, np.nan])", "scatter", (5, None)),
        ("plt.scatter([1, 2], [5, 6]); plt.scatter([1], [7])", "scatter", (5, 6, 7)),
        ("plt.pie([1, 1, 2])", "pie", (0.25, 0.25, 0.5)),
        ("plt.plot(np.ma.masked_array([1, 2], [True, False]))", "line", (None, 2)),
        ("plt.plot([float('inf'), -float('inf')])", "line", (math.inf, -math.inf)),
        ("plt.plot(np.array([1, 2], dtype=np.int64)); plt.show(); plt.close('all')", "line", (1, 2)),
        ("plt.plot([1]); plt.savefig('chart.png'); plt.close()", "line", (1,)),
        ("plt.plot([1]); plt.show(); plt.figure(); plt.plot([2]); plt.show()", "line", (1,)),
        ("plt.close('all'); plt.figure(); plt.plot([3]); plt.show()", "line", (3,)),
        ("fig, (a, b) = plt.subplots(1, 2); a.plot([1]); b.plot([2])", "line", (2,)),
        ("plt.plot([1]); ax.twinx().plot([9])", "line", (9,)),
        ("plt.bar([1], [2]); plt.axhline(7)", "bar", (2,)),
        ("plt.plot([True, False])", "line", (1, 0)),
        ("__import__('matplotlib').use('TkAgg', force=False); plt.plot([1])", "line", (1,)),
    ],
)
def test_the_values_of_a_chart(
    sandbox: ChartSandbox, program: str, kind: str, expected: tuple[float | None, ...]
) -> None:
    run = sandbox.run(START + program)
    assert run.error == ""
    assert run.values[kind] == pytest.approx(expected)  # type: ignore[index]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("plt.plot(range(10**6))", "more than 20000 values"),
        ("plt.plot(['1', '2'])", "a value is no number (TypeError)"),
        ("import datetime; plt.plot([datetime.date(2020, 1, 1)] * 2)", "a value is no number (TypeError)"),
        ("ax.lines[0].get_ydata = 3 if plt.plot([1]) else 4", "a value is no number (TypeError)"),
        ("plt.plot([1])[0]._yorig = [10**400]", "a value is no number (OverflowError)"),
        (
            "class V:\n  def __float__(self): raise SystemError\nplt.plot([1])[0]._yorig = [V()]",
            "(SystemError)",
        ),
    ],
)
def test_values_that_cannot_be_read(sandbox: ChartSandbox, program: str, why: str) -> None:
    run = sandbox.run(START + program)
    assert run.ran, run.error
    assert "line" not in run.values
    assert run.unreadable["line"].endswith(why)  # type: ignore[index]


def test_no_figure_no_values(sandbox: ChartSandbox) -> None:
    assert sandbox.run("print('I am done')").values == {}


def test_a_program_ends_well_by_exit_0_and_by_an_error_not(sandbox: ChartSandbox) -> None:
    assert sandbox.run("import sys; sys.exit()").ran
    assert sandbox.run("1 / 0").error == "ZeroDivisionError: division by zero"


def test_equal_programs_draw_equal_charts(sandbox: ChartSandbox) -> None:
    program = START + "import random\nplt.plot([random.random(), np.random.rand(), hash('a')])"
    first = sandbox.run(program)
    with ChartSandbox() as other:
        assert first == other.run(program) == sandbox.run(program)
    assert first.values


def workbook(*rows: list[object]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
READS = START + "frame = pd.read_excel('table.xlsx')\nplt.bar(frame['a'], frame['b'])"


def test_the_workbook_is_read(sandbox: ChartSandbox) -> None:
    assert sandbox.run(READS, workbook(["a", "b"], ["x", 5], ["y", 6])).values["bar"] == (5, 6)
    assert sandbox.run(READS).error.startswith("FileNotFoundError")


def test_a_workbook_that_unpacks_to_more_than_fits() -> None:
    bomb = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook(["a", "b"]))) as good,
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bad,
    ):
        for entry in good.infolist():
            with bad.open(entry.filename, "w") as part:
                if entry.filename.endswith("sheet1.xml"):
                    part.write(f'<worksheet xmlns="{SHEET}"><a>'.encode())
                    for _ in range(24):
                        part.write(b"x" * 2**24)
                else:
                    part.write(good.read(entry))
    with ChartSandbox(limits=ChartLimits(memory=768 * 2**20)) as small:
        assert small.run(READS, workbook(["a", "b"], ["x", 5])).ran
        assert not small.run(READS, bomb.getvalue()).ran
        assert small.run(READS, workbook(["a", "b"], ["x", 5])).ran


def test_a_program_runs_as_it_is(sandbox: ChartSandbox) -> None:
    run = sandbox.run("import matplotlib.pyplot as plt\n plt.plot([1, 2])\n plt.show()")
    assert run.error.startswith("IndentationError: unexpected indent")
