"""A study's generation parameters by lm-eval's names.

MERGED: A model that answers prompts: lm-eval's, with every failure turned into an answer that says so.
MERGED: What an engine was given and has not answered yet, and the answers that are not given on yet.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.errors import EngineBrokenError, ModelError, ServerLostError
from .answer import MOST_ERROR_CHARACTERS, Answer, one_line, storable_text
from .contexts import Contexts, Failure, asked_in_messages, plain_text
from .engines import Engine, EngineRequest, ModelOutput, engine_of, unstarted_requests
from .engines.vllm_process import vllm_in_own_process_group
from .model_class import model_class_of
from .pending_request import ListedRequests, PendingRequest, RequestSource, is_stopped
from .registry import lm_class, missing_package

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..recipes import ModelEntry


def lm_eval_arguments(generation: Mapping[str, Any]) -> dict[str, Any]:
    """Generation parameters by lm-eval's names: ``max_tokens`` is ``max_gen_toks``; the rest keep theirs."""
    rest = {
        name: value
        for name, value in generation.items()
        if name not in ("max_tokens", "temperature", "until")
    }
    temperature = float(generation.get("temperature") or 0.0)
    arguments: dict[str, Any] = {
        **rest,
        "until": [str(stop) for stop in generation.get("until") or ()],
        "temperature": temperature,
        "do_sample": temperature > 0,
    }
    if generation.get("max_tokens") is not None:
        arguments["max_gen_toks"] = int(generation["max_tokens"])
    return arguments


__all__ = ["Failure", "Model", "PendingRequest", "lm_eval_arguments", "load_model", "plain_text"]

_WAIT = 0.01


def load_model(entry: ModelEntry, generation: Mapping[str, Any]) -> Model:
    """Load a model, with its weights where it has any.

    Args:
        entry: its name in lm-eval and its arguments.
        generation: the plan's generation parameters.

    Raises:
        ModelError: unknown, its package is not installed, or it cannot be made with these arguments.
    """
    model_class = model_class_of(lm_class(entry.model))
    try:
        with vllm_in_own_process_group(entry.model):
            lm = model_class.create(entry.args)
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
    except ImportError as error:  # of the tokenizer, which some models load late
        engine.close()
        raise missing_package(entry.model, error) from error
    return Model(lm, chat=chat, generation=generation, label=entry.label, name=entry.model, engine=engine)


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
        name: str = "",
        engine: Engine | None = None,
    ) -> None:
        self._lm, self._generation = lm, dict(generation)
        self._label, self._name = label, name or label
        self._contexts = Contexts(lm, chat=chat)
        self.engine = engine_of(lm) if engine is None else engine

    def answers(self, asked: Sequence[PendingRequest]) -> list[Answer]:
        """One answer a request, in order. No failure of the model stops the others."""
        found: dict[str, Answer] = {}
        for answers in self.stream(ListedRequests(PendingRequest(*each) for each in asked)):
            found.update({answer.key: answer for answer in answers})
        return [found[each[0]] for each in asked]

    def stream(self, source: RequestSource) -> Iterator[list[Answer]]:
        """Answers in batches of some seconds, in the order in which they are ready.

        The engine is kept full: as requests are finished, others are taken from the source. On Ctrl-C what
        is finished is given before :class:`KeyboardInterrupt` goes on.

        Raises:
            EngineBrokenError: the engine can answer nothing more; what it finished before was given.
        """
        under_way = InFlight(self._contexts, self._generation)
        batch = AnswerBatch()
        try:
            while not (source.done and not under_way.count):
                if is_stopped(source):
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

    def _recall(self, under_way: InFlight) -> None:
        """The run is to stop: what waits inside the engine is not asked any more."""
        try:
            under_way.forget(unstarted_requests(self.engine))
        except Exception as error:
            raise _EngineError(f"its engine broke ({one_line(error)})") from error

    def _work(self, asked: Sequence[PendingRequest], under_way: InFlight, batch: AnswerBatch) -> None:
        """Give the engine what was taken, and let it work for a while."""
        tasks, refused = under_way.begin(asked)
        batch.add(refused)
        try:
            if tasks:
                self.engine.add(tasks)
            finished = self.engine.step() if under_way.count else []
        except EngineBrokenError as error:
            raise _EngineError(str(error)) from error
        except ImportError as error:
            raise _EngineError(str(missing_package(self._name, error))) from error
        except (Exception, SystemExit) as error:  # an engine that broke may raise anything
            raise _EngineError(f"its engine broke ({one_line(error)})") from error
        batch.add(under_way.end(finished))

    def _rescued(self, under_way: InFlight) -> list[Answer]:
        """What an engine that is given up finished of its tasks, if it can still tell."""
        try:
            return under_way.end(self.engine.abandon())
        except (Exception, SystemExit):  # it is broken
            return []


