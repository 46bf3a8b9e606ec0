"""Scores of one example, and of a whole run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import CardError, InputError, RunError, UnknownNameError
from .metrics import Metric, metrics
from .processors import postprocess
from .unitxt_bridge import PREFIX, in_catalog

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from ..catalog import Card

COLUMNS = [
    "model",
    "dataset",
    "config",
    "serializer",
    "perturbation",
    "design",
    "example",
    "metric",
    "score",
    "main",
]

CELL = COLUMNS[:7]
"""The columns that say which example, under which configuration, of which model."""

LONGEST = 100_000
"""Characters of an answer that are read. No answer is near; a model that raves must not stop a study's
scoring."""


class ScoredRun(Protocol):
    """What :func:`score_run` needs of a run."""

    @property
    def study(self) -> Mapping[str, Any]: ...  # noqa: D102

    def models(self) -> list[str]: ...  # noqa: D102

    def request_tables(self, columns: Sequence[str]) -> Iterable[pa.Table]: ...  # noqa: D102

    def predictions(self, label: str) -> pa.Table: ...  # noqa: D102


def card_metrics(card: Card) -> list[Metric]:
    """The metrics a card asks for: the project's or a plugin's, else unitxt's of that name.

    Raises:
        CardError: neither has it, or the card names none.
    """
    if not card.metrics:
        raise CardError(f"{card.name}: no metric; expected at least one under task.metrics")
    return [_metric(name, card.name) for name in card.metrics]


def _metric(name: str, card: str) -> Metric:
    bare = name.removeprefix("metrics.")
    try:
        return metrics.get(PREFIX + bare if bare not in metrics and in_catalog(f"metrics.{bare}") else bare)
    except UnknownNameError as error:
        raise CardError(f"{card}: {error}") from None


def score_example(card: Card, prediction: str, references: Sequence[str]) -> dict[str, float]:
    """All scores of one answer by the card's postprocessors and metrics.

    Args:
        card: the answer's card.
        prediction: the answer as the model gave it; of more than ``LONGEST`` characters the first ``LONGEST``
            are read.
        references: the right answers, at least one.

    Returns:
        Scores by name, each in [0, 1]; ``card.main_metric`` is one of the names.

    Raises:
        CardError: an unknown metric or postprocessor, two metrics with a score of one name, no main score.
        InputError: no references.
    """
    return _score(card, card_metrics(card), prediction, references)


def _score(
    card: Card, its_metrics: Sequence[Metric], prediction: str, references: Sequence[str]
) -> dict[str, float]:
    if not references:
        raise InputError(f"{card.name}: an example without references cannot be scored")
    where = f"{card.name}: postprocessors"
    answer, right = postprocess(prediction[:LONGEST], references, card.template.postprocessors, where=where)
    scores: dict[str, float] = {}
    for metric in its_metrics:
        given = metric.scores(answer, right)
        twice = sorted(scores.keys() & given.keys())
        if twice:
            raise CardError(
                f"{card.name}: two metrics give a score called {twice[0]!r}; name only one of them"
            )
        scores.update(given)
    if card.main_metric not in scores:
        raise CardError(
            f"{card.name}: no metric gives its main score {card.main_metric!r}; found: {', '.join(scores)}"
        )
    return scores


def score_run(run: ScoredRun) -> pd.DataFrame:
    """The scores of every answered request of a run.

    A request that failed has one row, of the main metric and without a score (NaN), so that the analysis
    sees the hole also where all models failed. Where a configuration takes several calls, the answer of the
    last one is scored. Equal answers to equal references are scored once a data set.

    Returns:
        A frame with the columns of scores.parquet (``COLUMNS``), a row a score, by model, then in the
        requests' order.

    Raises:
        RunError: study.yaml does not say which card a data set is.
        CardError: a card whose answers cannot be scored.
    """
    import pandas as pd

    requests = _last_calls(run)
    frames = [
        scored
        for model in run.models()
        for dataset, asked in _asked(requests, run.predictions(model), model)
        for scored in _with_holes(_card(run.study, dataset), asked)
        if not scored.empty
    ]
    scores: pd.DataFrame = pd.concat(frames, ignore_index=True) if frames else empty_frame()
    return scores


def empty_frame() -> pd.DataFrame:
    """No scores, with the right columns and types."""
    import pandas as pd

    types = {"score": "float64", "main": "bool"}
    frame: pd.DataFrame = pd.DataFrame(
        {column: pd.Series([], dtype=types.get(column, "object")) for column in COLUMNS}
    )
    return frame


def _last_calls(run: ScoredRun) -> pd.DataFrame:
    """The requests whose answer is the answer proper, without their prompts."""
    import pandas as pd

    asked = ["dataset", "config", "example"]
    wanted = ["key", "model", *CELL[1:], "stage", "references"]
    # without the prompts, a study of millions of requests fits into memory
    tables = [table.select(wanted).to_pandas() for table in run.request_tables(wanted)]
    frame: pd.DataFrame = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=wanted)
    last = frame.groupby(asked, sort=False)["stage"].transform("max")
    scored: pd.DataFrame = frame[frame["stage"] == last].rename(columns={"model": "asked_of"})
    return scored


def _asked(requests: pd.DataFrame, predictions: pa.Table, model: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Per data set the requests of a model, with ``model`` and ``prediction`` (null where it failed)."""
    answers = predictions.select(["key", "prediction"]).to_pandas().dropna(subset=["prediction"])
    mine = requests[requests["asked_of"].isna() | (requests["asked_of"] == model)]
    joined = mine.merge(answers.drop_duplicates("key", keep="last"), on="key", how="left").assign(model=model)
    for dataset, rows in joined.groupby("dataset", sort=False):
        yield str(dataset), rows


