"""The answers of a run one by one: what was asked in a cell, what a model answered, how it was scored."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ...core.redaction import masked, without_homes
from ...prompts import Prompt
from ...recipes import prompt_of_row
from ...running import Run
from ...scoring.run_answers import REPLICATE, final_answer

_REQUEST = ("key", "model", "dataset", "example", "config", "serializer", "perturbation", "design", "stage")
_ANSWER = (
    *("key", "prediction", "error", "seconds", "prompt_tokens", "completion_tokens"),
    *("finish_reason", "reasoning"),
)
_NO_ANSWER = "was not answered"


@dataclass(frozen=True)
class ExportedAnswer:
    """What a model was asked in a cell, or asked again, and its answer.

    Attributes:
        dataset: as in scores.
        example: likewise.
        config: its ``serializer/perturbation/design``.
        replicate: 0 for a first answer.
        table: what the examples of one table share; empty where it is not known.
        asked: the prompt, the same for all models; of a design of several calls that of the first one. The
            places of pictures are marked, the pictures left out.
        prompt: of the last call, which may hold earlier answers.
        references: the right answers.
        text: the answer; None where there is none.
        final: the part of it that is scored.
        reasoning: the thoughts before it.
        error: why there is no answer.
        finish_reason: why the model stopped.
        seconds: how long the answer took.
        tokens: of the prompt and of the answer, where both are known.
        scores: metric -> score; without those that are missing.
    """

    dataset: str
    example: str
    config: str
    replicate: int
    table: str
    asked: Prompt
    prompt: Prompt
    references: tuple[str, ...]
    text: str | None
    final: str
    reasoning: str | None
    error: str | None
    finish_reason: str | None
    seconds: float | None
    tokens: tuple[int, int] | None
    scores: Mapping[str, float]

    @property
    def facts(self) -> dict[str, str]:
        """What identifies the cell, all of it as text."""
        serializer, perturbation, design = self.config.split("/", 2)
        found = {"dataset": self.dataset, "example": self.example, "config": self.config}
        found |= {"serializer": serializer, "perturbation": perturbation, "design": design}
        found |= {"replicate": str(self.replicate)}
        return found | ({"table": self.table} if self.table else {})


_CellKey = tuple[str, str, str, int]


def answers_of(
    run: Run,
    model: str,
    datasets: Collection[str],
    scored: pd.DataFrame,
    tables: Mapping[tuple[str, str], str],
) -> Iterator[ExportedAnswer]:
    """The answers of a model in the order of its requests, then what has none.

    Of a design of several calls the last one. One model's answers and scores are in memory; requests are read
    a shard at a time.

    Args:
        run: whose.
        model: its label.
        datasets: the data sets whose answers are given.
        scored: the rows of scores.parquet that are the model's.
        tables: (data set, example) -> its table, where that is known.

    Raises:
        RunError: requests or answers are damaged.
    """
    scores, stages = _by_cell(scored), run.study.get("stages") or {}
    given = {row["key"]: row for row in run.predictions(model, _ANSWER, replicates=True).to_pylist()}
    answered, failed = set[_CellKey](), dict[_CellKey, ExportedAnswer]()
    asked = dict[_CellKey, Prompt]()
    wanted = (*_REQUEST, "prompt", "messages", "references", REPLICATE)
    for table in run.request_tables(wanted, replicates=True):
        for row in table.to_pylist():
            if row["model"] not in (None, model) or row["dataset"] not in datasets:
                continue
            cell = (row["dataset"], row["config"], row["example"], row[REPLICATE] or 0)
            prompt, several = prompt_of_row(row), int(stages.get(row["design"]) or 1)
            if several > 1:  # the planned requests come first
                asked.setdefault(cell, prompt)
            found = _answer(
                row,
                given.get(row["key"]) or {},
                table=tables.get((row["dataset"], row["example"]), ""),
                asked=asked.get(cell, prompt),
                prompt=prompt,
                scores=scores.get(cell, {}),
            )
            if found.text is None:
                failed.setdefault(cell, found)
            elif row["stage"] + 1 >= several:
                answered.add(cell)
                yield found
    yield from (found for cell, found in failed.items() if cell not in answered)


def _answer(row: Mapping[str, Any], answer: Mapping[str, Any], **known: Any) -> ExportedAnswer:
    text, read, written = (answer.get(name) for name in ("prediction", "prompt_tokens", "completion_tokens"))
    return ExportedAnswer(
        dataset=row["dataset"],
        example=row["example"],
        config=row["config"],
        replicate=row[REPLICATE] or 0,
        references=tuple(row["references"]),
        text=text,
        final="" if text is None else final_answer(row["design"], text),
        reasoning=answer.get("reasoning"),
        error=without_homes(masked(answer.get("error") or _NO_ANSWER)) if text is None else None,
        finish_reason=answer.get("finish_reason"),
        seconds=answer.get("seconds"),
        tokens=None if read is None or written is None else (read, written),
        **known,
    )


def _by_cell(scored: pd.DataFrame) -> dict[_CellKey, dict[str, float]]:
    """Cell -> the scores that there are, by metric."""
    again = scored[REPLICATE].fillna(0).astype(int) if REPLICATE in scored else [0] * len(scored)
    names = (scored[name].astype(str) for name in ("dataset", "config", "example", "metric"))
    found: dict[_CellKey, dict[str, float]] = {}
    for dataset, config, example, metric, replicate, score in zip(
        *names, again, scored["score"].astype(float), strict=True
    ):
        if not math.isnan(score):
            found.setdefault((dataset, config, example, int(replicate)), {})[metric] = score
    return found
