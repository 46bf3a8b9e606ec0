"""Long tables in 12 configurations: how many are sampled, what is lost, whether prompts fit, and the time.

TORR_DATA=DIR python benchmarks/long_tables.py [--examples N] [CARD ...]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.examples import RowSample
from torr_plugin.core.texts import estimate_tokens
from torr_plugin.prompts import text_of
from torr_plugin.recipes import Recipe, plan

CONFIGURATIONS = {
    "serializers": ["html", "json", "markdown", "csv"],
    "perturbations": ["none", "shuffle_rows", "transpose"],
    "designs": ["suc"],
}
CONTEXT, ANSWER = 4096, 100
LIMITS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "whole tables": ({}, {"shots": 1}),
    "prompts of 4,096": ({"context": CONTEXT, "table_tokens": "context"}, {"shots": 1, "fit": True}),
    "and tables of 500": ({"context": CONTEXT, "table_tokens": 500}, {"shots": 1, "fit": True}),
    "tables of 500 alone": ({"table_tokens": 500}, {"shots": 1}),
}


def whole_card(name: str, folder: Path) -> str:
    """The path of a copy of a card that leaves no table out for its size."""
    card = json.loads(load_card(name).path.read_text("utf-8"))
    for step in card["preprocess_steps"]:
        step.pop("max_cells", None)
    path = folder / f"{name.removeprefix('cards.')}.json"
    path.write_text(json.dumps(card), "utf-8")
    return str(path)


def measured(card: str, count: int, limits: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    """The figures of one card under one limit; seconds are of CPU time."""
    examples, demonstrations = limits
    recipe = Recipe.model_validate(
        {
            "name": "long",
            "cards": [card],
            "configurations": CONFIGURATIONS,
            "examples": {"count": count, "refused": "leave_out" if examples else "stop", **examples},
            "demonstrations": demonstrations,
        }
    )
    start = time.process_time()
    planned = plan(recipe)
    made = time.process_time()
    lengths = [estimate_tokens(text_of(each.prompt)) + ANSWER for each in planned.requests()]
    built = time.process_time()
    [asked] = planned.examples.values()
    cuts = [each.cut for each in asked if isinstance(each.cut, RowSample)]
    return {
        "examples": len(asked),
        "sampled": len(cuts),
        "rows shown": sum(cut.rows for cut in cuts),
        "rows of these": sum(cut.of_rows for cut in cuts),
        "answer lost, there, unknown": [
            sum(cut.lost_answer is lost for cut in cuts) for lost in (True, False, None)
        ],
        "demonstrations": dict(Counter(str(each.demonstrations) for each in asked)),
        "longest with answer": max(lengths),
        f"over {CONTEXT:,}": sum(length > CONTEXT for length in lengths),
        "prompts": len(lengths),
        "seconds to plan": round(made - start, 1),
        "seconds to build prompts": round(built - made, 1),
    }


def main() -> None:
    """Print a JSON object a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cards", nargs="*", default=["cards.wikitq", "cards.tab_fact"])
    parser.add_argument("--examples", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.cards:
            path = whole_card(name, Path(folder))
            card = load_card(path)
            for split in filter(None, (card.test_split, card.demo_split)):
                read_examples(card, split)  # reading is not timed
            for limit, settings in LIMITS.items():
                found = {"card": name, "limit": limit, **measured(path, options.examples, settings)}
                print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
