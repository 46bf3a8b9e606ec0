"""One example a data set: the prompt as it was sent, and what each model answered."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..prompts import IMAGE
from .text import Excerpt, beginning, ending

if TYPE_CHECKING:
    import pandas as pd

    from ..running import Run

MOST_PROMPT = 3_000
MOST_ANSWER = 1_000
MOST_REFERENCES = 5
PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class SampleAnswer:
    """A model's answer and its score; ``error`` where the request failed."""

    model: str
    answer: Excerpt | None
    error: str | None
    score: float | None


@dataclass(frozen=True)
class Picture:
    """What a model was shown: a PNG file, and the name of the file on the site."""

    name: str
    png: bytes


@dataclass(frozen=True)
class Sample:
    """An example in one configuration: its messages (role, text, pictures), references and answers."""

    dataset: str
    example: str
    config: str
    messages: tuple[tuple[str, Excerpt, tuple[Picture, ...]], ...]
    references: tuple[str, ...]
    more_references: int
    answers: tuple[SampleAnswer, ...]


def samples(run: Run, scores: pd.DataFrame) -> Iterator[Sample]:
    """For each data set, in its first configuration, the example on which the models' scores differ most.

    Raises:
        RunError: requests or answers are damaged.
    """
    configs = _first_configurations(run)
    by_dataset = {dataset: _table(scores, dataset, config) for dataset, config in configs.items()}
    rows = list(_requests(run, configs, {name: _telling(table) for name, table in by_dataset.items()}))
    _add_pictures(run, rows)
    answers = {model: _answers(run, model, [row["key"] for row in rows]) for model in run.models()}
    for number, row in enumerate(rows, start=1):
        yield _sample(row, number, answers, by_dataset[row["dataset"]])


def _first_configurations(run: Run) -> dict[str, str]:
    found: dict[str, str] = {}
    for table in run.request_tables(["dataset", "config"]):
        for dataset, config in zip(table["dataset"].to_pylist(), table["config"].to_pylist(), strict=True):
            found.setdefault(dataset, config)
    return found


def _table(scores: pd.DataFrame, dataset: str, config: str) -> dict[str, dict[str, float]]:
    """Main scores of one configuration: example -> model -> score."""
    rows = scores[(scores["dataset"] == dataset) & (scores["config"] == config)]
    if "main" in rows:
        rows = rows[rows["main"].astype(bool)]
    found: dict[str, dict[str, float]] = {}
    for example, model, score in rows[["example", "model", "score"]].itertuples(index=False):
        found.setdefault(str(example), {})[str(model)] = float(score)
    return found


def _telling(table: Mapping[str, Mapping[str, float]]) -> str | None:
    """The example on which the scores differ most, the first such."""
    spread = {example: max(scores.values()) - min(scores.values()) for example, scores in table.items()}
    return max(spread, key=spread.__getitem__, default=None)


def _requests(
    run: Run, configs: Mapping[str, str], examples: Mapping[str, str | None]
) -> Iterator[dict[str, Any]]:
    """The requests to show; where no example has a score, the data set's first."""
    columns = ["key", "model", "dataset", "example", "config", "prompt", "messages", "references"]
    shown: set[str] = set()
    for table in run.request_tables(columns):
        for index, (dataset, example, config) in enumerate(
            zip(*(table[name].to_pylist() for name in ("dataset", "example", "config")), strict=True)
        ):
            wanted = examples.get(dataset)
            if dataset not in shown and config == configs[dataset] and wanted in (None, example):
                shown.add(dataset)
                yield table.slice(index, 1).to_pylist()[0]


def _add_pictures(run: Run, rows: Sequence[dict[str, Any]]) -> None:
    """Read the pictures of the rows that show some; those of all other requests stay on the disk."""
    import pyarrow as pa
    import pyarrow.compute as pc

    showing = {row["key"]: row for row in rows if IMAGE in (row["messages"] or row["prompt"])}
    for table in run.request_tables(["key", "images"]) if showing else ():
        wanted = table.filter(pc.is_in(table["key"], value_set=pa.array(list(showing), pa.string())))
        for found in wanted.to_pylist():
            showing[found["key"]]["images"] = found["images"]


def _answers(run: Run, model: str, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    table = run.predictions(model).select(["key", "prediction", "error"])
    wanted = table.filter(pc.is_in(table["key"], value_set=pa.array(keys, pa.string())))
    return {row["key"]: row for row in wanted.to_pylist()}


def _sample(
    row: Mapping[str, Any],
    number: int,
    answers: Mapping[str, Mapping[str, Mapping[str, Any]]],
    table: Mapping[str, Mapping[str, float]],
) -> Sample:
    from ..recipes import prompt_of_row

    scores = table.get(row["example"], {})
    references = [str(reference) for reference in row["references"]]
    names = (f"picture-{number}-{count}.png" for count in itertools.count(1))
    return Sample(
        dataset=row["dataset"],
        example=row["example"],
        config=row["config"],
        messages=tuple(
            (message.role, ending(message.content, MOST_PROMPT), _pictures(message.images, names))
            for message in prompt_of_row(row)
        ),
        references=tuple(beginning(text, MOST_ANSWER).text for text in references[:MOST_REFERENCES]),
        more_references=max(0, len(references) - MOST_REFERENCES),
        answers=tuple(
            _answer(model, found.get(row["key"], {}), scores.get(model)) for model, found in answers.items()
        ),
    )


def _pictures(images: Sequence[bytes], names: Iterator[str]) -> tuple[Picture, ...]:
    """The pictures that are PNG files; a run from elsewhere may hold anything."""
    return tuple(Picture(next(names), png) for png in images if png.startswith(PNG))


def _answer(model: str, found: Mapping[str, Any], score: float | None) -> SampleAnswer:
    text, error = found.get("prediction"), found.get("error")
    return SampleAnswer(
        model=model,
        answer=None if text is None else beginning(text, MOST_ANSWER),
        error=None if error is None else str(error),
        score=score,
    )
