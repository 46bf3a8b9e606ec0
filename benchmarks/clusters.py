"""How much too narrow intervals are that take all battles for independent: Arena-Hard's published battles.

    TORR_DATA=DIR python benchmarks/clusters.py [--resamples 1000] [--json]

Reads ``DIR/arena_hard/battles.parquet``, the judge's battles of Arena-Hard v0.1 (``v1``) and v2.0 (``v2``),
two files that are rated apart. For each model the Bradley-Terry and the Elo rating, with the interval that
keeps the battles about a question together, and the one that does not, and the ratio of their widths. The
question is the cluster: it has two games, of which strong verdicts count three times, and the file does not
say which rows are of one game.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from torr_plugin.analysis.ratings import RatingOptions, Ratings, rate
from torr_plugin.analysis.result import Interval

METHODS = ("bradley_terry", "elo")


def main() -> None:
    """Rate and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    path = Path(os.environ.get("TORR_DATA", "")) / "arena_hard" / "battles.parquet"
    if not path.exists():
        raise SystemExit(f"{path}: is not there; expected TORR_DATA=DIR with arena_hard/battles.parquet")
    battles = pd.read_parquet(path).rename(columns={"question_id": "question"})
    rows = [row for version in ("v1", "v2") for row in compared(battles, version, given.resamples)]
    if given.json:
        print(json.dumps({"rows": rows}))
        return
    print("| battles | model | method | rating | by question | all independent | ratio of widths |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: |")
    for row in rows:
        bounds = (f"[{row[name][0]:.0f}, {row[name][1]:.0f}]" for name in ("clustered", "independent"))
        print(
            f"| {row['battles']} | {row['model']} | {row['method']} | {row['rating']:.0f} | "
            f"{' | '.join(bounds)} | {row['ratio']:.2f} |"
        )


def compared(battles: pd.DataFrame, version: str, resamples: int) -> Iterator[dict[str, Any]]:
    """A row for each method and model but the baseline, the best model first."""
    chosen = battles.loc[
        battles["file_version"] == version, ["question", "model_a", "model_b", "winner"]
    ].reset_index(drop=True)
    every_battle = chosen.assign(question=range(len(chosen)))
    clustered, independent = (
        rate(each, RatingOptions(resamples=resamples)) for each in (chosen, every_battle)
    )
    about = f"{version}: {clustered.battles:,} about {clustered.questions} questions"
    for method in METHODS:
        for model, figure in ratings_of(clustered, method).items():
            if model == clustered.baseline:
                continue
            whole, blind = bounds_of(figure), bounds_of(ratings_of(independent, method)[model])
            ratio = (blind[1] - blind[0]) / (whole[1] - whole[0])
            yield {
                "battles": about,
                "model": model,
                "method": method,
                "rating": figure.value,
                "clustered": whole,
                "independent": blind,
                "ratio": ratio,
            }


def ratings_of(found: Ratings, method: str) -> dict[str, Interval]:
    """The ratings by a method."""
    return found.elo if method == "elo" else found.bradley_terry


def bounds_of(figure: Interval) -> tuple[float, float]:
    """The bounds, which are finite: each model both won and lost."""
    assert figure.low is not None
    assert figure.high is not None
    return figure.low, figure.high


if __name__ == "__main__":
    main()
