"""Columns of names as codes: each name held once, so that a row costs a byte or two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from .types import Integers


def coded(column: pd.Series[Any]) -> pd.Categorical:
    """A column's values as text, null where they are null.

    Args:
        column: text, numbers, categories or a mixture of anything.

    Returns:
        Categories in the order in which the rows name them; all of them are used.
    """
    import numpy as np
    import pandas as pd

    codes, names = _factorized(column)
    text = pd.Index([str(name) for name in names], dtype=object)
    # the number 1 and the text "1" are one name
    merged, unique = pd.factorize(text)
    if len(unique) < len(text):
        codes = np.append(merged, -1)[codes]
    return pd.Categorical.from_codes(codes, categories=unique)


def _factorized(column: pd.Series[Any]) -> tuple[Any, pd.Index[Any]]:
    """Codes, -1 for null, and the values they stand for, by first appearance."""
    import pandas as pd
    from pandas.api.types import infer_dtype

    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, used = pd.factorize(column.cat.codes)
        present = used >= 0
        # null's own code gives way to -1
        places = present.cumsum() - 1
        places[~present] = -1
        return places[codes], column.cat.categories[used[present]]
    if column.dtype.kind == "O" and infer_dtype(column, skipna=True) not in {"string", "empty"}:
        # a mixture: 1, 1.0 and True are equal, and are three names
        column = column.astype(str).where(column.notna())
    elif column.dtype.kind == "f":
        # -0.0 equals 0.0
        column = column.astype(str).where(column.notna())
    codes, names = pd.factorize(column)
    return codes, pd.Index(names)


def used_names(column: pd.Series[Any]) -> list[str]:
    """The names in a coded column, by first appearance; null is left out."""
    return [str(name) for name in column.cat.categories[first_seen(column)]]


def first_seen(column: pd.Series[Any]) -> Integers:
    """The codes in a coded column, by first appearance, without null."""
    import pandas as pd

    codes: Integers = pd.unique(column.cat.codes.to_numpy())
    return codes[codes >= 0]


def pairs(first: pd.Series[Any], second: pd.Series[Any]) -> list[tuple[str, str]]:
    """The pairs of names that rows of two coded columns hold, by first appearance, without null."""
    import numpy as np
    import pandas as pd

    one, other = first.cat.codes.to_numpy(), second.cat.codes.to_numpy()
    many = max(len(second.cat.categories), 1)
    kind = np.int32 if many * len(first.cat.categories) < 2**31 else np.int64
    both = one.astype(kind) * kind(many) + other
    if one.min(initial=0) < 0 or other.min(initial=0) < 0:
        both[(one < 0) | (other < 0)] = -1
    found = [divmod(int(pair), many) for pair in pd.unique(both) if pair >= 0]
    return [(str(first.cat.categories[a]), str(second.cat.categories[b])) for a, b in found]
