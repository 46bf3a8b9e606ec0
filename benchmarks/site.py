"""How long a site takes to build and to open, and how large it is.

    python benchmarks/site.py [--examples 100] [--run DIR] [--without-browser] [--json]

Builds the site of a simulated study of ToRR's size (14 models, 10 data sets, 35 configurations, 100 examples)
in a process of its own, and opens it in headless Chromium from the disk: the overview until a click on a
header has sorted its table, and an example until its prompt stands there.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ROUNDS = 5
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
TARGETS = {
    "seconds": 30.0,
    "peak_mib": 500.0,
    "site_mb": 25.0,
    "overview_mb": 1.5,
    "overview_s": 1.0,
}
UNITS = {
    "seconds": "build, seconds",
    "processor_s": "build, processor seconds",
    "peak_mib": "build, peak memory (MiB)",
    "site_mb": "site (MB)",
    "files": "files",
    "largest_mb": "largest file (MB)",
    "overview_mb": "overview with all that it loads, gzip (MB)",
    "overview_s": "overview until a sort is done (s)",
    "example_s": "an example opened by link (s)",
}


@dataclass(frozen=True)
class Built:
    """What building took; ``processor_s`` and ``peak_mib`` of the process and its children."""

    seconds: float
    processor_s: float
    peak_mib: float


# Stands between the caller and the build: after exec a process still counts its caller's memory as its peak.
MEASURED = """
import json, resource, subprocess, sys
PIPE = subprocess.PIPE
done = subprocess.run(sys.argv[1:], stdout=PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, done.stdout, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


def build(run: Path, out: Path) -> Built:
    """The site of a run, by the command and in a process of its own."""
    command = [sys.executable, "-m", "torr_plugin.leaderboard", str(run), "--out", str(out)]
    started = time.perf_counter()
    measured = subprocess.run([sys.executable, "-c", MEASURED, *command], stdout=subprocess.PIPE, check=True)
    code, output, processor_s, peak = json.loads(measured.stdout)
    if code:
        raise SystemExit(f"{' '.join(command)}: {output}")
    scale = 1 / 2**20 if sys.platform == "darwin" else 1 / 2**10
    return Built(seconds=time.perf_counter() - started, processor_s=processor_s, peak_mib=peak * scale)


def sizes(site: Path) -> dict[str, float]:
    """Bytes of the site in all, of its largest file, and of what the overview loads, each file compressed."""
    files = [path for path in site.rglob("*") if path.is_file()]
    found = [path.stat().st_size for path in files]
    overview = sum(len(gzip.compress(path.read_bytes(), 6)) for path in loaded(site / "index.html"))
    return {
        "site_mb": sum(found) / 1e6,
        "files": len(files),
        "largest_mb": max(found) / 1e6,
        "overview_mb": overview / 1e6,
    }


def loaded(page: Path) -> list[Path]:
    """A page and the files that it names."""
    text = page.read_text(encoding="utf-8")
    named = re.findall(r'<(?:script|link|img)\b[^>]*?\b(?:src|href)="([^"#]+)"', text)
    found = [(page.parent / name).resolve() for name in named if ":" not in name]
    return [page, *dict.fromkeys(path for path in found if path.is_file())]


def opened(site: Path) -> dict[str, float]:
    """Seconds until the overview is sorted by a click and until an example is shown, medians of five."""
    from playwright.sync_api import sync_playwright

    examples = next(site.glob("*/examples.html"))
    system = os.environ.get("TORR_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    times: dict[str, list[float]] = {"overview_s": [], "example_s": []}
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=system, args=arguments)
        for _ in range(ROUNDS):
            times["overview_s"].append(_overview(browser, site / "index.html"))
            times["example_s"].append(_example(browser, examples))
        browser.close()
    return {name: sorted(found)[len(found) // 2] for name, found in times.items()}


# in the page, so that no time of the connection to the browser is counted; from the start of navigation
_SORT = """() => {
  const button = document.querySelector("table[data-sortable] thead th button");
  button.click();
  return new Promise(resolve => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))));
}"""
_EXAMPLE = """() => new Promise(resolve => {
  const there = () => document.querySelector("pre.prompt");
  const look = () => there() ? resolve(performance.now()) : requestAnimationFrame(look);
  look();
})"""


def _overview(browser: Any, page: Path) -> float:
    view = browser.new_page()
    view.goto(page.as_uri(), wait_until="domcontentloaded")
    milliseconds: float = view.evaluate(_SORT)
    view.close()
    return milliseconds / 1000


def _example(browser: Any, page: Path) -> float:
    data = json.loads(
        re.search(r'id="examples-data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)[1]  # type: ignore[index]
    )
    dataset = data["datasets"][-1]["name"]
    view = browser.new_page()
    view.goto(f"{page.as_uri()}#dataset={dataset}&example={dataset}-1", wait_until="domcontentloaded")
    milliseconds: float = view.evaluate(_EXAMPLE)
    view.close()
    return milliseconds / 1000


def measured(run: Path, folder: Path, *, browser: bool) -> dict[str, float]:
    """Everything of one run's site."""
    built = build(run, folder / "site")
    return {**asdict(built), **sizes(folder / "site"), **(opened(folder / "site") if browser else {})}


def table(figures: Mapping[str, float]) -> str:
    """A line a figure, with its target."""
    lines = ["| | measured | at most |", "| --- | ---: | ---: |"]
    for name, label in UNITS.items():
        if name not in figures:
            continue
        target = TARGETS.get(name)
        value = f"{figures[name]:,.0f}" if figures[name] >= 100 else f"{figures[name]:.2f}"
        lines.append(f"| {label} | {value} | {'' if target is None else f'{target:g}'} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--examples", type=int, default=100, help="a data set")
    parser.add_argument("--run", type=Path, help="a run that is there, instead of a simulated one")
    parser.add_argument("--without-browser", action="store_true", help="sizes and the build alone")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as made:
        run = asked.run
        if run is None:
            from tests.leaderboard.simulated import simulate

            run = simulate(Path(made) / "run", examples=asked.examples)
        figures = measured(run, Path(made), browser=not asked.without_browser)
    print(json.dumps(figures) if asked.json else table(figures))


if __name__ == "__main__":
    main()