def _with_holes(card: Card, asked: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The scores of what was answered, and a row without a score for what was not."""
    failed = asked["prediction"].isna()
    holes = asked.loc[failed, CELL].assign(metric=card.main_metric, score=float("nan"), main=True)
    return score_frame(card, asked[~failed]), holes[COLUMNS]


def score_frame(card: Card, answered: pd.DataFrame) -> pd.DataFrame:
    """The scores of answers to one card.

    Args:
        card: the card of all rows.
        answered: a row an answer: the columns ``CELL``, ``prediction`` (text) and ``references`` (lists of
            text).

    Returns:
        A row a score, ``COLUMNS``; the answers' order is kept.
    """
    import numpy as np

    if answered.empty:
        return empty_frame()
    names, values = score_matrix(card, answered["prediction"], answered["references"])
    rows = np.repeat(np.arange(len(answered)), len(names))
    frame = answered[CELL].iloc[rows].reset_index(drop=True)
    frame["metric"] = np.tile(np.array(names, dtype=object), len(answered))
    frame["score"] = values.ravel()
    frame["main"] = frame["metric"] == card.main_metric
    scored: pd.DataFrame = frame[COLUMNS]
    return scored


def score_matrix(
    card: Card, predictions: Iterable[str], references: Iterable[Sequence[str]]
) -> tuple[list[str], np.ndarray[Any, Any]]:
    """The scores' names, and an array (answers x scores); what is equal is scored once."""
    import numpy as np

    its_metrics = card_metrics(card)
    known: dict[tuple[str, tuple[str, ...]], tuple[float, ...]] = {}
    names: list[str] = []
    rows = []
    for prediction, right in zip(predictions, references, strict=True):
        pair = (prediction, tuple(right))
        if pair not in known:
            scores = _score(card, its_metrics, *pair)
            names = names or list(scores)
            known[pair] = tuple(scores[name] for name in names)
        rows.append(known[pair])
    return names, np.array(rows, dtype=float)


def _card(study: Mapping[str, Any], dataset: str) -> Card:
    """The card of a data set; one from a file of its own is found by the path that the recipe gave."""
    from ..catalog import load_card

    name = study.get("datasets", {}).get(dataset, {}).get("card")
    if not name:
        raise RunError(
            f"study.yaml: no card for data set {dataset!r}; expected it under datasets.{dataset}.card"
        )
    given = [str(entry["card"]) for entry in study.get("recipe", {}).get("cards", [])]
    files = [load_card(path) for path in given if path.endswith(".json")]
    return next((card for card in files if card.name == name), None) or load_card(name)
