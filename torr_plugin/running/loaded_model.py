"""A model that answers prompts: checked before anything is planned, loaded, and asked.

It is lm-eval's, with every failure turned into an answer that says so.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..core.errors import EngineBrokenError, ModelError, described
from ..core.redaction import without_secrets
from ..core.texts import ThinkingMarks, ends_in_thoughts, split_thoughts
from ..prompts.message import images_of, merged, plain_text, spoilt, turns
from .answer import ANSWERED_BY, CUT, SENT, Answer, reason_of, storable_text
from .engines.base import Context, Engine, EngineRequest, Failure, ModelOutput
from .engines.lm_eval import LmEvalEngine
from .model_classes import (
    ModelClass,
    arguments_of,
    check_installed,
    check_name,
    lm_class,
    missing_package,
    models,
    patched_library,
    requirements_of,
)
from .request_sources import ListedRequests, PendingRequest, RequestSource
from .trust import check_trust, guard_key

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..prompts.message import Prompt
    from ..recipes import ModelEntry


OnKnown: TypeAlias = Callable[[str, Mapping[str, Any]], object]
"""Called with a field of a model's record (:data:`.answer.SENT`, :data:`.answer.ANSWERED_BY`) and its value
when it becomes known."""


_IDLE_SECONDS = 0.01
_log = logging.getLogger(__name__)


# -- checked and loaded --------------------------------------------------------------------------------------


def check_models(entries: Sequence[ModelEntry], *, here: bool = True) -> None:
    """Refuse models that could not be asked, as far as that shows without loading weights.

    Args:
        entries: the models.
        here: they are to run on this machine, so what they need has to be there: packages, and for a server
            its address and key. Without it only names and arguments are checked.

    Raises:
        ModelError: unknown, or an argument of a server is unknown (with the nearest) or is no number; or what
            it needs is missing, and how to get it; or it would send a key, or run code, as only a file says.
    """
    for entry in entries:
        check_name(entry.model, entry.label)
        check_trust(entry)
        if here:
            check_installed(entry.model)
        needs = requirements_of(entry.model)
        if entry.model not in models and (needs is None or needs.kind != "server"):
            continue  # an engine, whose import takes long
        try:
            model_class = ModelClass(lm_class(entry.model))
        except ModelError:
            if here:
                raise
            continue
        if here and model_class.server:
            with _without_warnings():  # they come when it is loaded to be asked
                load_model(entry, {}).engine.close()
        else:
            with _named(entry):
                arguments_of(entry, model_class, {})


@contextmanager
def _without_warnings() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def load_model(entry: ModelEntry, generation: Mapping[str, Any]) -> Model:
    """Load a model, with its weights if it has any.

    Args:
        entry: its name in lm-eval and its arguments.
        generation: the plan's generation parameters.

    Raises:
        ModelError: unknown, its package is not installed, or it cannot be made with these arguments; or it
            would send a key, or run code, as only a file says.
    """
    check_trust(entry)
    model_class = ModelClass(lm_class(entry.model))
    with _named(entry):
        arguments = arguments_of(entry, model_class, entry.generation_under(generation))
        with patched_library(entry.model):
            lm = model_class.create(arguments)
        without_key = guard_key(lm, entry) if model_class.server else ""
        engine = engine_of(lm, arguments, left_out=entry.generation.left_out)
        try:
            chat = uses_chat(entry, lm)
        except BaseException:
            engine.close()
            raise
    return Model(lm, chat=chat, generation=generation, entry=entry, engine=engine, without_key=without_key)


def engine_of(lm: LM, args: Mapping[str, Any] | None = None, *, left_out: Collection[str] = ()) -> Engine:
    """Choose the engine for a loaded model: vLLM's own, the client of a server, or lm-eval's way.

    Args:
        lm: the model.
        args: the arguments that the user gave, which the model cannot tell from lm-eval's defaults.
        left_out: generation parameters that a server is not to be sent.
    """
    kind = ModelClass(type(lm)).engine
    if kind == "server":
        from .engines.server.engine import ServerEngine, settings_of

        return ServerEngine(lm, settings_of(lm, args or {}), left_out=left_out)
    if kind == "vllm" and getattr(lm, "data_parallel_size", 1) == 1:  # lm-eval runs several vLLMs itself
        from .engines.vllm import VllmEngine

        return VllmEngine(lm)
    return LmEvalEngine(lm, args)


@contextmanager
def _named(entry: ModelEntry) -> Iterator[None]:
    """Say of an error which model it is about."""
    who = f"model {entry.label!r} ({entry.model})"
    try:
        yield
    except ImportError as error:
        raise missing_package(entry.model, error) from error
    except ModelError as error:
        raise ModelError(f"{who}: {error}") from error
    except (Exception, SystemExit) as error:  # a model's constructor may raise anything
        raise ModelError(f"{who} cannot be loaded: {described(error)}") from error


def uses_chat(entry: ModelEntry, lm: LM) -> bool:
    """Whether to use chat messages: what the entry says, else whether the model has a chat template.

    Raises:
        ModelError: the model cannot do what the entry says.
        ImportError: the model's tokenizer needs a package that is not installed.
    """
    only = ModelClass(type(lm)).chat_only
    if entry.chat is False and only:
        raise ModelError("the model takes chat messages only; leave out 'chat: false' (--no-chat)")
    if only or entry.chat is False:
        return only
    if entry.chat is None and not _has_template(lm):
        return False
    failure = _template_failure(lm)
    if failure is None:
        _log.info("model %r is asked through its chat template", entry.label)
        return True
    if entry.chat:
        raise ModelError(f"the model has no usable chat template: {failure}; leave out 'chat: true' (--chat)")
    _log.warning("model %r is asked in plain text: its chat template fails (%s)", entry.label, failure)
    return False


def _has_template(lm: LM) -> bool:
    """Whether a loaded model's own tokenizer or processor brings a chat template.

    A library's stand-in for a tokenizer without one does not count: a base model would be asked in a form
    that it never saw.
    """
    if ModelClass(type(lm)).server and not (lm.tokenizer_backend == "huggingface" and lm.tokenized_requests):
        return False  # its template, if any, is not applied before the text is sent
    return any(
        bool(getattr(getattr(lm, name, None), "chat_template", None)) for name in ("tokenizer", "processor")
    )


def _template_failure(lm: Any) -> str | None:
    """Why the template cannot be applied; None where it can."""
    applied = getattr(lm, "chat_applied", None)  # lm-eval's models of pictures remember that one was
    try:
        lm.apply_chat_template([{"role": "user", "content": "?"}])
    except ImportError:  # reported by the caller, with the command that installs the package
        raise
    except Exception as error:  # templates are programs of their own
        if applied is not None:
            lm.chat_applied = applied
        return described(error)
    return None


# -- what it is given ----------------------------------------------------------------------------------------


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


TEMPLATED = "apply_chat_template"
"""The field of what a model is sent that says whether its chat template was applied."""


class Contexts:
    """Makes contexts for one model; warns once where a system turn moves into the user's."""

    def __init__(self, lm: LM, *, chat: bool) -> None:
        self._lm, self._chat, self._merges = lm, chat, False
        self._class = ModelClass(type(lm))

    def of(self, prompt: Prompt) -> Context | Failure:
        """What the model is given for a prompt, or why it cannot be asked."""
        images = images_of(prompt)
        refusal = self._too_many_images(len(images))
        if refusal:
            return Failure(refusal)
        if not images and self._class.multimodal and not self._class.server:
            prompt = spoilt(prompt)
        made = self._templated(prompt) if self._chat else plain_text(prompt)
        return made if isinstance(made, Failure) else Context(made, images)

    def _templated(self, prompt: Prompt) -> Any:
        """What the chat template makes; a system turn that it refuses or drops goes into the user's turn."""
        system = [turn.content for turn in prompt if turn.role == "system"]
        if system and self._merges:
            return self._applied(merged(prompt))
        made = self._applied(prompt)
        if not system or (not isinstance(made, Failure) and _holds(made, system)):
            return made
        instead = self._applied(merged(prompt))
        if isinstance(instead, Failure):
            return made
        _log.warning("the model takes no system turn: its text stands before the user's")
        self._merges = True
        return instead

    def _applied(self, prompt: Prompt) -> Any:
        try:
            return self._lm.apply_chat_template(turns(prompt))
        except Exception as error:  # templates are programs of their own
            return Failure(described(error))

    def _too_many_images(self, count: int) -> str | None:
        if not count:
            return None
        if not self._class.multimodal:
            return "the prompt shows a picture, and the model sees text only"
        most = getattr(self._lm, "max_images", None)
        if isinstance(most, int) and count > most:
            return f"the prompt has {count} pictures, the model takes {most}: raise its argument max_images"
        return None


def _holds(made: Any, texts: list[str]) -> bool:
    """Whether a template's text has the system's in it; messages for a server are trusted."""
    return not isinstance(made, str) or all(text.strip() in made for text in texts)


# -- asked ---------------------------------------------------------------------------------------------------


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
                on_known(name, self.sent if name == SENT else value)
                self._reported[name] = value

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
                answers = self._work(requests)
                try:
                    self._report(on_known)  # before the last answers, after which nobody may listen
                finally:  # a report that fails or is interrupted loses no answer
                    yield answers
        except KeyboardInterrupt:
            yield self._abandoned()
            self._report(on_known)
            raise
        except EngineBrokenError as error:
            yield self._abandoned()
            self._report(on_known)  # also what led to it
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
