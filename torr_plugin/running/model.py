"""A model that answers prompts: lm-eval's, with every failure turned into an answer that says so."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from ..core.errors import EngineBrokenError, described
from ..core.redaction import without_secrets
from ..core.thinking import ThinkingMarks, ends_in_thoughts, split_thoughts
from .answer import ANSWERED_BY, CUT, SENT, Answer, reason_of, storable_text
from .engines.base import TEMPLATED, Contexts, Engine, EngineRequest, Failure, ModelOutput
from .models import ModelClass, missing_package

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..prompts.message import Prompt
    from ..recipes import ModelEntry


OnKnown: TypeAlias = Callable[[str, Mapping[str, Any]], object]
"""Called with such a field and its value when it becomes known."""


class PendingRequest(NamedTuple):
    """A request's key and prompt.

    ``generation`` are the parameters in which it differs from the study: those of a strategy's step, e.g. its
    ``max_tokens``, and the ``seed`` of a prompt that is asked again; None where they are the study's.
    """

    key: str
    prompt: Prompt
    generation: Mapping[str, Any] | None = None


class RequestSource(Protocol):
    """The requests for a model, in an order in which neighbours share their beginnings.

    Answers may lead to further requests (a strategy of several calls), so there can be none now and more
    later.
    """

    def take(self, most: int) -> list[PendingRequest]:
        """The next requests, at most ``most``; empty where there are none, or none yet."""

    @property
    def done(self) -> bool:
        """Whether no further request will come, whatever the answers are, or the run stops."""

    @property
    def stopped(self) -> bool:
        """Whether the run stops, so that an engine drops the requests that it has not begun."""


@dataclass(slots=True)
class StopRequest:
    """Whether the run is to stop soon; once set, it stays set."""

    requested: bool = False


class ListedRequests:
    """A source of requests that are known beforehand; it is done as soon as a stop is requested.

    Args:
        pending: those that are open.
        stop: whether to stop.
        answered: how many others have an answer.
    """

    refused = in_flight = 0

    def __init__(
        self, pending: Iterable[PendingRequest], stop: StopRequest | None = None, *, answered: int = 0
    ) -> None:
        requests = list(pending)
        self._left, self.stop = iter(requests), stop or StopRequest()
        self.pending, self._known = len(requests), len(requests) + answered
        self._ended = False

    def __len__(self) -> int:
        """How many requests there are, those with an answer too."""
        return self._known

    def is_empty(self) -> bool:
        """Whether all were answered before."""
        return not self.pending

    def answered(self, answers: Sequence[Answer]) -> None:
        """Count answers that were stored."""
        self.in_flight -= len(answers)

    def take(self, most: int) -> list[PendingRequest]:
        """The next requests."""
        found = [] if self.stop.requested else list(islice(self._left, most))
        self._ended = len(found) < most
        self.in_flight += len(found)
        return found

    @property
    def is_exhausted(self) -> bool:
        """Whether all are handed out."""
        return self._ended

    @property
    def done(self) -> bool:
        """Whether no further request will come."""
        return self._ended or self.stopped

    @property
    def stopped(self) -> bool:
        """Whether a stop is requested, so that engines drop waiting requests."""
        return self.stop.requested


_IDLE_SECONDS = 0.01


def lm_eval_arguments(generation: Mapping[str, Any]) -> dict[str, Any]:
    """Generation parameters by lm-eval's names: ``max_tokens`` is ``max_gen_toks``; the rest keep theirs."""
    rest = {
        name: value
        for name, value in generation.items()
        if name not in ("max_tokens", "temperature", "until") and value is not None
    }
    arguments: dict[str, Any] = {**rest, "until": [str(stop) for stop in generation.get("until") or ()]}
    temperature = generation.get("temperature", 0.0)
    if temperature is not None:
        arguments |= {"temperature": float(temperature), "do_sample": temperature > 0}
    if generation.get("max_tokens") is not None:
        arguments["max_gen_toks"] = int(generation["max_tokens"])
    return arguments


# in the arguments of other models
_OF_SERVERS = ("chat_template_kwargs", "reasoning_effort", "extra_body", "thinking_tokens")


