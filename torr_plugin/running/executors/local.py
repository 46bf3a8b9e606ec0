"""The executor that asks models in this process."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from ...core.errors import ModelError
from ..answer import one_line
from ..engines.lm_eval import release
from ..loading import load_model
from ..model import Model
from .base import Executor, JobOutcome, ModelJob

_log = logging.getLogger(__name__)


@contextmanager
def local_executor() -> Iterator[Executor]:
    """Asks models in this process, one after the other."""
    yield LocalExecutor()


class LocalExecutor:
    """See :class:`Executor`. On Ctrl-C finished answers come first."""

    def run(self, jobs: Sequence[ModelJob]) -> Generator[tuple[str, JobOutcome], None, None]:
        """See :class:`Executor`; a model's memory is free before the next is loaded."""
        for number, job in enumerate(jobs):
            if job.source.done:  # a stop was requested, so load no model
                continue
            if number:
                release()
            try:
                yield from _answers_of(job)
            except ModelError as error:
                yield job.entry.label, _bare(error)


def _answers_of(job: ModelJob) -> Generator[tuple[str, JobOutcome], None, None]:
    model = load_model(job.entry, job.generation)
    try:
        for answers in model.stream(job.source, job.on_traffic):
            yield job.entry.label, answers
    finally:
        _close(model)


def _close(model: Model) -> None:
    """Close an engine; an error of a broken one must not stop the next model."""
    try:
        model.engine.close()
    except Exception as error:
        _log.warning("a model's engine did not close cleanly: %s", one_line(error))


def _bare(error: ModelError) -> ModelError:
    """The error without its traceback, which would keep the weights of what was being loaded in memory."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
