"""In this process."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..answer import Answer
from .base import Ask
from .pace import Pace, take

if TYPE_CHECKING:
    from ...recipes import ModelEntry
    from ..models import Asked


@contextmanager
def local_executor() -> Iterator[Ask]:
    """Asks a model in this process, batch after batch."""
    yield ask_here


def ask_here(
    entry: ModelEntry,
    generation: Mapping[str, Any],
    pending: Iterator[Asked],
    count: int,
) -> Generator[list[Answer], None, None]:
    """See :class:`Ask`. On Ctrl-C the finished part of the batch is given first."""
    from ..models import load_model

    model, pace = load_model(entry, generation), Pace()
    while asked := take(pending, pace.size):
        started = time.perf_counter()
        try:
            answers = model.answers(asked)
        except KeyboardInterrupt:
            yield model.finished(asked)
            raise
        pace.record(len(asked), time.perf_counter() - started)
        yield answers