class Model:
    """A loaded model. It sees the text and pictures of prompts and nothing else of a study.

    Attributes:
        engine: generates the answers; may be replaced before the first request.
    """

    def __init__(
        self,
        lm: LM,
        *,
        chat: bool,
        generation: Mapping[str, Any],
        entry: ModelEntry,
        engine: Engine,
        without_key: str = "",
    ) -> None:
        self._lm, self._entry, self._without_key = lm, entry, without_key
        self._contexts = Contexts(lm, chat=chat)
        kind = ModelClass(type(lm))
        self._study, self._server = generation, kind.server
        self._sent = self._generation({})
        # a server that takes messages has a template of its own
        self._template = {} if kind.server and kind.chat_only else {TEMPLATED: chat}
        self.engine = engine
        self._reported: dict[str, Any] = {}
        self._in_flight: dict[int, _Requested] = {}
        self._numbers = count()

    def answers(self, requests: Sequence[PendingRequest]) -> list[Answer]:
        """One answer a request, in order. No failure of the model stops the others."""
        found: dict[str, Answer] = {}
        for answers in self.stream(ListedRequests(PendingRequest(*each) for each in requests)):
            found.update({answer.key: answer for answer in answers})
        return [found[each[0]] for each in requests]

    @property
    def sent(self) -> dict[str, Any]:
        """Parameters that its server is sent, else the study's, and whether its chat template is applied."""
        return without_secrets({**getattr(self.engine, "sent", self._sent), **self._template})

    def _report(self, on_known: OnKnown) -> None:
        """Report what became known since the last time."""
        known = {
            SENT: getattr(self.engine, "sent", self._sent),
            ANSWERED_BY: getattr(self.engine, "answered_by", {}),
        }
        for name, value in known.items():
            if value and value != self._reported.get(name):
                self._reported[name] = value
                on_known(name, self.sent if name == SENT else value)

    def stream(
        self, source: RequestSource, on_known: OnKnown = lambda name, value: None
    ) -> Iterator[list[Answer]]:
        """Answers in the order in which they are ready, after each step of the engine; there may be none.

        The engine is kept full: as requests are finished, others are taken from the source. On Ctrl-C, what
        is finished is yielded before :class:`KeyboardInterrupt` is raised. ``on_known`` is called with
        :attr:`sent`, and with the names by which a server answers, whenever they have changed.

        Raises:
            EngineBrokenError: the engine can answer nothing more; what it finished before was yielded.
        """
        try:
            while not (source.done and not self._in_flight):
                if source.stopped:
                    self._recall()
                room = self.engine.room()
                requests = source.take(room) if room else []
                if not requests and not self._in_flight:  # the next requests depend on answers
                    time.sleep(_IDLE_SECONDS)
                    yield []
                    continue
                try:
                    answers = self._work(requests)
                finally:  # also what led to a break
                    self._report(on_known)
                yield answers
        except KeyboardInterrupt:
            yield self._abandoned()
            raise
        except EngineBrokenError as error:
            yield self._abandoned()
            refused = any(f"HTTP {status}" in str(error) for status in (401, 403))
            hint = f" ({self._without_key})" if refused and self._without_key else ""
            said = f"model {self._entry.label!r}: {error}{hint}; what it answered is kept"
            raise type(error)(said) from error
        finally:  # also where who takes the answers stops
            self._in_flight.clear()

    @contextmanager
    def _engine_at_work(self) -> Iterator[None]:
        """An engine that raises an error is broken, whatever it is."""
        try:
            yield
        except EngineBrokenError:
            raise
        except ImportError as error:
            raise EngineBrokenError(str(missing_package(self._entry.model, error))) from error
        except (Exception, SystemExit) as error:
            raise EngineBrokenError(f"its engine failed ({described(error)})") from error

    def _recall(self) -> None:
        """Drop the requests that wait inside the engine, as the run stops; they get no answer."""
        with self._engine_at_work():
            for number in self.engine.recall():
                self._in_flight.pop(number, None)

    def _work(self, requests: Sequence[PendingRequest]) -> list[Answer]:
        """Give the engine new requests, let it work for a while, and take what is finished."""
        made, refused = self._begun(requests)
        with self._engine_at_work():
            if made:
                self.engine.add(made)
            finished = self.engine.step() if self._in_flight else []
        return [*refused, *self._ended(finished)]

    def _abandoned(self) -> list[Answer]:
        """The finished requests of an engine that is given up, if it still returns them."""
        try:
            return self._ended(self.engine.abandon())
        except (Exception, SystemExit):  # it is broken
            return []

    def _begun(self, requests: Sequence[PendingRequest]) -> tuple[list[EngineRequest], list[Answer]]:
        """Requests for the engine, and the answers of those that it cannot be asked."""
        made, refused = list[EngineRequest](), list[Answer]()
        for each in requests:
            context = self._contexts.of(each.prompt)
            if isinstance(context, Failure):
                refused.append(Answer(each.key, None, error=storable_text(context.reason)))
                continue
            generation = self._sent if each.generation is None else self._generation(each.generation)
            made.append(EngineRequest(next(self._numbers), context, generation))
            most, text = generation.get("max_gen_toks") or 0, context.text
            thinks = isinstance(text, str) and ends_in_thoughts(text, self._entry.marks)
            self._in_flight[made[-1].number] = _Requested(each.key, time.monotonic(), most, thinks)
        return made, refused

    def _generation(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """The study's parameters, changed by the step's, then by the model's; a replicate keeps its seed."""
        asked = self._entry.generation_under(self._study, changes)
        if not self._server:  # these are in the model's arguments
            asked = {name: value for name, value in asked.items() if name not in _OF_SERVERS}
        return lm_eval_arguments(asked)

    def _ended(self, finished: Sequence[tuple[int, ModelOutput | Failure]]) -> list[Answer]:
        """The answers of what the engine has finished; a number that comes a second time is left out."""
        now, marks = time.monotonic(), self._entry.marks
        return [
            _answer(asked, found, now - asked.since, marks)
            for number, found in finished
            if (asked := self._in_flight.pop(number, None)) is not None
        ]


class _Requested(NamedTuple):
    """A request in flight."""

    key: str
    since: float
    most: int  # tokens of its answer; 0: no limit
    begun: bool  # in thoughts


_COUNTS = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens", "cache_write_tokens")


def _answer(asked: _Requested, found: ModelOutput | Failure, seconds: float, marks: ThinkingMarks) -> Answer:
    if isinstance(found, Failure):
        return Answer(
            asked.key,
            None,
            error=storable_text(found.reason),
            seconds=seconds,
            prompt_tokens=found.prompt_tokens,
        )
    own = found.reasoning
    cut = found.finish_reason == CUT
    split = split_thoughts(found.text, marks, begun=asked.begun and own is None, cut=cut and own is None)
    whole = replace(split, reasoning="\n".join(filter(None, (own, split.reasoning))))
    return Answer(
        asked.key,
        storable_text(split.text),
        seconds=seconds,
        finish_reason=reason_of(whole, found.finish_reason),
        max_tokens=asked.most,
        reasoning=storable_text(whole.reasoning) or None,
        **{name: getattr(found, name) for name in _COUNTS},
    )
