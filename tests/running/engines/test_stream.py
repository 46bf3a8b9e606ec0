"""A model's stream: nothing lost, nothing doubled, and the engine kept full."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.errors import EngineBrokenError
from torr_plugin.prompts.message import Message
from torr_plugin.recipes import ModelEntry
from torr_plugin.running.answer import Answer
from torr_plugin.running.engines.base import EngineRequest, Failure, Finished, ModelOutput
from torr_plugin.running.loaded_model import Model
from torr_plugin.running.request_sources import ListedRequests, PendingRequest, StopRequest

GENERATION = {"max_tokens": 16, "temperature": 0.0, "until": ["\n"]}


class Fake:
    """An engine whose steps finish what chance says, and which notes when it had too little to do."""

    def __init__(self, rng: random.Random, most: int, *, breaks_at: int | None = None) -> None:
        self.rng, self.most, self.breaks_at = rng, most, breaks_at
        self.tasks: list[EngineRequest] = []
        self.seen: list[EngineRequest] = []
        self.steps = self.hungry = 0
        self.more_to_come = lambda: False

    def room(self) -> int:
        return self.rng.randint(0, self.most - len(self.tasks)) if self.tasks else self.most

    def add(self, tasks: Sequence[EngineRequest]) -> None:
        self.tasks += tasks
        self.seen += tasks
        assert len(self.tasks) <= self.most

    def step(self) -> list[Finished]:
        self.steps += 1
        assert self.tasks, "asked to work with nothing to do"
        if self.breaks_at is not None and self.steps >= self.breaks_at:
            raise RuntimeError("device lost")
        ready = [task for task in self.tasks if self.rng.random() < 0.4]
        return self._give(ready)

    def _give(self, ready: list[EngineRequest]) -> list[Finished]:
        self.tasks = [task for task in self.tasks if task not in ready]
        self.rng.shuffle(ready)
        return [(task.number, self._of(task)) for task in ready]

    @staticmethod
    def _of(task: EngineRequest) -> ModelOutput | Failure:
        text = str(task.context.text)
        return Failure("cannot") if text.endswith("3") else ModelOutput(text.upper(), "stop", 1, 2, 3)

    def recall(self) -> list[int]:
        return []

    def abandon(self) -> list[Finished]:
        return self._give(self.tasks[:1])

    def close(self) -> None:
        self.tasks = []


class Growing:
    """A source that gives what follows from an answer only once that answer was given."""

    stopped = False

    def __init__(self, first: int, follow: dict[str, list[str]]) -> None:
        self.waiting = [f"k{n}" for n in range(first)]
        self.follow, self.open = follow, set[str]()
        self.given: list[str] = []

    def take(self, most: int) -> list[PendingRequest]:
        taken, self.waiting = self.waiting[:most], self.waiting[most:]
        self.open |= set(taken)
        self.given += taken
        return [PendingRequest(key, (Message("user", f"say {key}"),)) for key in taken]

    @property
    def done(self) -> bool:
        return not self.waiting and not self.open

    def answered(self, answers: list[Answer]) -> None:
        for answer in answers:
            self.open.remove(answer.key)
            self.waiting += self.follow.pop(answer.key, [])


def model(engine: object) -> Model:
    return Model(
        None, chat=False, generation=GENERATION, entry=ModelEntry(model="echo", name="a model"), engine=engine
    )  # type: ignore[arg-type]


@given(
    seed=st.integers(0, 2**32),
    first=st.integers(0, 40),
    most=st.integers(1, 16),
    chains=st.integers(0, 3),
)
@settings(deadline=None, max_examples=150)
def test_every_request_is_answered_once_whatever_the_engine_does(
    seed: int, first: int, most: int, chains: int
) -> None:
    rng = random.Random(seed)
    follow: dict[str, list[str]] = {}
    level = [f"k{n}" for n in range(first)]
    for chain in range(chains):
        for key in level:
            follow[key] = [f"{key}.{chain}{n}" for n in range(rng.randint(0, 2))]
        level = [key for parent in level for key in follow[parent]]
    expected = sorted([f"k{n}" for n in range(first)] + [key for keys in follow.values() for key in keys])
    source, engine = Growing(first, follow), Fake(rng, most)
    found: list[Answer] = []
    for answers in model(engine).stream(source):
        found += answers
        source.answered(answers)
    assert sorted(answer.key for answer in found) == expected == sorted(source.given)
    for answer in found:
        if answer.key.endswith("3"):
            assert (answer.prediction, answer.error) == (None, "cannot")
        else:
            assert answer.prediction == f"SAY {answer.key.upper()}"
            assert (answer.finish_reason, answer.prompt_tokens, answer.cached_tokens) == ("stop", 1, 3)


class Steady(Fake):
    """Finishes its oldest task at each step, and notes at how many steps it had less than it could use."""

    def room(self) -> int:
        return self.most - len(self.tasks)

    def step(self) -> list[Finished]:
        self.steps += 1
        self.hungry += len(self.tasks) < self.most
        return self._give(self.tasks[:1])


def test_the_engine_is_kept_full() -> None:
    engine = Steady(random.Random(0), 8)
    given = model(engine).stream(ListedRequests(ask(n) for n in range(500)))
    assert sum(map(len, given)) == 500
    assert engine.hungry == 7  # while the last ones are finished, and never before


def test_requests_keep_their_order() -> None:
    engine = Steady(random.Random(0), 8)
    list(model(engine).stream(ListedRequests(ask(n) for n in range(100))))
    assert [task.context.text for task in engine.seen] == [f"say {n}" for n in range(100)]


def ask(number: int) -> PendingRequest:
    return PendingRequest(str(number), (Message("user", f"say {number}"),))


@given(seed=st.integers(0, 2**32), breaks_at=st.integers(1, 30))
@settings(deadline=None, max_examples=50)
def test_a_broken_engine_gives_what_it_finished_and_says_so(seed: int, breaks_at: int) -> None:
    engine = Fake(random.Random(seed), 8, breaks_at=breaks_at)
    found: list[str] = []

    def run() -> None:
        for answers in model(engine).stream(ListedRequests(ask(n) for n in range(1000))):
            found.extend(answer.key for answer in answers)

    with pytest.raises(EngineBrokenError, match=r"model 'a model'.*RuntimeError: device lost.*is kept"):
        run()
    left = [str(task.context.text).split()[-1] for task in engine.tasks]
    assert len(found) == len(set(found))
    assert sorted([*found, *left]) == sorted(str(task.context.text).split()[-1] for task in engine.seen)


class Interrupted(Steady):
    """Ctrl-C comes at the tenth step."""

    def step(self) -> list[Finished]:
        if self.steps == 10:
            raise KeyboardInterrupt
        return super().step()


def test_an_interruption_gives_what_is_finished_first() -> None:
    def run() -> Iterator[str]:
        for answers in model(Interrupted(random.Random(0), 4)).stream(
            ListedRequests(ask(n) for n in range(100))
        ):
            yield from (answer.key for answer in answers)

    keys = run()
    assert [next(keys) for _ in range(11)] == [str(n) for n in range(11)]  # ten, and what it could still give
    with pytest.raises(KeyboardInterrupt):
        next(keys)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError])
def test_what_was_answered_is_given_though_a_report_of_who_answers_is_interrupted(
    interruption: type[BaseException],
) -> None:
    def report(field: str, value: object) -> None:
        raise interruption

    def run() -> Iterator[str]:
        asking = model(Steady(random.Random(0), 2))
        for answers in asking.stream(ListedRequests(ask(n) for n in range(100)), report):
            yield from (answer.key for answer in answers)

    keys = run()
    assert next(keys) == "0"
    if interruption is KeyboardInterrupt:  # what the engine could still give
        assert next(keys) == "1"
    with pytest.raises(interruption):
        next(keys)


class Waiting(Steady):
    """Lets all but one of its tasks wait."""

    def recall(self) -> list[int]:
        numbers = [task.number for task in self.tasks[1:]]
        self.tasks = self.tasks[:1]
        return numbers


@pytest.mark.parametrize(("kind", "expected"), [(Steady, 7), (Waiting, 1)])
def test_at_a_stop_what_is_begun_is_finished(kind: type[Steady], expected: int) -> None:
    stop, engine = StopRequest(), kind(random.Random(0), 8)
    stop_at_step_20 = engine.step

    def step() -> list[Finished]:
        if engine.steps == 19:
            stop.requested = True
        return stop_at_step_20()

    engine.step = step  # type: ignore[method-assign]
    source = ListedRequests((ask(n) for n in range(1000)), stop)
    keys = [answer.key for answers in model(engine).stream(source) for answer in answers]
    assert len(keys) == len(set(keys)) == 20 + expected


def test_refused_cut_and_empty_answers_are_kept_with_their_reasons() -> None:
    class Says(Steady):
        @staticmethod
        def _of(task: EngineRequest) -> ModelOutput:
            word = str(task.context.text).split()[-1]
            return ModelOutput(
                *{"0": ("", "stop"), "1": ("half an ans", "length")}.get(word, ("No\nway", "content_filter"))
            )

    found = model(Says(random.Random(0), 8)).answers([ask(n) for n in range(3)])
    assert [(answer.prediction, answer.error, answer.finish_reason) for answer in found] == [
        ("", None, "stop"),
        ("half an ans", None, "length"),
        ("No\nway", None, "content_filter"),
    ]


class Gone(Fake):
    """Is interrupted, or told to recall, when it cannot be reached any more."""

    def step(self) -> list[Finished]:
        raise KeyboardInterrupt

    def recall(self) -> list[int]:
        raise TimeoutError

    def abandon(self) -> list[Finished]:
        raise RuntimeError("the engine is dead")


def test_ctrl_c_stays_ctrl_c_when_the_engine_is_dead() -> None:
    asking = model(Gone(random.Random(1), 4))
    with pytest.raises(KeyboardInterrupt):
        list(asking.stream(Growing(3, {})))


def test_an_engine_that_cannot_be_recalled_is_broken() -> None:
    asking = model(Gone(random.Random(1), 4))
    stop = StopRequest()
    source = ListedRequests((ask(n) for n in range(3)), stop)

    def step() -> list[Finished]:
        stop.requested = True
        return []

    asking.engine.step = step  # type: ignore[method-assign]
    with pytest.raises(EngineBrokenError, match="TimeoutError"):
        list(asking.stream(source))
