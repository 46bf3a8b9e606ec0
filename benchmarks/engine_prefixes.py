"""What vLLM's prefix cache finds: its own counters, for ToRR's prompts in three orders."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine_models import CONTEXT, entry_of, loaded, made
from torr_mirror import DATASETS, complete_mirror

if TYPE_CHECKING:
    from torr_plugin.recipes import Plan
    from torr_plugin.running.loaded_model import Model

BUNDLED = ["cards.bundled.cell_lookup", "cards.bundled.fact_verification", "cards.bundled.aggregation"]
CONFIGURATIONS = 35
BLOCK = 32  # the smallest that vLLM has on CPUs
DRAWS = ("paired", "shared")
ORDERS = ("ours", "random", "lm-eval's")


def measured_prefixes(given: Any, folder: Path) -> dict[str, Any]:
    cards = _cards(folder / "mirror")
    examples = max(1, round(given.prompts / CONFIGURATIONS / len(cards)))
    plans = {draw: _plan(cards, examples, draw) for draw in DRAWS}
    weights = made(plans["paired"], folder / "prefixes", layers=1, hidden=64)
    first = {
        "dtype": "bfloat16",
        "disable_log_stats": False,
        "enable_prefix_caching": True,
        "block_size": BLOCK,
        "num_gpu_blocks_override": given.cache_tokens // BLOCK,
    }
    with loaded(entry_of(weights, **first), {"max_tokens": 1, "until": []}) as model:
        rates = {draw: _rates(model, plan) for draw, plan in plans.items()}
        cache = model.engine._lm.model.llm_engine.vllm_config.cache_config  # type: ignore[attr-defined]
        size = {"blocks": cache.num_gpu_blocks, "block_size": cache.block_size}
    return {"cards": cards, "examples": examples, "cache": size, "draws": rates}


def prefix_lines(found: dict[str, Any]) -> list[str]:
    size = found["cache"]
    lines = [
        f"vLLM's prefix cache: {size['blocks']:,} blocks of {size['block_size']} tokens; ToRR's recipe, "
        f"{found['examples']} examples",
        f"of {len(found['cards'])} cards, {CONFIGURATIONS} configurations each",
        "",
        "demonstrations  prompts      tokens  " + "  ".join(f"{order:>9}" for order in ORDERS),
    ]
    for draw, rate in found["draws"].items():
        shares = "  ".join(f"{rate['hit_rates'][order]:>8.1%} " for order in ORDERS)
        lines.append(f"{draw:<14}  {rate['prompts']:>7,}  {rate['tokens']:>10,}  {shares}")
    return [*lines, "share of the prompts' tokens that the cache had"]


def _cards(folder: Path) -> list[str]:
    """ToRR's cards whose tables are in the mirror that TORR_DATA names; without one, the bundled cards."""
    data = os.environ.get("TORR_DATA")
    if not data:
        return BUNDLED
    complete_mirror(Path(data), folder)
    os.environ["TORR_DATA"] = str(folder)
    return [f"cards.{name}" for name in DATASETS]


def _plan(cards: list[str], examples: int, draw: str) -> Plan:
    from torr_plugin.recipes import load, plan

    recipe = load("torr")
    content = recipe.model_dump(exclude_unset=True)
    content["cards"] = cards
    content["examples"] = {**content["examples"], "count": examples}
    content["demonstrations"] = {**content["demonstrations"], "shots": 3, "draw": draw}
    if cards == BUNDLED:
        content["configurations"].pop("designs")
    return plan(type(recipe).model_validate(content))


def _rates(model: Model, plan: Plan) -> dict[str, Any]:
    """The share of tokens that the cache had, by order; prompts that are too long are left out."""
    from torr_plugin.recipes.request import in_prefix_order

    lm: Any = model.engine._lm  # type: ignore[attr-defined]
    texts = list({request.key: _text(model, request.prompt) for request in plan.requests()}.values())
    tokens = {text: ids for text, ids in zip(texts, lm.tok_encode(texts), strict=True) if len(ids) < CONTEXT}
    planned = [text for text in texts if text in tokens]
    orders = {
        "ours": list(in_prefix_order(planned, lambda text: text)),
        "random": random.Random(0).sample(planned, len(planned)),
        "lm-eval's": sorted(planned, key=lambda text: (-len(tokens[text]), text)),
    }
    rates = {name: _hit_rate(lm.model, [tokens[text] for text in order]) for name, order in orders.items()}
    return {
        "prompts": len(planned),
        "tokens": sum(len(tokens[text]) for text in planned),
        "too_long": len(texts) - len(planned),
        "hit_rates": rates,
    }


def _text(model: Model, prompt: Any) -> str:
    return str(model._contexts.of(prompt).text)  # type: ignore[union-attr]


def _hit_rate(llm: Any, prompts: list[list[int]]) -> float:
    from vllm import SamplingParams, TokensPrompt

    if not llm.reset_prefix_cache():
        raise SystemExit("vLLM's prefix cache could not be emptied")
    before = _counters(llm)
    llm.generate(
        [TokensPrompt(prompt_token_ids=tokens) for tokens in prompts],
        SamplingParams(max_tokens=1, temperature=0.0, detokenize=False),
        use_tqdm=False,
    )
    queries, hits = (after - had for after, had in zip(_counters(llm), before, strict=True))
    return hits / queries


def _counters(llm: Any) -> tuple[float, float]:
    found = {metric.name: metric.value for metric in llm.get_metrics() if hasattr(metric, "value")}
    return found["vllm:prefix_cache_queries"], found["vllm:prefix_cache_hits"]
