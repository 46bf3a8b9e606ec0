"""Charts as SVG and PNG, drawn in a process of its own, and the Vega library that draws them in pages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import vl_convert

from ..analysis.charts import draw
from ..analysis.results import LABEL_KEEPING, AnalysisResults
from ..core.atomic_files import atomic_path
from ..core.user_cache import user_cache
from .files import DataFile

CHARTS_FOLDER = "charts"
"""Where charts lie among a study's downloads; those of the label-keeping part in a folder below."""


@dataclass(frozen=True)
class ChartFile:
    """A chart that was drawn.

    Attributes:
        name: path without ending, in the folder of charts.
        title: what stands above it.
        width: in pixels; so ``height``.
        svg: how many bytes; so ``png``.
        label_keeping: whether it is over label-keeping perturbations alone.
    """

    name: str
    title: str
    width: int
    height: int
    svg: int
    png: int
    label_keeping: bool = False


@dataclass(frozen=True)
class DrawnCharts:
    """The charts of a study.

    Attributes:
        files: that were drawn.
        left_out: a line for each reason why the study has no such chart.
        failed: a line for each chart that could not be drawn.
    """

    files: tuple[ChartFile, ...] = ()
    left_out: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class ChartDrawing:
    """The charts that are being drawn, one folder per study."""

    def __init__(self, process: subprocess.Popen[str] | None) -> None:
        self._process = process
        self._found: dict[str, DrawnCharts] = {}

    def of(self, folder: Path) -> DrawnCharts:
        """What was drawn into a folder; waits for it. Whatever goes wrong is said in ``failed``."""
        name = str(folder)
        while name not in self._found and self._process is not None:
            assert self._process.stdout is not None  # noqa: S101 (it is a pipe)
            line = self._process.stdout.readline()
            if not line:
                break
            found = json.loads(line)
            self._found[found.pop("folder")] = _charts(found)
        return self._found.get(name, DrawnCharts(failed=(self._ended(),)))

    def _ended(self) -> str:
        if self._process is None:
            return "no chart: the process that draws them could not be started"
        return f"no chart: the process that draws them ended with {self._process.wait()}"


@contextmanager
def draw_in_background(folders: Mapping[Path, Mapping[str, Any]]) -> Iterator[ChartDrawing]:
    """Draw the charts of studies while the body runs.

    Args:
        folders: where a study's charts go -> its ``analysis.json``.
    """
    process = _started({str(folder): figures for folder, figures in folders.items()}) if folders else None
    try:
        yield ChartDrawing(process)
    finally:
        if process is not None:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _started(jobs: Mapping[str, Any]) -> subprocess.Popen[str] | None:
    """The process that draws; None where there cannot be one."""
    command = [sys.executable, "-m", __name__]
    try:
        process = subprocess.Popen(  # noqa: S603 (our own module)
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="ascii",
        )
    except OSError:
        return None
    try:
        assert process.stdin is not None  # noqa: S101 (it is a pipe)
        with process.stdin as stdin:
            json.dump(jobs, stdin)
    except OSError:
        pass  # it ended at once, which the wait for it will say
    return process


def _charts(found: Mapping[str, Any]) -> DrawnCharts:
    files = tuple(ChartFile(**each) for each in found["files"])
    return DrawnCharts(files, tuple(found["left_out"]), tuple(found["failed"]))


def _drawn(folder: Path, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a study's charts; what there is to say of them, ready for JSON."""
    drawn = draw({folder / part: found for part, found in AnalysisResults.from_json(figures).parts().items()}, keep_going=True)
    files = []
    for chart in drawn.charts:
        svg, png = (chart.stem.with_name(chart.stem.name + ending) for ending in (".svg", ".png"))
        name = chart.stem.relative_to(folder).as_posix()
        width, height = _size(svg)
        files.append(
            {
                "name": name,
                "title": chart.title,
                "width": width,
                "height": height,
                "svg": svg.stat().st_size,
                "png": png.stat().st_size,
                "label_keeping": name.startswith(f"{LABEL_KEEPING}/"),
            }
        )
    return {"folder": str(folder), "files": files, "left_out": drawn.left_out, "failed": drawn.failed}


def _size(svg: Path) -> tuple[int, int]:
    """Width and height, from the beginning of the file."""
    with svg.open(encoding="utf-8") as file:
        head = file.read(1000)
    found = re.search(r'<svg[^>]* width="([0-9.]+)"[^>]* height="([0-9.]+)"', head)
    return (round(float(found[1])), round(float(found[2]))) if found else (600, 400)


def _work(jobs: IO[str], said: IO[str]) -> None:
    """Draw one study after the other, a line of JSON each."""
    for folder, figures in json.load(jobs).items():
        try:
            line = _drawn(Path(folder), figures)
        except Exception as error:  # nothing that is wrong with charts is wrong with the site
            why = f"no chart: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
            line = {"folder": folder, "files": [], "left_out": [], "failed": [why]}
        json.dump(line, said)
        said.write("\n")
        said.flush()


if __name__ == "__main__":
    _work(sys.stdin, sys.stdout)


_NOTE = (
    "/* Vega {vega}, Vega-Lite {lite} and Vega-Embed {embed}, University of Washington Interactive Data Lab, "
    "BSD 3-Clause licence, and the libraries they rest on: LICENSES.txt beside this file. "
    "vl-convert {maker} */\n"
)
_END = "\n/* the whole of it */\n"


def vega_files() -> Iterator[DataFile]:
    """``assets/vega.js``, which sets ``vegaEmbed``; its licences are an asset like the others."""
    yield DataFile("assets/vega.js", _library())


@cache
def _library() -> str:
    """The library: three seconds to make, and so kept in the user's cache, under its versions.

    A cache that cannot be read or written, or holds part of a file, costs the three seconds and nothing else.
    """
    versions = {
        "vega": vl_convert.get_vega_version(),
        "lite": vl_convert.get_vegalite_versions()[-1],
        "embed": vl_convert.get_vega_embed_version(),
        "maker": version("vl-convert-python"),
    }
    note = _NOTE.format(**versions)
    kept = user_cache() / "vega" / f"{'-'.join(versions.values())}.js"
    with suppress(OSError, UnicodeDecodeError):
        found = kept.read_text(encoding="utf-8")
        if found.startswith(note) and found.endswith(_END):
            return found
    made = note + str(vl_convert.javascript_bundle()) + _END  # type: ignore[call-arg]  # its stub asks for a snippet
    with suppress(OSError):
        _keep(kept, made)
    return made


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as aside:
        aside.write_text(text, encoding="utf-8")
