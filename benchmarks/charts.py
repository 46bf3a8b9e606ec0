"""Charts a second on two cores: warm workers of the sandbox, beside a fresh Python for each chart.

    python benchmarks/charts.py [--charts 120] [--json]

The programs are like RealHiTBench's: line, bar, scatter and pie charts; four in five read their values from a
workbook, one in five has a legend and a tight layout. The peer is how such programs are usually run:
``subprocess.run`` of Python with the program and a line that prints its values, without any walls. Both run
two at a time and must give the same values. Then: what it costs when a program crashes, and when a worker is
lost.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any

from torr_plugin.scoring.sandbox import ChartSandbox
from torr_plugin.tables import Table
from torr_plugin.tables.workbooks import to_bytes

CORES = 2
YEARS = [str(year) for year in range(2010, 2020)]
VALUES = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
TABLE = to_bytes(
    Table.flat(header=["Year", "Jobs"], rows=[[y, str(v)] for y, v in zip(YEARS, VALUES, strict=True)])
)
DRAWN = {
    "plt.plot(x, y, marker='o', label='Jobs')": "[list(line.get_ydata()) for line in plt.gca().lines][0]",
    "plt.bar(x, y, label='Jobs')": "[bar.get_height() for bar in plt.gca().patches]",
    "plt.scatter(x, y, label='Jobs')": "list(plt.gca().collections[0].get_offsets()[:, 1])",
    "plt.pie(y, labels=x, autopct='%1.1f%%')": "[(w.theta2 - w.theta1) / 360 for w in plt.gca().patches]",
}
READ = "df = pd.read_excel('table.xlsx')\nx, y = df['Year'].astype(str), df['Jobs']"
WRITTEN = f"x, y = {YEARS}, {VALUES}"
TITLE, TIGHT = "plt.title('Jobs by year')", "plt.legend()\nplt.tight_layout()"
CRASH = "import ctypes\nctypes.string_at(0)"


def programs(count: int) -> list[tuple[str, str]]:
    """Programs, and what prints the values of each."""
    made = []
    for index in range(count):
        mark, values = list(DRAWN.items())[index % len(DRAWN)]
        source = WRITTEN if index % 5 == 1 else READ
        rest = [TITLE, *([TIGHT] if index % 5 == 2 else []), "plt.show()"]
        start = "import pandas as pd\nimport matplotlib.pyplot as plt"
        made.append(("\n".join([start, source, "plt.figure(figsize=(10, 6))", mark, *rest]), values))
    return made


def fresh(program: str, values: str, folder: Path) -> list[float]:
    """The values of a program that has a Python of its own."""
    text = f"{program}\nprint([float(each) for each in {values}])"
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    command = [sys.executable, "-W", "ignore", "-c", text]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    return list(json.loads(done.stdout))


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = work()
    return time.perf_counter() - begin, found


def warm(charts: list[tuple[str, str]]) -> tuple[dict[str, float], list[list[float]]]:
    """Charts a second, one at a time and two, the time until the first, and the values."""
    inputs = [(program, TABLE) for program, _ in charts]
    with ExitStack() as opened, ThreadPoolExecutor(CORES) as pool:
        sandboxes = [opened.enter_context(ChartSandbox()) for _ in range(CORES)]

        def run_all(some: list[tuple[str, bytes]]) -> list[Any]:
            shares = [some[at::CORES] for at in range(CORES)]
            parts = pool.map(lambda box, own: [box.run(*each) for each in own], sandboxes, shares)
            return [run for row in zip_longest(*parts) for run in row if run is not None]

        start, _ = timed(lambda: run_all(inputs[:CORES]))
        run_all(inputs[: 4 * CORES])
        spent, runs = timed(lambda: run_all(inputs))
        alone, _ = timed(lambda: [sandboxes[0].run(*each) for each in inputs[: len(inputs) // 2]])
    figures = {
        "per_second": len(inputs) / spent,
        "one_at_a_time": len(inputs) // 2 / alone,
        "start_seconds": start,
    }
    return figures, [[v for kind in run.values.values() for v in kind] for run in runs]


def crashes() -> dict[str, float]:
    """Milliseconds of a chart, of a chart after a crash with the crash, and of one whose worker is lost."""
    (chart, _), *_ = programs(1)

    def median(work: Callable[[], Any], rounds: int) -> float:
        return 1000 * statistics.median(timed(work)[0] for _ in range(rounds))

    with ChartSandbox() as sandbox:
        sandbox.run(chart, TABLE)

        def crash() -> None:
            assert "SIGSEGV" in sandbox.run(CRASH).error

        def lose() -> None:
            sandbox._warm.kill()
            assert sandbox.run(chart, TABLE).ran

        return {
            "chart_ms": median(lambda: sandbox.run(chart, TABLE), 20),
            "crash_ms": median(crash, 10),
            "after_crash_ms": median(lambda: sandbox.run(chart, TABLE), 10),
            "lost_worker_ms": median(lose, 3),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--charts", type=int, default=120)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    charts = programs(options.charts)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(CORES) as pool:
        (Path(folder) / "table.xlsx").write_bytes(TABLE)
        few = charts[: max(8, len(charts) // 6)]
        spent, expected = timed(lambda: list(pool.map(lambda each: fresh(*each, Path(folder)), few)))
    peer = len(few) / spent
    figures, values = warm(charts)
    if values[: len(few)] != expected:
        raise SystemExit("other values than a fresh process")
    found = {**figures, "ratio": figures["per_second"] / peer, **crashes()}
    if options.json:
        print(json.dumps({"fresh_process_per_second": peer, "charts": len(charts), **found}))
        return
    print(f"a fresh process each: {peer:.1f} charts a second, two at a time")
    print(
        f"warm workers: {found['per_second']:.1f} a second ({found['ratio']:.0f} times), "
        f"one at a time {found['one_at_a_time']:.1f}; ready in {found['start_seconds']:.1f} s"
    )
    print(
        f"  a chart {found['chart_ms']:.0f} ms, a crash {found['crash_ms']:.0f}, a chart after it "
        f"{found['after_crash_ms']:.0f}, a chart whose worker was lost {found['lost_worker_ms']:.0f}"
    )


if __name__ == "__main__":
    main()
