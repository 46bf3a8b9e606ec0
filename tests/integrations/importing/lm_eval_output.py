"""Made-up output of lm-eval 0.4: a model's folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DATE = "2026-01-02T03-04-05.678901"


def sample(number: int, answer: str = "yes", **scores: float) -> dict[str, Any]:
    found = scores or {"exact_match": float(answer == "yes")}
    return {
        "doc_id": number,
        "doc": {"question": f"question {number}"},
        "target": "yes",
        "arguments": {"gen_args_0": {"arg_0": f"question {number}", "arg_1": {"until": []}}},
        "resps": [[answer]],
        "filtered_resps": [answer],
        "filter": "none",
        "metrics": list(found),
        "doc_hash": f"{number:064d}",
        **found,
    }


def write_run(
    output: Path,
    task: str,
    samples: Sequence[Mapping[str, Any]],
    *,
    args: str = "pretrained=org/model",
    date: str = DATE,
    **more: Any,
) -> Path:
    """A run of one task by ``hf``; gives the model's folder."""
    folder = output / args.partition("=")[2].replace("/", "__")
    folder.mkdir(parents=True, exist_ok=True)
    count = len({each["doc_id"] for each in samples})
    said = {
        "results": {task: {}},
        "configs": {task: {"task": task}},
        "n-samples": {task: {"original": count, "effective": count}},
        "config": {"model": "hf", "model_args": args},
        "chat_template": None,
        "lm_eval_version": "0.4.13",
        "transformers_version": "4.50.0",
        **more,
    }
    (folder / f"results_{date}.json").write_text(json.dumps(said))
    lines = "".join(json.dumps(each) + "\n" for each in samples)
    (folder / f"samples_{task}_{date}.jsonl").write_text(lines)
    return folder
