"""vLLM through the runner: tokens a second beside vLLM alone, and what its prefix cache finds in which order.

    VLLM_CPU_KVCACHE_SPACE=1 [TORR_DATA=DIR] python benchmarks/engine.py [--part speed|prefixes] [--json]

`speed`: a study of some 2,000 requests by `execute`, from the loaded engine to the stored answers, beside
`vllm.LLM.generate` on the same texts in the same order, with the same sampling parameters, in the same
engine; in turns, the prefix cache emptied before each. `prefixes`: the engine's own counters of its prefix
cache for ToRR's recipe in our order, in a random one and in lm-eval's (longest first), with paired and with
shared demonstrations, and a cache far smaller than the study. The model is a small Llama of random weights,
made here. Needs vLLM (its build for CPUs will do).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the maker of the model is with the tests


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=["speed", "prefixes", "both"], default="both")
    parser.add_argument("--examples", type=int, default=20, help="of each of three cards, times 35 (speed)")
    parser.add_argument("--max-tokens", type=int, default=32, help="generated for a request (speed)")
    parser.add_argument("--rounds", type=int, default=3, help="of each of the two ways (speed)")
    parser.add_argument("--prompts", type=int, default=560, help="of ToRR's recipe, about (prefixes)")
    parser.add_argument("--cache-tokens", type=int, default=32768, help="that the cache holds (prefixes)")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> None:
    from engine_prefixes import measured_prefixes, prefix_lines
    from engine_speed import measured_speed, speed_lines

    given = arguments()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    parts: dict[str, tuple[Callable[..., dict[str, Any]], Callable[..., list[str]]]] = {
        "speed": (measured_speed, speed_lines),
        "prefixes": (measured_prefixes, prefix_lines),
    }
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (measure, _) in parts.items():
            if given.part in (name, "both"):
                found[name] = measure(given, Path(folder))
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for name, (_, lines) in parts.items():
        if name in found:
            print("\n".join(lines(found[name])) + "\n")


if __name__ == "__main__":
    main()
