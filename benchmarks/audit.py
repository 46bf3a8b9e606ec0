"""`torr audit` beside evalstats (pip install evalstats) on score matrices: separated pairs, intervals, time.

Each board's models are spread over its ranking. evalstats makes simultaneous intervals (Sidak's, or a joint
bootstrap) and corrected p-values (Romano-Wolf's, or Shaffer's); ours are Student's at Bonferroni's level.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from torr_plugin.audit.comparing import audit_board
from torr_plugin.integrations.logs.board import ITEM_COLUMNS, BoardScores


def board_of(scores: np.ndarray) -> BoardScores:
    """The board of a matrix, (models x items)."""
    model, item = (place.ravel().astype(str) for place in np.indices(scores.shape))
    names = {"task": "board", "config": "", "replicate": 0, "metric": "accuracy", "cluster": "", "same": ""}
    frame = pd.DataFrame({"model": model, "item": item, "score": scores.ravel(), "status": "scored", **names})
    return BoardScores(items=frame[list(ITEM_COLUMNS)])


def ours(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of all pairs: whether they are separated, and how wide their intervals are."""
    place = audit_board(board_of(scores)).overall
    assert place is not None
    verdicts = place.arrays.compared.verdicts
    return verdicts.differs, verdicts.high - verdicts.low


def theirs(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    """The same by intervals, by p-values, and the method of the intervals."""
    from evalstats import all_pairwise

    labels = [f"{number:03}" for number in range(len(scores))]
    found = all_pairwise(scores, labels, rng=np.random.default_rng(0))
    pairs = [
        found.results[labels[one], labels[other]]
        for one, other in zip(*np.triu_indices(len(labels), 1), strict=True)
    ]
    low, high, p = (
        np.array([getattr(pair, name) for pair in pairs]) for name in ("ci_low", "ci_high", "p_value")
    )
    return (low > 0) | (high < 0), high - low, p < 0.05, str(found.simultaneous_ci_method)


def measured(path: Path, models: int) -> dict[str, Any]:
    """One board on both sides."""
    scores = pd.read_parquet(path).drop(columns="model").to_numpy(float)
    ranked = np.argsort(-scores.mean(axis=1), kind="stable")
    scores = scores[ranked[np.linspace(0, len(ranked) - 1, models).astype(int)]]
    start = time.process_time()
    separated, width = ours(scores)
    middle = time.process_time()
    by_interval, their_width, by_p, method = theirs(scores)
    return {
        "board": path.stem,
        "models": models,
        "items": scores.shape[1],
        "pairs": len(separated),
        "ours": int(separated.sum()),
        "evalstats, intervals": int(by_interval.sum()),
        "evalstats, p": int(by_p.sum()),
        "same as intervals": f"{np.mean(separated == by_interval):.1%}",
        "same as p": f"{np.mean(separated == by_p):.1%}",
        "width, ours to theirs": round(float(np.median(width / their_width)), 3),
        "method": method,
        "ours, s": round(middle - start, 2),
        "evalstats, s": round(time.process_time() - middle, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", default="commonsense,gsm,arc_challenge,musr")
    parser.add_argument("--models", type=int, default=12)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = Path(os.environ["TORR_DATA"]) / "score_matrices"
    rows = [measured(folder / f"{name}.parquet", options.models) for name in options.boards.split(",")]
    print(json.dumps(rows) if options.json else pd.DataFrame(rows).T.to_string(header=False))


if __name__ == "__main__":
    main()
