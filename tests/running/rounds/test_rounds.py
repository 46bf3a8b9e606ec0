"""Strategies of several calls: whatever the graph, the order of answers and the kills, each step once."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.prompts import Step
from torr_plugin.running import Run, study_source
from torr_plugin.running.store.shards import AnswerStore, append_requests

from ..staged import ENTRY, Driver, Killed, StagedPlan, answer_to, graphs, named

Row = tuple[str, str, int, str, str]

LINE = (Step("first"), Step("then", after=("first",), max_tokens=9), Step("last", after=("then",)))
FAN = (Step("a"), Step("b"), Step("c", after=("a",)), Step("d", after=("b", "c", "a")))


def expected_rows(plan: StagedPlan, failing: int) -> tuple[set[Row], set[Row]]:
    """What is to be asked, worked out cell by cell: in any case, and if what fails in a cell fails late."""
    planned = {
        (each.config.design, named(each.example, each.replicate), each.stage): each
        for each in plan.requests()
    }
    certain, possible = set[Row](), set[Row]()
    for cell in plan.cells():
        design, said, rows = cell.config.design, dict[str, str](), []
        example = named(cell.example, cell.replicate)
        for stage, step in enumerate(plan.steps[design]):
            if not all(name in said for name in step.after):
                continue
            answers = {name: said[name] for name in step.after}
            request = (
                plan.follow_up(cell, step, answers, "m") if step.after else planned[design, example, stage]
            )
            rows.append((design, example, stage, request.key, request.prompt[0].content))
            answer = answer_to(request.key, request.prompt, failing)
            if answer.prediction is not None:
                said[step.name] = answer.prediction
        whole = len(said) == len(plan.steps[design])
        possible.update(rows)
        certain.update(row for row in rows if whole or not plan.steps[design][row[2]].after)
    return certain, possible


def dying(chance: random.Random, real: Callable[..., object]) -> Callable[..., object]:
    """A function before or behind which the process may end."""

    def call(*args: object) -> object:
        moment = chance.random()
        if moment < 0.03:
            raise Killed
        found = real(*args)
        if moment > 0.97:
            raise Killed
        return found

    return call


@pytest.mark.full
@settings(max_examples=6)
@given(
    steps=st.lists(graphs(), min_size=1, max_size=3),
    same=st.integers(1, 3),
    failing=st.sampled_from([0, 0, 4]),
    replicates=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_each_step_is_asked_once_whatever_happens(
    steps: list[tuple[Step, ...]], same: int, failing: int, replicates: bool, seed: int
) -> None:
    plan = StagedPlan({f"d{n}": each for n, each in enumerate(steps)}, same=same, replicates=replicates)
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        undisturbed = Driver(Path(folder, "one"), plan, chance, failing)
        undisturbed.attempt()
        killed = Driver(Path(folder, "two"), plan, chance, failing)
        for _ in range(100):
            try:
                with (
                    mock.patch.object(AnswerStore, "append", dying(chance, AnswerStore.append)),
                    mock.patch.object(study_source, "append_requests", dying(chance, append_requests)),
                ):
                    killed.attempt(dying(chance, lambda: None))
            except Killed:
                continue
            break
        assert set(undisturbed.asked.values()) == {1}
        certain, possible = expected_rows(plan, failing)
        for driver in (undisturbed, killed):
            rows = driver.rows()
            assert len(set(rows)) == len(rows) == len({row[:3] for row in rows})
            assert certain <= set(rows) <= possible
            keys = [key for key, _ in driver.answers()]
            assert len(set(keys)) == len(keys)
            assert set(keys) == {row[3] for row in rows}
        if not failing:
            assert killed.rows() == undisturbed.rows()
            assert killed.answers() == undisturbed.answers()


@pytest.mark.full
@pytest.mark.parametrize("steps", [LINE, FAN])
def test_with_retry_failed_the_rest_follows(tmp_path: Path, steps: tuple[Step, ...]) -> None:
    plan = StagedPlan({"d": steps}, examples=8)
    driver = Driver(tmp_path / "run", plan, random.Random(1), failing=3)
    driver.attempt()
    complete = 8 * len(steps)
    failed = sum(text is None for _, text in driver.answers())
    assert failed > 0
    assert len(driver.rows()) < complete
    before = dict(driver.asked)
    driver.attempt()
    assert driver.asked == before  # what failed is not asked again unless that is wished
    driver.failing, driver.retry_failed = 0, True
    driver.attempt()
    assert len(driver.rows()) == complete
    assert {key for key, text in driver.answers() if text is None} == {
        key for key, count in driver.asked.items() if count == 2
    }
    driver.retry_failed = False
    driver.attempt()
    assert max(driver.asked.values()) == 2


def test_a_round_begins_when_the_answers_before_it_are_stored(tmp_path: Path) -> None:
    from torr_plugin.running import Answer
    from torr_plugin.running.request_sources import StopRequest
    from torr_plugin.running.study_source import StudySource

    plan, stop = StagedPlan({"d": LINE}, examples=2), StopRequest()
    run = Run.create_or_resume(tmp_path / "run", plan, [ENTRY])  # type: ignore[arg-type]
    store = run.answers("m")
    source = StudySource(run, plan, ENTRY, store, stop)  # type: ignore[arg-type]

    def answer(key: str) -> None:
        store.append([Answer(key, "x")])
        source.answered([Answer(key, "x")])

    first, second = source.take(5)
    assert (first.generation, source.take(5), source.done, len(source)) == (None, [], False, 2)
    answer(first.key)
    assert source.take(5) == []  # one answer is missing
    answer(second.key)
    (then,) = source.take(5)  # both cells ask the same now
    assert then.prompt[0].content == "then after {'first': 'x'}"
    assert (then.generation, len(source)) == ({"max_tokens": 9}, 3)
    stop.requested = True
    answer(then.key)
    assert (source.done, source.take(5), len(source)) == (True, [], 3)  # the next attempt makes what follows


def test_a_design_of_one_call_has_its_own_longest_answer(tmp_path: Path) -> None:
    from torr_plugin.running.request_sources import StopRequest
    from torr_plugin.running.study_source import StudySource

    plan = StagedPlan({"long": (Step("one", max_tokens=9),), "plain": (Step("other"),)}, examples=2)
    run = Run.create_or_resume(tmp_path / "run", plan, [ENTRY])  # type: ignore[arg-type]
    taken = StudySource(run, plan, ENTRY, run.answers("m"), StopRequest()).take(9)  # type: ignore[arg-type]
    found = {(each.prompt[0].content.split()[1], str(each.generation)) for each in taken}
    assert found == {("one", "{'max_tokens': 9}"), ("other", "None")}


def test_prompts_that_cannot_be_made_are_stored_together(tmp_path: Path) -> None:
    plan = StagedPlan({"d": LINE}, examples=30, stumbles=1)
    driver = Driver(tmp_path / "run", plan, random.Random(3))
    shards: list[int] = []
    run = driver.attempt(lambda: shards.append(len(list((tmp_path / "run").rglob("part-*.parquet")))))
    assert len([text for _, text in driver.answers() if text is None]) == 30
    assert len(list(run.folder("m").glob("part-*"))) <= shards[-1] + 1, "a shard for all of them"


@pytest.mark.parametrize(
    ("steps", "stumbles", "lost"),
    [(FAN, 0, "requests/later-*"), (FAN, 0, "predictions/*/part-*"), (LINE, 4, "predictions/*/part-*")],
    ids=["later requests", "answers", "answers, and why prompts could not be made"],
)
def test_what_is_lost_is_made_or_asked_again(
    tmp_path: Path, steps: tuple[Step, ...], stumbles: int, lost: str
) -> None:
    plan = StagedPlan({"d": steps}, examples=10, stumbles=stumbles)
    driver = Driver(tmp_path / "run", plan, random.Random(4))
    driver.attempt()
    rows, keys, asked = driver.rows(), [key for key, _ in driver.answers()], dict(driver.asked)
    for path in (tmp_path / "run").glob(lost):
        path.write_bytes(b"")
    driver.attempt()
    assert (driver.rows(), [key for key, _ in driver.answers()]) == (rows, keys)
    assert (driver.asked == asked) == lost.startswith("requests")
