"""A study whose designs take several calls, made up of random graphs; and a driver that may be killed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import strategies as st

from torr_plugin.prompts import Message, Prompt, Step, check_steps, first_steps
from torr_plugin.recipes import Configuration, ModelEntry, Request, ScoreCell, request_key
from torr_plugin.recipes.request import replicate_key
from torr_plugin.running import Answer, Run
from torr_plugin.running.request_sources import StopRequest
from torr_plugin.running.study_source import StudySource

GENERATION = {"max_tokens": 5, "temperature": 0.0, "until": []}
ENTRY = ModelEntry(model="torr-constant", name="m")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Step, ...]:
    """Steps of any shape with one end."""
    count = draw(st.integers(1, 5))
    steps: list[Step] = []
    for number in range(count):
        before = [step.name for step in steps]
        after = draw(st.lists(st.sampled_from(before), unique=True)) if before else []
        if number == count - 1:  # whatever leads nowhere leads here
            used = {name for step in steps for name in step.after}
            after = sorted({*after, *(name for name in before if name not in used)})
        limit = draw(st.sampled_from([None, 3, 9]))
        steps.append(Step(f"s{number}", tuple(after), max_tokens=limit))
    check_steps("random", steps)
    return tuple(steps)


@dataclass
class StagedPlan:
    """As :class:`torr_plugin.recipes.Plan`: every cell's prompts are made of its name and of what was said.

    ``same`` is how many neighbouring examples have equal first prompts; a prompt whose hash is divisible by
    ``odd`` makes ``follow_up`` stumble.
    """

    steps: Mapping[str, tuple[Step, ...]]
    examples: int = 4
    same: int = 1
    stumbles: int = 0
    replicates: bool = False
    generation: dict[str, object] = field(default_factory=lambda: dict(GENERATION))

    @property
    def asked_generation(self) -> dict[str, object]:
        return self.generation

    @property
    def size(self) -> int:
        return len(list(self.requests()))

    @property
    def replicate_record(self) -> dict[str, int]:
        again = sum(request.replicate for request in self.requests())
        return {"replicates": again} if again else {}

    @property
    def fingerprint(self) -> str:
        return f"{sorted(self.steps)} {self.examples} {self.same}"

    def changes_of(self, design: str, stage: int, replicate: int) -> dict[str, object] | None:
        of_step = self.steps[design][stage].changes(self.generation)
        return {**(of_step or {}), "seed": replicate} if replicate else of_step

    def record(self) -> dict[str, object]:
        several = {name: len(steps) for name, steps in self.steps.items() if len(steps) > 1}
        return {
            "recipe": {"models": [], "generation": {}},
            "datasets": {"d": {"card": "cards.d"}},
            "requests": self.size,
            "versions": {},
            **({"stages": several} if several else {}),
        }

    def cells(self) -> list[ScoreCell]:
        return [
            ScoreCell("d", f"e{number}", Configuration("html", "none", design), replicate)
            for replicate in range(1 + self.replicates)
            for design in self.steps
            for number in range(self.examples)
        ]

    def requests(self) -> Iterator[Request]:
        for cell in self.cells():
            for stage in first_steps(self.steps[cell.config.design]):
                step = self.steps[cell.config.design][stage]
                named = int(cell.example[1:]) // self.same
                yield self._request(cell, stage, step, f"begin {step.name} {named}")

    def follow_up(self, cell: ScoreCell, step: Step, answers: Mapping[str, str], model: str) -> Request:
        assert list(answers) == list(step.after)
        text = f"{step.name} after {dict(answers)}"
        if self.stumbles and number_of(text + cell.example) % self.stumbles == 0:
            raise KeyError("what the model said")
        return self._request(cell, self.steps[cell.config.design].index(step), step, text, model)

    def unasked(self, cell: ScoreCell, stage: int, model: str, key: str) -> Request:
        prompt = (Message("user", ""),)
        return Request(
            key, model, cell.dataset, cell.example, cell.config, stage, prompt, (), replicate=cell.replicate
        )

    def _request(
        self, cell: ScoreCell, stage: int, step: Step, text: str, model: str | None = None
    ) -> Request:
        prompt: Prompt = (Message("user", text),)
        key = request_key(prompt, {**self.generation, **(step.changes(self.generation) or {})})
        return Request(
            replicate_key(key, cell.replicate),
            model,
            cell.dataset,
            cell.example,
            cell.config,
            stage,
            prompt,
            ("right",),
            replicate=cell.replicate,
        )


def named(example: str, replicate: int) -> str:
    return f"{example} again" if replicate else example


def number_of(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def answer_to(key: str, prompt: Prompt, failing: int) -> Answer:
    """What the model says depends on the prompt alone; it fails on one prompt in ``failing``."""
    number = number_of(prompt[0].content)
    if failing and number % failing == 0:
        return Answer(key, None, error="cannot")
    return Answer(key, f"said {number % 1000}")


class Killed(BaseException):
    """The process ended here."""


@dataclass
class Driver:
    """Asks a study as an executor does: some requests in flight, answers in any order, in batches.

    ``failing`` as in :func:`answer_to`; ``asked`` counts how often each key was given out; ``patience`` is
    how many rounds it takes at most.
    """

    run: Path
    plan: StagedPlan
    chance: random.Random
    failing: int = 0
    retry_failed: bool = False
    patience: int = 5_000
    asked: dict[str, int] = field(default_factory=dict)
    prompts: dict[str, Prompt] = field(default_factory=dict)

    def attempt(self, before_batch: Callable[[], None] = lambda: None) -> Run:
        run = Run.create_or_resume(self.run, self.plan, [ENTRY])  # type: ignore[arg-type]
        store = run.answers("m")
        source = StudySource(run, self.plan, ENTRY, store, StopRequest(), retry_failed=self.retry_failed)  # type: ignore[arg-type]
        flying: list[Answer] = []
        rounds = iter(range(self.patience))
        while not source.done or flying:
            assert next(rounds, None) is not None, "something is waited for that never comes"
            for each in source.take(self.chance.randint(0, 4)):
                self.asked[each.key] = self.asked.get(each.key, 0) + 1
                self.prompts[each.key] = each.prompt
                assert each.generation is None or each.generation.get("max_tokens", 9) == 9
                flying.append(answer_to(each.key, each.prompt, self.failing))
            self.chance.shuffle(flying)
            batch = [flying.pop() for _ in range(self.chance.randint(0, len(flying)))]
            before_batch()
            if batch:
                store.append(batch)
                source.answered(batch)
            assert source.common(store.answered) + source.common(store.failed) <= len(source)
        return run

    def rows(self) -> list[tuple[str, str, int, str, str]]:
        """What is stored of requests: design, example (and whether again), stage, key and prompt."""
        names = ("design", "example", "stage", "key", "prompt", "replicate")
        tables = Run.open(self.run).request_tables(names, replicates=True)
        rows = [row for table in tables for row in zip(*(table[n].to_pylist() for n in names), strict=True)]
        return sorted((row[0], named(row[1], row[5]), *row[2:5]) for row in rows)

    def answers(self) -> list[tuple[str, str | None]]:
        """Every stored answer, those that a key has beside another too."""
        import pyarrow.parquet as pq

        shards = sorted(Run.open(self.run).folder("m").glob("part-*.parquet"))
        tables = [pq.read_table(path).to_pydict() for path in shards]
        pairs = [pair for table in tables for pair in zip(table["key"], table["prediction"], strict=True)]
        return sorted(pairs, key=str)
