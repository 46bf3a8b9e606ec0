"""Lists of the items that each model solved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import RootModel

from ...core.errors import InputError, counted
from .board import BoardScores
from .files import number, read_json
from .frames import decoded, item_frame

_ITEMS = ("items", "total")
_MOST_ROWS = 10_000_000  # that a short file may stand for


class _SolvedIds(RootModel[dict[str, Any]]):
    """``{"items": 500, "model": ["id", ...], ...}``; the models may stand below ``solved``."""


def solved_ids(path: Path) -> BoardScores:
    """The scores in a JSON file of the ids that each model solved.

    Raises:
        InputError: the number of all items is not there or too small, or an id stands twice or in two kinds.
    """
    lists = dict(read_json(path, _SolvedIds).root)
    key = next((name for name in _ITEMS if name in lists), None)
    every = lists.pop(key) if key else None
    if isinstance(inner := lists.get("solved"), dict):
        lists = inner
    wrong = [name for name, ids in lists.items() if not isinstance(ids, list)]
    if wrong or not lists:
        raise InputError(
            f"{path}: {wrong[0] if wrong else 'is empty'}: expected a list of solved ids by each model's name"
        )
    ids = [each for solved in lists.values() for each in solved]
    ids += every if isinstance(every, list) else []
    kinds = {type(each) for each in ids}
    if len(kinds) > 1 or not kinds <= {str, int}:
        raise InputError(
            f"{path}: ids: found {sorted(kind.__name__ for kind in kinds)}; expected all texts or all numbers"
        )
    count = float(len(every)) if isinstance(every, list) else number(every)
    if count is None:
        raise InputError(
            f'{path}: says which items were solved, but not of how many; add "items": their number or all ids'
        )
    sizes = [len(solved) for solved in lists.values()]
    frame = solved_frame(
        path,
        model=np.repeat(np.array(list(lists), dtype=object), sizes),
        task=np.full(sum(sizes), path.stem, dtype=object),
        item=np.array([str(each) for solved in lists.values() for each in solved], dtype=object),
        count=np.full(sum(sizes), count),
        models=list(lists),
        items=[str(each) for each in every] if isinstance(every, list) else [],
    )
    return BoardScores(
        frame, notes=(f"{path.name}: solved ids of {counted(len(lists), 'model')}, {count:,.0f} items",)
    )


def solved_frame(
    path: Path | str,
    *,
    model: Any,
    task: Any,
    item: Any,
    count: Any,
    models: list[str] | None = None,
    items: list[str] | None = None,
) -> pd.DataFrame:
    """Rows of items, 1 where a model solved one and 0 elsewhere.

    Items that no model solved and that nothing names are ``unsolved-1`` and so on.

    Args:
        path: the file, for messages.
        model: of each solved item, (rows,).
        task: likewise.
        item: likewise.
        count: the number of all items of the task, likewise, with NaN for what is not known.
        models: all that were asked, also those that solved nothing; by default those of a task's rows.
        items: all that have names.

    Raises:
        InputError: the number of items is unknown, differs, or is below that of the names; or an item stands
            twice.
    """
    rows = pd.DataFrame({"model": model, "task": task, "item": item, "count": count})
    if (twice := rows.duplicated(["model", "task", "item"])).any():
        first = rows[twice].iloc[0]
        raise InputError(
            f"{path}: item {first['item']!r:.80} of model {first['model']!r:.80} stands twice; expected once"
        )
    parts = list[pd.DataFrame]()
    groups = rows.groupby("task", sort=False) if len(rows) else [(Path(path).stem, rows)]
    for name, part in groups:
        sizes = part["count"].unique() if len(part) else np.array([float(len(items or []))])
        codes, seen = pd.factorize(
            pd.concat([part["item"], pd.Series(items or [], dtype=object)], ignore_index=True)
        )
        most = _MOST_ROWS // max(part["model"].nunique(), len(models or ()), 1)
        if len(sizes) != 1 or not len(seen) <= sizes[0] <= most or sizes[0] % 1:
            found = ", ".join(f"{size:g}" for size in sizes[:5])
            raise InputError(
                f"{path}: {name}: number of all items: found {found}; expected one whole number, at least "
                f"{len(seen):,}, as so many are named, at most {most:,}"
            )
        size = int(sizes[0])
        model_codes, known = pd.factorize(part["model"])
        labels = [*known, *(each for each in models or [] if each not in set(known))]
        solved = np.zeros((len(labels), size), dtype=np.float64)
        solved[model_codes, codes[: len(part)]] = 1.0
        ids = [*seen, *(f"unsolved-{at + 1}" for at in range(size - len(seen)))]
        parts.append(
            item_frame(
                path,
                solved.ravel(),
                model=decoded(labels, np.repeat(np.arange(len(labels)), size)),
                task=name,
                item=np.tile(np.array(ids, dtype=object), len(labels)),
            )
        )
    return pd.concat(parts, ignore_index=True)
