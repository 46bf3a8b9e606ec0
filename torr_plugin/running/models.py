"""A model that answers prompts: lm-eval's, with every failure turned into an answer that says so."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.errors import EngineBrokenError, ModelError, ServerLostError
from .answer import Answer, one_line
from .asked import Asked
from .chat import asked_in_messages
from .contexts import Contexts, Failure, plain_text
from .devices import on_a_device
from .engines import Engine, engine_of, recalled
from .engines.vllm_process import vllm_apart
from .generation import lm_eval_arguments
from .registry import missing_package, model_class
from .source import Listed, Source, stopped
from .under_way import Batch, UnderWay

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..recipes import ModelEntry

__all__ = ["Asked", "Failure", "Model", "lm_eval_arguments", "load_model", "plain_text"]

_WAIT = 0.01


def load_model(entry: ModelEntry, generation: Mapping[str, Any]) -> Model:
    """Load a model, with its weights where it has any.

    Args:
        entry: its name in lm-eval and its arguments.
        generation: the plan's generation parameters.

    Raises:
        ModelError: unknown, its package is not installed, or it cannot be made with these arguments.
    """
    kind = model_class(entry.model)
    try:
        with vllm_apart(entry.model):
            lm = kind.create_from_arg_obj(on_a_device(kind, entry.args))
        engine = engine_of(lm, entry.args)
    except ImportError as error:
        raise missing_package(entry.model, error) from error
    except ModelError as error:
        raise ModelError(f"model {entry.label!r} ({entry.model}): {error}") from error
    except (Exception, SystemExit) as error:  # a model's constructor may raise anything
        raise ModelError(
            f"model {entry.label!r} ({entry.model}) cannot be loaded: {one_line(error)}"
        ) from error
    try:
        chat = asked_in_messages(entry, lm)
    except ModelError:
        engine.close()
        raise
    return Model(lm, chat=chat, generation=generation, label=entry.label, engine=engine)


class Model:
    """A loaded model. It sees the text and pictures of prompts and nothing else of a study.

    Attributes:
        engine: what generates; may be exchanged before the first request.
    """

    def __init__(
        self,
        lm: LM,
        *,
        chat: bool,
        generation: Mapping[str, Any],
        label: str = "",
        engine: Engine | None = None,
    ) -> None:
        self._lm, self._generation, self._label = lm, dict(generation), label
        self._contexts = Contexts(lm, chat=chat)
        self.engine = engine_of(lm) if engine is None else engine

    def answers(self, asked: Sequence[Asked]) -> list[Answer]:
        """One answer a request, in order. No failure of the model stops the others."""
        found: dict[str, Answer] = {}
        for answers in self.stream(Listed(Asked(*each) for each in asked)):
            found.update({answer.key: answer for answer in answers})
        return [found[each[0]] for each in asked]

    def stream(self, source: Source) -> Iterator[list[Answer]]:
        """Answers in batches of some seconds, in the order in which they are ready.

        The engine is kept full: as requests are finished, others are taken from the source. On Ctrl-C what
        is finished is given before :class:`KeyboardInterrupt` goes on.

        Raises:
            EngineBrokenError: the engine can answer nothing more; what it finished before was given.
        """
        under_way = UnderWay(self._contexts, self._generation)
        batch = Batch()
        try:
            while not (source.done and not under_way.count):
                if stopped(source):
                    self._recall(under_way)
                room = self.engine.room()
                asked = source.take(room) if room else []
                self._work(asked, under_way, batch)
                idle = not under_way.count
                if batch.is_due(idle=idle, awaited=len(asked) < room and not source.done):
                    yield batch.given()
                elif idle and not asked:
                    time.sleep(_WAIT)  # what comes next hangs on what others answer
            if last := batch.given():
                yield last
        except KeyboardInterrupt:
            yield [*batch.given(), *self._rescued(under_way)]
            raise
        except _EngineError as error:
            if last := [*batch.given(), *self._rescued(under_way)]:
                yield last
            kind = ServerLostError if isinstance(error.__cause__, ServerLostError) else EngineBrokenError
            raise kind(f"model {self._label!r}: {error}; what it answered is kept") from error.__cause__

    def _recall(self, under_way: UnderWay) -> None:
        """The run is to stop: what waits inside the engine is not asked any more."""
        try:
            under_way.forget(recalled(self.engine))
        except Exception as error:
            raise _EngineError(f"its engine broke ({one_line(error)})") from error

    def _work(self, asked: Sequence[Asked], under_way: UnderWay, batch: Batch) -> None:
        """Give the engine what was taken, and let it work for a while."""
        tasks, refused = under_way.begin(asked)
        batch.add(refused)
        try:
            if tasks:
                self.engine.add(tasks)
            finished = self.engine.step() if under_way.count else []
        except EngineBrokenError as error:
            raise _EngineError(str(error)) from error
        except (Exception, SystemExit) as error:  # an engine that broke may raise anything
            raise _EngineError(f"its engine broke ({one_line(error)})") from error
        batch.add(under_way.end(finished))

    def _rescued(self, under_way: UnderWay) -> list[Answer]:
        """What an engine that is given up finished of its tasks, if it can still tell."""
        try:
            return under_way.end(self.engine.abandon())
        except (Exception, SystemExit):  # it is broken
            return []


class _EngineError(Exception):
    """An engine raised, which it does only when it is broken."""
