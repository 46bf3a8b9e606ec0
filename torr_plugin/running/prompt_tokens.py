"""The tokens of prompts, as the engines counted them, beside the scores of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from .store.run import Run

TOKENS = "prompt_tokens"
_CELL = ("dataset", "config", "example")


def with_prompt_tokens(scores: pd.DataFrame, run: Run) -> pd.DataFrame:
    """The scores with a column ``prompt_tokens``: of all prompts that led to an answer, NaN where unknown.

    Args:
        scores: of the run.
        run: with requests and answers.

    Returns:
        The scores as they are where no engine counted tokens.

    Raises:
        RunError: requests or answers are damaged.
    """
    counted = {
        label: answers
        for label in run.models()
        if not (answers := _counts(run, label)).isna().all() and label in set(scores["model"])
    }
    if not counted:
        return scores
    names = {column: pd.Categorical(scores[column]) for column in _CELL}
    requests = pd.concat(
        [table.to_pandas() for table in run.request_tables(("key", "model", *_CELL))], ignore_index=True
    )
    # a number for each cell of a model, in the scores and in the requests
    rows = _numbered({column: one.codes for column, one in names.items()}, names)
    cells = _numbered(
        {column: names[column].categories.get_indexer(requests[column]) for column in _CELL}, names
    )
    found = np.full(len(scores), np.nan)
    for label, tokens in counted.items():
        own = (requests["model"].isna() | (requests["model"] == label)).to_numpy() & (cells >= 0)
        of_cells = pd.Series(tokens.reindex(requests["key"][own]).to_numpy(), index=cells[own])
        # an answer may need several prompts: one that was not counted leaves the sum unknown
        sums = of_cells.groupby(level=0).sum(min_count=1).mask(of_cells.isna().groupby(level=0).any())
        chosen = (scores["model"] == label).to_numpy()
        found[chosen] = sums.reindex(rows[chosen]).to_numpy()
    with_tokens: pd.DataFrame = scores.assign(**{TOKENS: found})
    return with_tokens


def _counts(run: Run, label: str) -> pd.Series[Any]:
    """Key -> tokens of the prompt."""
    answers = run.predictions(label, ("key", TOKENS)).to_pandas()
    found: pd.Series[Any] = answers.drop_duplicates("key").set_index("key")[TOKENS].astype("float64")
    return found


def _numbered(places: dict[str, Any], names: dict[str, pd.Categorical]) -> np.ndarray[Any, Any]:
    """One number for each row's names; -1 where one is unknown."""
    found: Any = np.zeros(len(places["example"]), dtype=np.int64)
    known: Any = np.ones(len(found), dtype=bool)
    for column, codes in places.items():
        found = found * len(names[column].categories) + codes
        known &= np.asarray(codes) >= 0
    return np.where(known, found, -1)
