"""Draws the charts of a study into files, on as many processors as there are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..output.files import write_file
from .figures import specifications
from .rendering import to_png, to_svg
from .study import Analysis

Job = tuple[str, dict[str, Any]]
"""A file name without its ending, and the chart's specification."""

MOST_PROCESSES = 4
"""Each needs half a second to start and some 150 MB."""


def draw(folders: Mapping[Path, Analysis]) -> tuple[list[Path], list[str]]:
    """Draw every chart that a study has, as ``<name>.svg`` and ``<name>.png``.

    Args:
        folders: where charts go -> what they are of; the whole study's first, parts of it in folders below.

    Returns:
        The files, and a line for each reason why a study lacks charts. A chart that a part alone lacks is
        named with the part's folder.

    Raises:
        OSError: a file cannot be written.
    """
    jobs: list[Job] = []
    reasons: list[tuple[Path, Mapping[str, str]]] = []
    # the others start while this one makes the specifications
    with _helpers(min(os.cpu_count() or 1, MOST_PROCESSES) - 1) as running:
        for folder, analysis in folders.items():
            found, lacking = specifications(analysis)
            jobs += [(str(folder / name), specification) for name, specification in found.items()]
            reasons.append((folder, lacking))
            folder.mkdir(parents=True, exist_ok=True)
        own, *others = _shares(jobs, len(running) + 1)
        given = [_give(process, share) for process, share in zip(running, others, strict=True)]
        draw_jobs(own)
        for share, process, taken in zip(others, running, given, strict=True):
            # a process that cannot start, or find this package, leaves its charts to this one
            if not taken or process is None or process.wait() != 0:
                draw_jobs(share)
    return [Path(f"{stem}{ending}") for stem, _ in jobs for ending in (".svg", ".png")], _left_out(reasons)


def _left_out(reasons: Sequence[tuple[Path, Mapping[str, str]]]) -> list[str]:
    """A line a reason; what the whole study lacks is not said again of its parts."""
    (whole, lacking), *parts = reasons
    names: dict[str, list[str]] = {}
    for name, reason in lacking.items():
        names.setdefault(reason, []).append(name)
    for folder, of_part in parts:
        for name, reason in of_part.items():
            if name not in lacking:
                names.setdefault(reason, []).append((folder.relative_to(whole) / name).as_posix())
    return [f"no chart {', '.join(each)}: {reason}" for reason, each in names.items()]


def draw_jobs(jobs: Sequence[Job]) -> None:
    """Draw charts one after the other."""
    for stem, specification in jobs:
        svg = to_svg(specification)
        write_file(Path(f"{stem}.svg"), svg.encode("utf-8"))
        write_file(Path(f"{stem}.png"), to_png(svg))


def _shares(jobs: Sequence[Job], processes: int) -> list[list[Job]]:
    """The jobs dealt out so that all take about as long, by the sizes of their specifications."""
    sized = sorted(jobs, key=lambda job: -len(json.dumps(job[1])))
    shares: list[list[Job]] = [[] for _ in range(processes)]
    for place, job in enumerate(sized):
        turn, hand = divmod(place, processes)
        shares[processes - 1 - hand if turn % 2 else hand].append(job)
    return shares


@contextmanager
def _helpers(count: int) -> Iterator[list[subprocess.Popen[bytes] | None]]:
    """Processes that draw a share each: vl-convert holds Python's lock, so that threads gain nothing."""
    running = [_helper() for _ in range(count)]
    try:
        yield running
    finally:
        for process in running:
            if process is not None:
                process.kill()
                process.wait()


def _helper() -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-m", "torr_plugin.analysis.charts.worker"]
    try:
        return subprocess.Popen(  # noqa: S603 (our own module)
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None


def _give(process: subprocess.Popen[bytes] | None, share: Sequence[Job]) -> bool:
    """Whether a process took its share."""
    if process is None:
        return False
    assert process.stdin is not None  # noqa: S101 (it is a pipe)
    try:
        with process.stdin as stdin:
            stdin.write(json.dumps(share).encode("ascii"))
    except OSError:
        return False
    return True
