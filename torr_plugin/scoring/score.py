"""Scores of a whole run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import RunError
from .metrics import needs_of
from .rating import card_metrics, scores_of

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


class ScoredRun(Protocol):
    """What :func:`score_run` needs of a run."""

    @property
    def study(self) -> Mapping[str, Any]: ...  # noqa: D102

    def models(self) -> list[str]: ...  # noqa: D102

    def request_tables(self, columns: Sequence[str]) -> Iterable[pa.Table]: ...  # noqa: D102

    def predictions(self, label: str) -> pa.Table: ...  # noqa: D102


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


def answered_by_card(run: ScoredRun) -> Iterator[tuple[Card, pd.DataFrame]]:
    """Every model's answers to every data set, with the card: ``CELL``, ``prediction`` and ``references``.

    Raises:
        RunError: study.yaml does not say which card a data set is.
    """
    requests = _last_calls(run)
    for model in run.models():
        for dataset, asked in _asked(requests, run.predictions(model), model):
            yield _card(run.study, dataset), asked[asked["prediction"].notna()]


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
    wanted = ["key", "model", *CELL[1:], "stage", "references", "facts"]
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
        answered: a row an answer: the columns ``CELL``, ``prediction`` (text), ``references`` (lists of
            text) and ``facts`` (JSON or null), which may be absent.

    Returns:
        A row a score, ``COLUMNS``; the answers' order is kept.
    """
    import numpy as np

    if answered.empty:
        return empty_frame()
    names, values = score_matrix(
        card, answered["prediction"], answered["references"], answered.get("facts", None)
    )
    rows = np.repeat(np.arange(len(answered)), len(names))
    frame = answered[CELL].iloc[rows].reset_index(drop=True)
    frame["metric"] = np.tile(np.array(names, dtype=object), len(answered))
    frame["score"] = values.ravel()
    frame["main"] = frame["metric"] == card.main_metric
    scored: pd.DataFrame = frame[COLUMNS]
    return scored


def score_matrix(
    card: Card,
    predictions: Iterable[str],
    references: Iterable[Sequence[str]],
    facts: Iterable[str | None] | None = None,
) -> tuple[list[str], np.ndarray[Any, Any]]:
    """The scores' names, and an array (answers x scores); what is equal is scored once."""
    import numpy as np

    from ..recipes import facts_of_column

    its_metrics = card_metrics(card)
    needed = any(map(needs_of, its_metrics))
    known: dict[tuple[str, tuple[str, ...], str | None], tuple[float, ...]] = {}
    names: list[str] = []
    rows = []
    # facts are part of what is equal only where a metric looks at them
    given = facts if facts is not None and needed else repeat(None)
    for prediction, right, its_facts in zip(predictions, references, given, strict=False):
        pair = (prediction, tuple(right), its_facts if isinstance(its_facts, str) else None)
        if pair not in known:
            scores = scores_of(card, its_metrics, prediction, pair[1], facts_of_column(pair[2]))
            names = names or list(scores)
            known[pair] = tuple(scores[name] for name in names)
        rows.append(known[pair])
    return names, np.array(rows, dtype=float)


def _card(study: Mapping[str, Any], dataset: str) -> Card:
    """The card of a data set, rated as the recipe says.

    One from a file of its own is found by the path that the recipe gave.
    """
    from ..catalog import load_card, with_metrics

    name = study.get("datasets", {}).get(dataset, {}).get("card")
    if not name:
        raise RunError(
            f"study.yaml: no card for data set {dataset!r}; expected it under datasets.{dataset}.card"
        )
    entries = {str(entry["card"]): entry.get("metrics") for entry in study.get("recipe", {}).get("cards", [])}
    files = {path: load_card(path) for path in entries if path.endswith(".json")}
    given = next((path for path, card in files.items() if card.name == name), None)
    card = files[given] if given else load_card(name)
    chosen = [entries[each] for each in entries if each in (given, name, card.dataset) and entries[each]]
    return with_metrics(card, chosen[0] if chosen else None)
