"""Draws the charts of a study into files, on as many processors as there are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..writing import write_file
from .figures import one_line, specifications
from .labels import Analysis
from .rendering import to_png, to_svg

Job = tuple[str, dict[str, Any]]
"""A file name without its ending, and the chart's specification."""

ENDINGS = (".svg", ".png")

MOST_PROCESSES = 4
"""Each needs half a second to start and some 150 MB."""


@dataclass(frozen=True)
class DrawnChart:
    """A chart on the disk.

    Attributes:
        stem: its files without their endings, ``.svg`` and ``.png``.
        title: what stands above it.
    """

    stem: Path
    title: str


@dataclass(frozen=True)
class Drawn:
    """What was drawn of a study.

    Attributes:
        charts: in the order of ``FIGURES``, those of the whole study first.
        left_out: a line for each reason why the study lacks charts. A chart that a part alone lacks is named
            with the part's folder.
        failed: a line for each chart that could not be drawn.
    """

    charts: tuple[DrawnChart, ...]
    left_out: tuple[str, ...]
    failed: tuple[str, ...] = ()

    @property
    def paths(self) -> list[Path]:
        """The files."""
        return [chart.stem.with_name(chart.stem.name + ending) for chart in self.charts for ending in ENDINGS]


def draw(folders: Mapping[Path, Analysis], *, keep_going: bool = False) -> Drawn:
    """Draw every chart that a study has, as ``<name>.svg`` and ``<name>.png``.

    Args:
        folders: where charts go -> what they are of; the whole study's first, parts of it in folders below.
        keep_going: a chart that cannot be drawn is said, and does not stop the others.

    Raises:
        OSError: a file cannot be written, unless ``keep_going``.
    """
    jobs: list[Job] = []
    failed: dict[str, str] = {}
    reasons: list[tuple[Path, Mapping[str, str]]] = []
    # the others start while this one makes the specifications
    with _helpers(min(os.cpu_count() or 1, MOST_PROCESSES) - 1) as running:
        for folder, analysis in folders.items():
            found, lacking = specifications(analysis, broken=failed if keep_going else None)
            jobs += [(str(folder / name), specification) for name, specification in found.items()]
            reasons.append((folder, lacking))
            folder.mkdir(parents=True, exist_ok=True)
        own, *others = _shares(jobs, len(running) + 1)
        given = [_give(process, share) for process, share in zip(running, others, strict=True)]
        draw_jobs(own, failed if keep_going else None)
        for share, process, taken in zip(others, running, given, strict=True):
            # a process that cannot start, or find this package, leaves its charts to this one
            if not taken or process is None or process.wait() != 0:
                draw_jobs(share, failed if keep_going else None)
    charts = tuple(DrawnChart(Path(stem), _title(each)) for stem, each in jobs if stem not in failed)
    whole = f"{next(iter(folders), '')}{os.sep}"
    lines = tuple(
        f"no chart {Path(stem.removeprefix(whole)).as_posix()}: {why}" for stem, why in failed.items()
    )
    return Drawn(charts, tuple(_left_out(reasons)), lines)


def _title(specification: Mapping[str, Any]) -> str:
    title = specification.get("title", "")
    return str(title.get("text", "") if isinstance(title, Mapping) else title)


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


def draw_jobs(jobs: Sequence[Job], failed: dict[str, str] | None = None) -> None:
    """Draw charts one after the other; those that cannot be drawn go into ``failed``, if it is given."""
    for stem, specification in jobs:
        try:
            svg = to_svg(specification)
            write_file(Path(f"{stem}.svg"), svg.encode("utf-8"))
            write_file(Path(f"{stem}.png"), to_png(svg))
        except Exception as error:  # vl-convert raises whatever its JavaScript does
            if failed is None:
                raise
            failed[stem] = one_line(error)


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
