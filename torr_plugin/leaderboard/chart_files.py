"""Charts as files, drawn while the pages are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..analysis import AnalysisResults
from ..analysis.charts import draw, to_png
from ..analysis.charts.vega import Spec
from ..analysis.charts.workers import ENDINGS, ChartWorkers
from ..core.atomic_files import write_file

CHARTS_FOLDER = "charts"
"""Where charts lie among a study's downloads."""

SHARE_IMAGE = "share.png"
"""Among a study's downloads."""

SHARE_SIZE = (1200, 630)
"""Its pixels: what services that show links ask for."""

_DOUBLE = 2  # pixels of the share image, for one of the drawing
_EDGE = 18


@dataclass(frozen=True)
class StudyCharts:
    """What a study's charts are of.

    Attributes:
        results: its figures.
        instead: chart name -> the site's own, in place of the analysis's.
    """

    results: AnalysisResults
    instead: Mapping[str, Spec] = field(default_factory=dict)


@dataclass(frozen=True)
class ChartFile:
    """A chart that was drawn.

    Attributes:
        name: path without ending, in the folder of charts.
        title: its heading.
        sizes: kind of file -> how many bytes.
    """

    name: str
    title: str
    sizes: Mapping[str, int]


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


@contextmanager
def draw_in_background(
    studies: Mapping[Path, StudyCharts], shared: Mapping[Path, Spec], workers: ChartWorkers
) -> Iterator[Callable[[Path], DrawnCharts]]:
    """Draw charts while the body runs; of a folder, what was drawn into it, waiting for it.

    Args:
        studies: where a study's charts go -> what they are of; what goes wrong is reported in ``failed``.
        shared: where a study's share image goes -> the picture.
        workers: who draw.
    """
    with ThreadPoolExecutor(1) as thread:
        jobs = {folder: thread.submit(_draw, folder, charts, workers) for folder, charts in studies.items()}
        images = [thread.submit(_share, path, spec, workers) for path, spec in shared.items()]

        def drawn(folder: Path) -> DrawnCharts:
            try:
                return jobs[folder].result()
            except Exception as error:  # a chart that fails must not stop the site
                why = f"no chart: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
                return DrawnCharts(failed=(why,))

        try:
            yield drawn
            for image in images:
                image.result()
        except BaseException:
            workers.close()  # or all charts of a study would be drawn first
            raise
        finally:
            thread.shutdown(cancel_futures=True)


def _share(path: Path, specification: Spec, workers: ChartWorkers) -> None:
    """Draw a share image."""
    write_file(path, to_png(_on_canvas(workers.svg(specification))))


def _on_canvas(svg: str) -> str:
    """A drawing in the middle of the share image."""
    width, height = (side / _DOUBLE for side in SHARE_SIZE)
    found = re.search(r'width="([0-9.]+)" height="([0-9.]+)" viewBox="([^"]+)"', svg)
    if found is None:
        return svg
    scale = min((width - 2 * _EDGE) / float(found[1]), (height - _EDGE) / float(found[2]))
    wide, tall = scale * float(found[1]), scale * float(found[2])
    x, y = (width - wide) / 2, (height - tall) / 2
    placed = f'x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" viewBox="{found[3]}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}">'
        f'<rect width="100%" height="100%" fill="white"/>{svg.replace(found[0], placed, 1)}</svg>'
    )


def _draw(folder: Path, charts: StudyCharts, workers: ChartWorkers) -> DrawnCharts:
    """Draw a study's charts; not those of its label-keeping part, which ``torr analyse`` writes."""
    drawn = draw({folder: charts.results}, keep_going=True, workers=workers, instead=charts.instead)
    files = []
    for chart in drawn.charts:
        paths = [chart.stem.with_name(chart.stem.name + ending) for ending in ENDINGS]
        sizes = {path.suffix[1:]: path.stat().st_size for path in paths}
        files.append(ChartFile(chart.stem.relative_to(folder).as_posix(), chart.title, sizes))
    return DrawnCharts(tuple(files), drawn.left_out, drawn.failed)
