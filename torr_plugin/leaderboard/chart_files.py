"""Charts as files, drawn while the pages are made."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Condition

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


Tiers = Mapping[str, int]
"""Model -> its tier."""


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


class ChartsInBackground:
    """A study's charts while they are being drawn.

    Args:
        folder: where they go.
        results: the study's figures.
        tiers: the site's.
    """

    def __init__(self, folder: Path, results: AnalysisResults, tiers: Tiers) -> None:
        self._folder, self._results, self._tiers = folder, results, tiers
        self._names: set[str] = set()
        self._all: DrawnCharts | None = None
        self._changed = Condition()

    def all(self) -> DrawnCharts:
        """All of them, once they are drawn."""
        with self._changed:
            found = self._changed.wait_for(lambda: self._all)
        assert found is not None  # noqa: S101 (for which it waited)
        return found

    def has(self, name: str) -> bool:
        """Whether there is a chart of this name, as soon as that is known: of one that fails, at the end."""
        with self._changed:
            self._changed.wait_for(lambda: name in self._names or self._all)
            return name in self._names

    def draw(self, workers: ChartWorkers) -> None:
        """Draw them; what goes wrong is reported in ``failed``, as a chart must not stop the site."""
        try:
            found = self._draw(workers)
        except BaseException as error:  # pages wait for it, and what ends a thread ends nothing else
            why = f"no chart: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
            found = DrawnCharts(failed=(why,))
        self.end(found)

    def end(self, found: DrawnCharts) -> None:
        """Say what was drawn, unless that is known."""
        with self._changed:
            self._all = self._all or found
            self._changed.notify_all()

    def _draw(self, workers: ChartWorkers) -> DrawnCharts:
        """Draw all but the charts of the study's label-keeping part, which ``torr analyse`` writes."""
        drawn = draw(
            {self._folder: self._results},
            keep_going=True,
            workers=workers,
            tiers=self._tiers,
            on_drawn=self._add,
        )
        files = []
        for chart in drawn.charts:
            paths = [chart.stem.with_name(chart.stem.name + ending) for ending in ENDINGS]
            sizes = {path.suffix[1:]: path.stat().st_size for path in paths}
            files.append(ChartFile(self._name(chart.stem), chart.title, sizes))
        return DrawnCharts(tuple(files), drawn.left_out, drawn.failed)

    def _add(self, stem: str) -> None:
        with self._changed:
            self._names.add(self._name(Path(stem)))
            self._changed.notify_all()

    def _name(self, stem: Path) -> str:
        return stem.relative_to(self._folder).as_posix()


@contextmanager
def draw_in_background(
    studies: Sequence[ChartsInBackground], shared: Mapping[Path, Spec], workers: ChartWorkers
) -> Iterator[None]:
    """Draw charts while the body runs.

    Args:
        studies: their charts.
        shared: where a study's share image goes -> the picture.
        workers: who draw.
    """
    with ThreadPoolExecutor(1) as thread:
        drawing: list[Future[None]] = []
        drawing += [thread.submit(_share, path, spec, workers) for path, spec in shared.items()]
        drawing += [thread.submit(charts.draw, workers) for charts in studies]
        try:
            yield
            for each in drawing:
                each.result()
        except BaseException:
            workers.close()  # or all charts of a study would be drawn first
            raise
        finally:
            thread.shutdown(cancel_futures=True)
            for charts in studies:  # none of a study whose turn did not come
                charts.end(DrawnCharts())


def _share(path: Path, specification: Spec, workers: ChartWorkers) -> None:
    """Draw a share image."""
    write_file(path, to_png(_on_canvas(workers.svg(specification))), flush=False)


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
