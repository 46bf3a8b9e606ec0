"""The cost of a cell of the score cube: requests and tokens, from the stored prompts and answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..core.texts import CHARACTERS_A_TOKEN

if TYPE_CHECKING:
    from .store.run import Run


@dataclass(frozen=True)
class Usage:
    """The mean cost of a cell (one example, configuration and model), over models.

    Attributes:
        requests: more than 1 for a strategy of several calls.
        prompt_tokens: of all its requests.
        completion_tokens: of all its answers; failed requests have none.
        estimated: the share of requests whose token counts are unknown and estimated as characters / 4.
    """

    requests: float
    prompt_tokens: float
    completion_tokens: float
    estimated: float


def usage(run: Run, configurations: Mapping[str, Collection[str]]) -> dict[str, Usage]:
    """Data set -> the cost of a cell.

    Args:
        run: a run whose requests were answered.
        configurations: data set -> the configurations that count.

    Returns:
        Only data sets with an answered request.

    Raises:
        RunError: stored requests or answers are damaged.
    """
    kept, labels = list(_requests(run, configurations)), run.models()
    if not kept or not labels:
        return {}
    requests = pa.concat_tables(kept).unify_dictionaries()
    found = pd.concat([_totals(_of_model(run, label, requests)) for label in labels])
    return {str(dataset): _usage(part.sum()) for dataset, part in found.groupby(level=0, sort=False)}


_CELL = ("dataset", "example", "config")


def _requests(run: Run, configurations: Mapping[str, Collection[str]]) -> Iterator[pa.Table]:
    """The requests of the configurations that count, with the length of their prompts in characters."""
    wanted = pa.array(
        [f"{dataset}\n{config}" for dataset, configs in configurations.items() for config in configs],
        pa.string(),
    )
    for table in run.request_tables(("key", "model", *_CELL, "prompt")):
        pairs = pc.binary_join_element_wise(table["dataset"], table["config"], "\n")
        own = _measured(table, "prompt").filter(pc.is_in(pairs, wanted))
        for name in _CELL:
            own = own.set_column(own.column_names.index(name), name, pc.dictionary_encode(own[name]))
        yield own


def _measured(table: pa.Table, text: str) -> pa.Table:
    """The table with a column replaced by its number of characters."""
    return table.append_column("characters", pc.utf8_length(table[text])).drop_columns([text])


def _of_model(run: Run, label: str, requests: pa.Table) -> pd.DataFrame:
    """The model's answered requests with their tokens, estimated where unknown."""
    columns = ("key", "prediction", "prompt_tokens", "completion_tokens")
    answers = _measured(run.predictions(label, columns), "prediction")
    mine = pc.or_kleene(pc.is_null(requests["model"]), pc.equal(requests["model"], label))
    at = pc.index_in(requests["key"], value_set=answers["key"])
    answered = pc.and_(mine, pc.is_valid(at))
    own, said = requests.filter(answered), answers.take(at.filter(answered))
    rows: pd.DataFrame = own.select([*_CELL, "characters"]).to_pandas()
    prompt, completion, characters = (
        said[name].to_pandas() for name in ("prompt_tokens", "completion_tokens", "characters")
    )
    found: pd.DataFrame = rows.assign(
        estimated=prompt.isna() | completion.isna(),
        prompt_tokens=prompt.fillna(rows["characters"] / CHARACTERS_A_TOKEN),
        completion_tokens=completion.fillna(characters / CHARACTERS_A_TOKEN).fillna(0.0),
    )
    return found


def _totals(rows: pd.DataFrame) -> pd.DataFrame:
    """A row per data set: cells, requests, and the sums of their tokens and of those estimated."""
    by_dataset = rows.groupby("dataset", sort=False, observed=True)
    cells = rows.drop_duplicates(list(_CELL)).groupby("dataset", sort=False, observed=True).size()
    sums = by_dataset[["prompt_tokens", "completion_tokens", "estimated"]].sum()
    sums = sums.assign(requests=by_dataset.size(), cells=cells)
    found: pd.DataFrame = sums.set_axis(sums.index.astype(str))
    return found


def _usage(totals: pd.Series[Any]) -> Usage:
    return Usage(
        requests=float(totals["requests"] / totals["cells"]),
        prompt_tokens=float(totals["prompt_tokens"] / totals["cells"]),
        completion_tokens=float(totals["completion_tokens"] / totals["cells"]),
        estimated=float(totals["estimated"] / totals["requests"]),
    )


def mean_usage(costs: Collection[Usage]) -> dict[str, float]:
    """The unweighted mean over data sets, which all have the same number of cells."""
    return {
        field.name: sum(getattr(one, field.name) for one in costs) / len(costs) for field in fields(Usage)
    }


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
