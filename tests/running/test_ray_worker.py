"""What runs inside an actor, without Ray: two threads that meet at the worst moment."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from torr_plugin.prompts.message import Message
from torr_plugin.running.answer import Answer
from torr_plugin.running.executors.ray.worker import ModelWorker, WorkerQueue, as_row
from torr_plugin.running.pending_request import PendingRequest

from .made import entry


class Cleared(deque[Any]):
    """Another thread clears it between a look and a take."""

    def popleft(self) -> Any:
        self.clear()
        return super().popleft()


def test_what_is_recalled_while_it_is_taken_is_not_taken() -> None:
    fed = WorkerQueue(4)
    fed._waiting = Cleared([PendingRequest("k", (Message("user", "say a"),))])
    assert fed.take(4) == []


class Late:
    """When the report is made the model's thread gives its last answer and ends."""

    def __init__(self, worker: ModelWorker) -> None:
        self._worker, self._told = worker, False

    @property
    def appetite(self) -> int:
        if not self._told:
            self._told = True
            thread = threading.Thread(target=self._last)
            thread.start()
            thread.join(timeout=0.2)
        return 1

    def _last(self) -> None:
        with self._worker._news:
            self._worker._answers.append(as_row(Answer("last", "x")))
        self._worker._end(None)


def test_no_end_is_told_before_the_last_answers() -> None:
    worker = ModelWorker(entry("test-echo"), {}, {})
    worker._fed = Late(worker)  # type: ignore[assignment]
    worker._answers.append(as_row(Answer("first", "x")))
    keys: list[str] = []
    for _ in range(3):
        report = worker.collect(5)
        keys += [row[0] for row in report.answers]
        if report.ended:
            break
    assert keys == ["first", "last"]