class _EngineError(Exception):
    """An engine raised, which it does only when it is broken."""


SECONDS_A_BATCH = 5.0
# while the engine could use what may follow from the answers
SECONDS_A_BATCH_AWAITED = 0.25
MOST_A_BATCH = 4096
# how servers call an answer that they held back
_REFUSALS = frozenset({"content_filter", "refusal"})


class AnswerBatch:
    """Answers that are not given yet: kept some seconds, so that they are not stored one by one."""

    def __init__(self) -> None:
        self._answers, self._since = list[Answer](), time.monotonic()

    def add(self, answers: list[Answer]) -> None:
        """Keep answers."""
        self._answers += answers

    def is_due(self, *, idle: bool, awaited: bool) -> bool:
        """Whether to give them now.

        Args:
            idle: the engine has nothing to do.
            awaited: it could use more, which may follow from these answers.
        """
        if not self._answers:
            return False
        most = SECONDS_A_BATCH_AWAITED if awaited else SECONDS_A_BATCH
        return idle or len(self._answers) >= MOST_A_BATCH or time.monotonic() - self._since >= most

    def given(self) -> list[Answer]:
        """All of them; none is kept."""
        answers, self._answers, self._since = self._answers, [], time.monotonic()
        return answers


class InFlight:
    """The requests that an engine has, by number."""

    def __init__(self, contexts: Contexts, generation: Mapping[str, Any]) -> None:
        self._contexts, self._study = contexts, generation
        self._arguments = lm_eval_arguments(generation)
        self._asked: dict[int, tuple[str, float]] = {}
        self._next = 0

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._asked)

    def begin(self, asked: Sequence[PendingRequest]) -> tuple[list[EngineRequest], list[Answer]]:
        """Tasks for the engine, and the answers of those requests that cannot be asked."""
        tasks, refused = list[EngineRequest](), list[Answer]()
        now = time.monotonic()
        for each in asked:
            context = self._contexts.of(each.prompt)
            if isinstance(context, Failure):
                refused.append(Answer(each.key, None, error=storable_text(context.reason)))
                continue
            tasks.append(EngineRequest(self._next, context, self._generation_of(each)))
            self._asked[self._next] = each.key, now
            self._next += 1
        return tasks, refused

    def _generation_of(self, asked: PendingRequest) -> Mapping[str, Any]:
        if asked.generation is None:
            return self._arguments
        return lm_eval_arguments({**self._study, **asked.generation})

    def forget(self, numbers: Iterable[int]) -> None:
        """These are not asked any more, and have no answer."""
        for number in numbers:
            self._asked.pop(number, None)

    def end(self, finished: Sequence[tuple[int, ModelOutput | Failure]]) -> list[Answer]:
        """The answers of what the engine has finished; what it tells a second time is left out."""
        now = time.monotonic()
        answers = []
        for number, found in finished:
            if number in self._asked:
                key, since = self._asked.pop(number)
                answers.append(_answer(key, found, now - since))
        return answers


def _answer(key: str, found: ModelOutput | Failure, seconds: float) -> Answer:
    if isinstance(found, Failure):
        return Answer(
            key, None, error=storable_text(found.reason), seconds=seconds, prompt_tokens=found.prompt_tokens
        )
    refused = found.finish_reason in _REFUSALS
    return Answer(
        key,
        None if refused else storable_text(found.text),
        error=_refusal(found) if refused else None,
        seconds=seconds,
        prompt_tokens=found.prompt_tokens,
        completion_tokens=found.completion_tokens,
        finish_reason=found.finish_reason,
        cached_tokens=found.cached_tokens,
    )


def _refusal(found: ModelOutput) -> str:
    said = " ".join(found.text.split())
    return storable_text(f"refused: {said or found.finish_reason}", MOST_ERROR_CHARACTERS)
