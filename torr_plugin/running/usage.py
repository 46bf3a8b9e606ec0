"""Tokens of the cells of the score cube, from the stored prompts and answers: as counted, or estimated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..core.texts import CHARACTERS_A_TOKEN

if TYPE_CHECKING:
    from .store.run import Run

TOKENS = "prompt_tokens"
_CELL = ["dataset", "config", "example"]


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
    answers = {
        label: run.predictions(label, ("key", TOKENS))
        for label in run.models()
        if label in set(scores["model"])
    }
    counted = {label: table for label, table in answers.items() if table[TOKENS].null_count < len(table)}
    if not counted:
        return scores
    requests, sums = _requests(run), dict[str, Any]()
    for label, table in counted.items():
        calls = _joined(requests, label, table).groupby(_CELL, observed=True, sort=False)[TOKENS]
        # an answer may need several prompts: one that was not counted leaves the sum unknown
        sums[label] = calls.sum().where(calls.count() == calls.size())
    cells = pd.MultiIndex.from_frame(scores[["model", *_CELL]])
    found = pd.concat(sums, names=["model"]).reindex(cells).to_numpy(dtype="float64")
    with_tokens: pd.DataFrame = scores.assign(**{TOKENS: found})
    return with_tokens


def usage(run: Run, configurations: Mapping[str, Collection[str]]) -> dict[str, dict[str, float]]:
    """Data set -> the mean cost of a cell (one example, configuration and model), over models.

    Args:
        run: a run whose requests were answered.
        configurations: data set -> the configurations that count.

    Returns:
        ``requests`` (more than 1 for a strategy of several calls), ``prompt_tokens`` of all of them,
        ``completion_tokens`` of their answers (failed requests have none), and ``estimated``, the share of
        requests whose tokens are unknown and estimated as characters / 4. Only data sets with an answered
        request.

    Raises:
        RunError: stored requests or answers are damaged.
    """
    wanted = [(dataset, config) for dataset, configs in configurations.items() for config in configs]
    requests = _requests(run, measured=True)
    requests = requests[pd.MultiIndex.from_frame(requests[["dataset", "config"]]).isin(wanted)]
    totals = [_totals(run, label, requests) for label in run.models()]
    if not totals:
        return {}
    found = pd.concat(totals).groupby(level=0, sort=False, observed=True).sum()
    means = found[["requests", TOKENS, "completion_tokens"]].div(found["cells"], axis=0)
    means["estimated"] = found["estimated"] / found["requests"]
    return {str(dataset): row for dataset, row in means.to_dict("index").items()}


def _totals(run: Run, label: str, requests: pd.DataFrame) -> Any:
    """A row per data set: a model's cells, answered requests, and the sums of their tokens."""
    columns = ("key", "prediction", TOKENS, "completion_tokens")
    calls = _joined(requests, label, _measured(run.predictions(label, columns), "prediction"), how="inner")
    calls["estimated"] = calls[TOKENS].isna() | calls["completion_tokens"].isna()
    calls[TOKENS] = calls[TOKENS].fillna(calls["prompt"] / CHARACTERS_A_TOKEN)
    said = calls["prediction"].fillna(0) / CHARACTERS_A_TOKEN
    calls["completion_tokens"] = calls["completion_tokens"].fillna(said)
    datasets = calls.groupby("dataset", sort=False, observed=True)
    cells = calls.drop_duplicates(_CELL).groupby("dataset", sort=False, observed=True).size()
    sums = datasets[[TOKENS, "completion_tokens", "estimated"]].sum()
    return sums.assign(requests=datasets.size(), cells=cells)


def _requests(run: Run, *, measured: bool = False) -> pd.DataFrame:
    """Key, model and cell of the requests; measured, also how many characters their prompts have."""
    columns = ("key", "model", *_CELL, *(["prompt"] * measured))
    tables = [_measured(table, "prompt") if measured else table for table in run.request_tables(columns)]
    found: pd.DataFrame = pd.DataFrame(columns=list(columns))
    if tables:
        found = pa.concat_tables(tables).to_pandas(categories=_CELL)
    return found


def _measured(table: pa.Table, text: str) -> pa.Table:
    """The table with the number of its characters instead of a text."""
    return table.set_column(table.column_names.index(text), text, pc.utf8_length(table[text]))


def _joined(requests: pd.DataFrame, label: str, answers: pa.Table, how: Any = "left") -> Any:
    """The requests of a model beside its answers."""
    mine = requests[requests["model"].isna() | (requests["model"] == label)]
    return mine.join(answers.to_pandas().set_index("key"), on="key", how=how)


def mean_usage(costs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The unweighted mean over data sets, which all have the same number of cells."""
    return {name: sum(one[name] for one in costs) / len(costs) for name in costs[0]}


def priced(option: Mapping[str, Any], cost: Mapping[str, float]) -> dict[str, Any]:
    """An option of a budget with its real requests and tokens in place of cells.

    Args:
        option: ``requests_per_model`` and ``requests`` count cells.
        cost: of a cell, see :func:`mean_usage`.
    """
    cells = option["requests"]
    return {
        **option,
        "requests_per_model": round(option["requests_per_model"] * cost["requests"]),
        **{name: round(cells * cost[name]) for name in ("requests", "prompt_tokens", "completion_tokens")},
    }
