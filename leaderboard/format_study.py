"""The scores of TOON's benchmark as a scores file, for the project's own site.

    python leaderboard/format_study.py ANSWERS --out runs/formats.parquet

ANSWERS is the folder ``benchmarks/results/accuracy/models`` of a checkout of github.com/toon-format/toon (a
file of JSON a model), or the same rows in one Parquet file. The repository is under the MIT licence; its
answers are read, never copied here. An answer is right or wrong by that benchmark's own check.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import pandas as pd

DATASET = "toon"
_NAMES = {"questionId": "example", "format": "serializer", "inputTokens": "prompt_tokens"}


def read_answers(path: Path) -> pd.DataFrame:
    """The rows of the benchmark's results, an answer each."""
    if path.is_file():
        return pd.read_parquet(path)
    files = sorted(file for file in path.iterdir() if file.is_file())
    return pd.DataFrame([row for file in files for row in json.loads(file.read_text(encoding="utf-8"))])


def scores(answers: pd.DataFrame) -> pd.DataFrame:
    """The answers as scores: every format is a configuration without a perturbation."""
    found = answers.rename(columns=_NAMES)
    return pd.DataFrame(
        {
            "model": found["model"],
            "dataset": DATASET,
            "example": found["example"],
            "config": found["serializer"] + "/none/default",
            "serializer": found["serializer"],
            "perturbation": "none",
            "design": "default",
            "metric": "right",
            "score": found["isCorrect"].astype(float),
            "main": True,
            "prompt_tokens": found["prompt_tokens"],
        }
    )


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("answers", type=Path, help="the folder of results, or a Parquet file of their rows")
    parser.add_argument("--out", type=Path, default=Path("runs/formats.parquet"))
    given = parser.parse_args()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    scores(read_answers(given.answers)).to_parquet(given.out, index=False)
    sys.stdout.write(f"{given.out}\n")


if __name__ == "__main__":
    main()
