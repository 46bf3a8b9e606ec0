"""Generated tokens a second: a study's run beside `LLM.generate` in the same engine."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engine_models import entry_of, loaded, made

if TYPE_CHECKING:
    from torr_plugin.recipes import ModelEntry, Plan
    from torr_plugin.running.loaded_model import Model

CARDS = ["cards.bundled.cell_lookup", "cards.bundled.fact_verification", "cards.bundled.aggregation"]


def measured_speed(given: Any, folder: Path) -> dict[str, Any]:
    plan = _plan(given.examples, given.max_tokens)
    entry = entry_of(made(plan, folder / "model", layers=given.layers, hidden=given.hidden))
    with loaded(entry, dict(plan.generation)) as model:
        _ours(model, _plan(1, given.max_tokens), entry, folder / "warm-up")
        asked = _Order(model)  # of the first round, which begins with ours
        ours, theirs = list[float](), list[float]()
        for number in range(given.rounds):
            ways = [
                lambda number=number: ours.append(_ours(model, plan, entry, folder / f"run-{number}")),
                lambda: theirs.append(_theirs(model, asked.taken())),
            ]
            for way in ways if number % 2 == 0 else reversed(ways):
                _empty_cache(model)
                way()
    inputs = asked.taken()
    ratios = [left / right for left, right in zip(ours, theirs, strict=True)]
    return {
        "requests": len(inputs),
        "prompt_tokens": sum(len(each.tokens) for each in inputs),
        "max_tokens": given.max_tokens,
        "runner": ours,
        "vllm": theirs,
        "ratio": {"median": statistics.median(ratios), "low": min(ratios), "high": max(ratios)},
    }


def speed_lines(found: dict[str, Any]) -> list[str]:
    ratio = found["ratio"]
    rows = [
        f"{number:>5}  {ours:>12,.0f}  {theirs:>18,.0f}  {ours / theirs:>6.3f}"
        for number, (ours, theirs) in enumerate(zip(found["runner"], found["vllm"], strict=True), 1)
    ]
    return [
        f"Generated tokens a second; {found['requests']:,} requests,",
        f"{found['prompt_tokens']:,} tokens of prompts, at most {found['max_tokens']} generated for each",
        "",
        "round  through torr  vLLM's LLM.generate   ratio",
        *rows,
        f"ratio: median {ratio['median']:.3f}, from {ratio['low']:.3f} to {ratio['high']:.3f}",
    ]


def _plan(examples: int, max_tokens: int) -> Plan:
    from torr_plugin.recipes import Recipe, plan

    recipe = Recipe.model_validate(
        {
            "name": "engine",
            "cards": CARDS,
            "configurations": {"serializers": "torr", "perturbations": "torr"},
            "demonstrations": {"shots": 1},
            "examples": {"count": examples},
            "generation": {"max_tokens": max_tokens},
            "models": ["torr-constant"],
        }
    )
    return plan(recipe)


class _Input(NamedTuple):
    """What the runner gave vLLM for one request."""

    text: str
    tokens: list[int]
    params: Any


class _Order:
    """Notes what the runner gives vLLM, in order."""

    def __init__(self, model: Model) -> None:
        self._engine: Any = model.engine
        self._submit, self._inputs = self._engine._submit, list[_Input]()
        self._engine._submit = self._noted

    def _noted(self, task: Any, tokens: list[int]) -> Any:
        self._inputs.append(
            _Input(str(task.context.text), tokens, self._engine._sampling(task.generation)[0])
        )
        return self._submit(task, tokens)

    def taken(self) -> list[_Input]:
        self._engine._submit = self._submit
        return self._inputs


def _ours(model: Model, plan: Plan, entry: ModelEntry, out: Path) -> float:
    """From the loaded engine to the stored answers."""
    from torr_plugin.running import Run, execute
    from torr_plugin.running import runner as models

    started = list[float]()

    def load(*_: Any) -> Model:
        started.append(time.perf_counter())
        return model

    found, models.load_model = models.load_model, load
    try:
        summary = execute(plan, [entry], out)
    finally:
        models.load_model = found
    seconds = time.perf_counter() - started[0]
    if summary.failed:
        raise SystemExit(f"{summary.failed} requests failed")
    rows = Run.open(out).predictions(entry.label)
    return sum(rows["completion_tokens"].to_pylist()) / seconds


def _theirs(model: Model, inputs: list[_Input]) -> float:
    """The same texts, which hold the BOS token already, through vLLM alone."""
    llm = model.engine._lm.model  # type: ignore[attr-defined]
    started = time.perf_counter()
    outputs = llm.generate(
        [each.text for each in inputs],
        [each.params for each in inputs],
        use_tqdm=False,
        tokenization_kwargs={"add_special_tokens": False},
    )
    seconds = time.perf_counter() - started
    if [list(output.prompt_token_ids) for output in outputs] != [each.tokens for each in inputs]:
        raise SystemExit("vLLM read the prompts otherwise than the runner did")
    return sum(len(output.outputs[0].token_ids) for output in outputs) / seconds


def _empty_cache(model: Model) -> None:
    if not model.engine._lm.model.reset_prefix_cache():  # type: ignore[attr-defined]
        raise SystemExit("vLLM's prefix cache could not be emptied")
