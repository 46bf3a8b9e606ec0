"""Processes that draw charts: ahead of time, in which order, and what they compute for pages."""

from __future__ import annotations

import json
import os
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest

from tests.analysis.made import cube_frame
from torr_plugin.analysis import (
    AnalysisError,
    ChartsAhead,
    analysis_results,
    chart_workers,
    write_analysis,
)
from torr_plugin.analysis.charts import specifications
from torr_plugin.analysis.charts.workers import ENDINGS, ChartWorkers, Job
from torr_plugin.core.atomic_files import write_file

pytestmark = pytest.mark.full

ROWS = cube_frame(np.round(np.random.default_rng(0).random((2, 6, 5)), 6), parts=True)


def test_charts_are_drawn_once_while_figures_are_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    def draw_chart(stem: str, specification: dict[str, Any]) -> None:
        drawn.append(stem)
        for ending in ENDINGS:
            write_file(Path(stem + ending), json.dumps(specification).encode())

    monkeypatch.setattr("torr_plugin.analysis.charts.workers.draw_chart", draw_chart)
    workers = ChartWorkers([], tmp_path / "ahead")
    found = analysis_results(ROWS, resamples=5, keeps_labels={"d": []}, computed=ChartsAhead(workers))
    write_analysis(found, tmp_path / "out", workers=workers)
    expected = {folder: specifications(part)[0] for folder, part in found.parts().items()}
    assert {str(Path(stem).parent) for stem in drawn} == {str(tmp_path / "ahead")}
    assert len(drawn) == len({json.dumps(each) for part in expected.values() for each in part.values()})
    for folder, part in expected.items():
        for name, specification in part.items():
            text = (tmp_path / "out" / "charts" / folder / f"{name}.svg").read_text(encoding="utf-8")
            assert text == json.dumps(specification)


def test_charts_that_are_asked_for_at_the_same_time_have_files_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers, stems = ChartWorkers([], tmp_path), list[str]()

    def submit(draw: object, job: Job) -> Future[None]:
        stems.append(job[0])
        if len(stems) == 1:  # as from another thread, before the first chart is noted down
            workers.draw_ahead({"mark": "bar"})
        return Future()

    monkeypatch.setattr(workers._threads, "submit", submit)
    workers.draw_ahead({"mark": "point"})
    assert len(set(stems)) == 2


def test_no_chart_is_drawn_ahead_of_an_analysis_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    started = Event()

    class Slow:
        def __init__(self, warm_up: object) -> None: ...

        def call(self, draw: object, stem: str, specification: object) -> None:
            started.set()
            sleep(0.05)
            drawn.append(stem)

        def stop(self) -> None:
            drawn.append("stopped")

    drawn: list[str] = []
    monkeypatch.setattr("torr_plugin.analysis.charts.workers.WorkerProcess", Slow)

    def analyse_wrong_scores() -> None:
        with chart_workers(1) as workers:
            for number in range(9):
                workers.draw_ahead({"data": {"values": [number]}})
            started.wait()
            raise AnalysisError("scores: found nothing; expected rows")

    with pytest.raises(AnalysisError):
        analyse_wrong_scores()
    assert [Path(stem).name for stem in drawn] == ["0", "stopped"]


def test_what_pages_wait_for_comes_before_charts_that_are_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, drawing, asked = list[str](), Event(), Event()

    class Worker:
        def __init__(self, warm_up: object) -> None: ...

        def call(self, function: Any, *arguments: Any) -> Any:
            drawing.set()
            asked.wait(30)
            done.append(Path(str(arguments[0])).name)

        def stop(self) -> None: ...

    monkeypatch.setattr("torr_plugin.analysis.charts.workers.WorkerProcess", Worker)
    with chart_workers(1) as workers, ThreadPoolExecutor(1) as thread, ThreadPoolExecutor(1) as pages:
        jobs = [(str(tmp_path / f"chart {number}"), {}) for number in range(3)]
        drawn = thread.submit(workers.draw, jobs)
        drawing.wait()
        figure, page = workers.ahead(str, "figure"), pages.submit(workers.svg, {})
        end = monotonic() + 30
        while sum(workers._asking.values()) < 2 and monotonic() < end:
            sleep(0.001)
        asked.set()
        for each in (figure, page.result, drawn.result):
            each()
    assert done == ["chart 0", "{}", "figure", "chart 1", "chart 2"]


def test_what_one_page_computes_while_another_waits_is_computed_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computing, go_on = Event(), Event()

    class Worker:
        def __init__(self, warm_up: object) -> None: ...

        def call(self, function: Any, *arguments: Any) -> str:
            computing.set()
            go_on.wait(30)
            return "there"

        def stop(self) -> None: ...

    monkeypatch.setattr("torr_plugin.analysis.charts.workers.WorkerProcess", Worker)
    with chart_workers(1) as workers, ThreadPoolExecutor(2) as pages:
        first = pages.submit(workers.compute, str, "here")
        assert computing.wait(30)
        second = pages.submit(workers.compute, str, "here")
        end = monotonic() + 30
        while not sum(workers._asking.values()) and monotonic() < end:
            sleep(0.001)
        assert workers.compute(str, "here") == "here"
        go_on.set()
        assert [first.result(), second.result()] == ["there", "there"]


def test_of_each_chart_that_was_drawn_it_is_said_at_once(tmp_path: Path) -> None:
    known: list[tuple[str, bool]] = []
    bad, good, last = (str(tmp_path / name) for name in ("bad", "good", "last"))
    with chart_workers(0) as here:
        failed = here.draw(
            [(bad, {"mark": "none such"}), (good, {"mark": "point"}), (last, {"mark": "point"})],
            lambda stem: known.append((stem, Path(f"{last}.svg").exists())),
        )
    assert known == [(good, False), (last, True)]
    assert list(failed) == [bad]


def test_a_process_has_imported_what_it_will_compute() -> None:
    imported = "'this' in __import__('sys').modules"
    with chart_workers(1) as plain, chart_workers(1, ["this"]) as ready:
        assert [each.ahead(eval, imported)() for each in (plain, ready)] == [False, True]


def test_a_module_that_is_lacking_ends_no_process() -> None:
    with chart_workers(1, ["no_such_module"]) as workers:
        assert workers.ahead(os.getpid)() != os.getpid()
