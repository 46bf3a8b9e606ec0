"""A scores frame, checked: columns that are needed, main rows only, scores in [0, 1] or absent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from ..core.errors import elided
from ..core.names import ENDED, faithful_name, lenient_name
from ..core.statistics import Integers
from .options import AnalysisError
from .result import OVERALL


def as_categories(column: pd.Series[Any]) -> pd.Categorical:
    """A column's values as text, null where they are null.

    Args:
        column: text, numbers, categories or a mixture of anything.

    Returns:
        Categories in the order in which the rows name them; all of them are used.
    """
    codes, names = _factorized(column)
    text = pd.Index([str(name) for name in names], dtype=object)
    # the number 1 and the text "1" are one name
    merged, unique = pd.factorize(text)
    if len(unique) < len(text):
        codes = np.append(merged, -1)[codes]
    return pd.Categorical.from_codes(codes, categories=unique)


def _factorized(column: pd.Series[Any]) -> tuple[Any, pd.Index[Any]]:
    """Codes, -1 for null, and the values they stand for, by first appearance."""
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
    codes: Integers = pd.unique(column.cat.codes.to_numpy())
    return codes[codes >= 0]


def pairs(first: pd.Series[Any], second: pd.Series[Any]) -> list[tuple[str, str]]:
    """The pairs of names that rows of two coded columns hold, by first appearance, without null."""
    one, other = first.cat.codes.to_numpy(), second.cat.codes.to_numpy()
    many = max(len(second.cat.categories), 1)
    kind = np.int32 if many * len(first.cat.categories) < 2**31 else np.int64
    both = one.astype(kind) * kind(many) + other
    if one.min(initial=0) < 0 or other.min(initial=0) < 0:
        both[(one < 0) | (other < 0)] = -1
    found = [divmod(int(pair), many) for pair in pd.unique(both) if pair >= 0]
    return [(str(first.cat.categories[a]), str(second.cat.categories[b])) for a, b in found]


LABELS = ("model", "dataset", "config", "example", "metric")
NEEDED = (*LABELS, "score")
OPTIONAL = ("serializer", "perturbation", "design")
CLUSTER, REPLICATE = "cluster", "replicate"
"""Columns that say which examples are about one table, and which rows repeat a request: 0 or empty is the
first answer, 1 the same prompt asked again."""
TOKENS = "prompt_tokens"
"""A column with how many tokens the prompt took; empty where that is unknown."""
_NO_SCORE = ("", "na", "nan", "null", "none")  # how text files write that there is none


@dataclass(frozen=True)
class MainScores:
    """The main rows of a scores frame.

    ``rows`` has the columns of ``LABELS`` as categories of text (:func:`as_categories`), ``score`` as a float
    (NaN: not scored), and those of ``OPTIONAL`` and ``cluster`` that the frame has, as categories too;
    ``prompt_tokens`` as a float (NaN: unknown) and ``ended`` as categories, where the frame has them.
    ``replicates``: likewise, of the answers to prompts asked again; empty where none was. ``otherwise``:
    likewise, the same answers' lenient scores where the main ones are faithful, and faithful ones where they
    are lenient; empty where the frame has no such scores. ``notes`` says what
    was absent or left out, a line each; ``source`` names the scores in messages.
    """

    rows: pd.DataFrame
    replicates: pd.DataFrame
    notes: tuple[str, ...]
    source: str = "scores"
    otherwise: pd.DataFrame = field(default_factory=pd.DataFrame)


def main_scores(frame: pd.DataFrame, metric: str | None = None) -> MainScores:
    """The rows of each data set's main metric, or of a chosen metric.

    Args:
        frame: a row a score with the columns of ``NEEDED``; ``main`` (bool) tells the main metric's rows, and
            may be absent where each data set has one metric.
        metric: use its rows instead; data sets without it are left out, with a note.

    Raises:
        AnalysisError: no row has the metric, a column is missing, there are no rows, a label is null, a score
            is no number or not in [0, 1], or the main metric is not clear.
    """
    source = str(frame.attrs.get("source", "scores"))
    _refuse_missing_columns(frame, source)
    every = _with_parts(_coded(frame, source))
    rows = _main_rows(every, source) if metric is None else _rows_of(metric, every, source)
    _refuse_two_metrics(rows, source)
    rows = rows.assign(score=_numbers(rows, source))
    if TOKENS in rows:
        rows = rows.assign(**{TOKENS: _token_counts(rows, source)})
    left_out = _without(metric, every, rows)
    otherwise = _scored_otherwise(every, rows, source)
    rows, replicates = _without_replicates(rows, source)
    return MainScores(rows, replicates, (*left_out, *_absent(rows), *_unscored(rows)), source, otherwise)


def _scored_otherwise(every: pd.DataFrame, rows: pd.DataFrame, source: str) -> pd.DataFrame:
    """The first answers of the other one of each data set's faithful and lenient scores."""
    there = set(used_names(every["metric"]))
    chosen = np.zeros(len(every), dtype=bool)
    for dataset, metric in pairs(rows["dataset"], rows["metric"]):
        other = next(name for name in (faithful_name(metric), lenient_name(metric)) if name != metric)
        if other in there:
            chosen |= ((every["dataset"] == dataset) & (every["metric"] == other)).to_numpy()
    found: pd.DataFrame = every[chosen].drop(columns="main", errors="ignore")
    if found.empty:
        return found
    first, _ = _without_replicates(found.assign(score=_numbers(found, source)), source)
    return first


def _without_replicates(rows: pd.DataFrame, source: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The first answers, and those to prompts asked again."""
    if REPLICATE not in rows:
        return rows, rows.iloc[:0]
    given = rows[REPLICATE]
    known = _as_numbers(given)
    numbers = known.fillna(0.0)
    wrong = (numbers < 0) | (numbers % 1 != 0) | (known.isna() & given.notna())
    if wrong.any():  # the ways to write that there is none
        wrong &= ~given.astype(str).str.strip().str.lower().isin(_NO_SCORE)
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise AnalysisError(
            f"{source}: row {row + 1}: replicate is {_plain(given.iloc[row])}; "
            "expected 0 for a first answer, 1, 2, ... for those to the same prompt asked again"
        )
    first = numbers.to_numpy() == 0
    if not first.any():
        raise AnalysisError(f"{source}: every row has a replicate above 0; expected first answers (0) too")
    again = rows.assign(**{REPLICATE: numbers.astype("int64")})[~first]
    twice = again.duplicated(["model", "dataset", "config", "example", REPLICATE])
    if twice.any():
        row = again[twice].iloc[0]
        raise AnalysisError(
            f"{source}: model {row['model']!r}, data set {row['dataset']!r}, config {row['config']!r}, "
            f"example {row['example']!r} has several rows with replicate {row[REPLICATE]}; expected one"
        )
    return rows[first], again


def first_answers(frame: pd.DataFrame) -> pd.DataFrame:
    """Scores without those of prompts asked again, and without the column that tells them apart.

    Args:
        frame: what :func:`main_scores` took without an error.
    """
    if REPLICATE not in frame:
        return frame
    first = _as_numbers(frame[REPLICATE]).fillna(0.0).to_numpy() == 0
    found: pd.DataFrame = frame[first].drop(columns=REPLICATE)
    return found


def typed_scores(frame: pd.DataFrame) -> pd.DataFrame:
    """Scores as they were given, with ``score`` as numbers and ``main``, if it is there, as booleans.

    A text file's columns are text. A score that is empty or no number is NaN.

    Args:
        frame: what :func:`main_scores` took without an error.
    """
    main = {"main": _truths(frame["main"]).astype(bool)} if "main" in frame else {}
    typed: pd.DataFrame = frame.assign(score=_as_numbers(frame["score"]), **main)
    return typed


def _rows_of(metric: str, frame: pd.DataFrame, source: str) -> pd.DataFrame:
    """The rows of a metric."""
    names = used_names(frame["metric"])
    if metric not in names:
        raise AnalysisError(f"{source}: no score called {metric!r}; found: {_quoted(names)}")
    rows: pd.DataFrame = frame[frame["metric"] == metric].drop(columns="main", errors="ignore")
    return rows


def _without(metric: str | None, frame: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    """What a chosen metric leaves out."""
    if metric is None:
        return []
    there = set(used_names(rows["dataset"]))
    absent = [name for name in used_names(frame["dataset"]) if name not in there]
    notes = [f"all figures are of {metric}, which is not the main metric of every data set"]
    return [*notes, f"{', '.join(absent)} left out: no score called {metric}"] if absent else notes


def _refuse_missing_columns(frame: pd.DataFrame, source: str) -> None:
    missing = [name for name in NEEDED if name not in frame.columns]
    if missing:
        raise AnalysisError(
            f"{source}: no column {_quoted(missing)}; found: {_quoted(frame.columns)}; "
            f"expected {', '.join(NEEDED)}"
        )
    if frame.columns.duplicated().any():
        raise AnalysisError(
            f"{source}: two columns are called {frame.columns[frame.columns.duplicated()][0]!r}"
        )
    if frame.empty:
        raise AnalysisError(
            f"{source}: no rows; expected one a model, data set, configuration, example and metric"
        )


def _coded(frame: pd.DataFrame, source: str) -> pd.DataFrame:
    """The columns that are used, those of names as codes."""
    columns: dict[str, Any] = {name: as_categories(frame[name]) for name in LABELS}
    for name, column in columns.items():
        null = column.codes == -1
        for place, text in enumerate(column.categories):
            if not text.strip():
                null |= column.codes == place
        if null.any():
            raise AnalysisError(
                f"{source}: row {null.argmax() + 1}: column {name!r} is empty; expected a name"
            )
    if OVERALL in columns["dataset"].categories:
        raise AnalysisError(
            f"{source}: a data set is called {OVERALL!r}, which names all together; rename it"
        )
    named = (*OPTIONAL, CLUSTER, ENDED)
    columns |= {name: as_categories(frame[name]) for name in named if name in frame}
    columns |= {name: frame[name].array for name in ("score", "main", REPLICATE, TOKENS) if name in frame}
    rows: pd.DataFrame = pd.DataFrame(columns, index=frame.index, copy=False)
    return rows


def _with_parts(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with serializer, perturbation and design, as their configurations' names say them.

    The rows as they are where they have any of these columns, or where a name is not of the form
    ``html/none/default``.
    """
    names = rows["config"].cat.categories
    parts = [name.split("/") for name in names]
    if any(name in rows for name in OPTIONAL) or not all(len(p) == len(OPTIONAL) and all(p) for p in parts):
        return rows
    codes = rows["config"].cat.codes.to_numpy()
    columns = {}
    for place, name in enumerate(OPTIONAL):
        of_names = as_categories(pd.Series([part[place] for part in parts]))
        columns[name] = pd.Categorical.from_codes(of_names.codes[codes], categories=of_names.categories)
    found: pd.DataFrame = rows.assign(**columns)
    return found


def _main_rows(frame: pd.DataFrame, source: str) -> pd.DataFrame:
    if "main" not in frame.columns:
        return frame
    given = frame["main"]
    main = given if given.dtype.kind == "b" else _truths(given)
    unclear = main.isna().to_numpy()
    if unclear.any():
        row = int(unclear.argmax())
        raise AnalysisError(
            f"{source}: row {row + 1}: main is {frame['main'].iloc[row]!r}; expected true or false"
        )
    rows: pd.DataFrame = frame if main.all() else frame[main.astype(bool)]
    without = sorted(set(used_names(frame["dataset"])) - set(used_names(rows["dataset"])))
    if without:
        raise AnalysisError(
            f"{source}: data set {without[0]!r} has no row with main = true; expected one metric to be it"
        )
    return rows


def _truths(given: pd.Series[Any]) -> pd.Series[Any]:
    """True, False, or None where it is neither."""
    coded = as_categories(given)
    meant = np.array([*(_truth(name) for name in coded.categories), None], dtype=object)
    truths: pd.Series[Any] = pd.Series(meant[coded.codes], index=given.index)
    return truths


def _truth(value: str) -> bool | None:
    known = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
    return known.get(value.strip().lower())


def _refuse_two_metrics(rows: pd.DataFrame, source: str) -> None:
    metrics: dict[str, list[str]] = {}
    for dataset, metric in pairs(rows["dataset"], rows["metric"]):
        metrics.setdefault(dataset, []).append(metric)
    for dataset, names in metrics.items():
        if len(names) > 1:
            how = (
                "main is true for one metric a data set"
                if "main" in rows
                else "a column main (true, false) that says which counts, or the rows of one metric only"
            )
            raise AnalysisError(
                f"{source}: data set {dataset!r} has the metrics {_quoted(names)}; expected {how}"
            )


def _numbers(rows: pd.DataFrame, source: str) -> pd.Series[Any]:
    """Scores as floats; an empty one is NaN."""
    given, numbers = rows["score"], _as_numbers(rows["score"])
    if given.dtype.kind not in "fiub":
        given = given.where(~given.astype(str).str.strip().str.lower().isin(_NO_SCORE))
    expected = "expected a number from 0 to 1"
    _refuse_rows(rows, numbers.isna() & given.notna(), "score", f"is not a number; {expected}", source)
    _refuse_rows(rows, (numbers < 0) | (numbers > 1), "score", f"lies outside [0, 1]; {expected}", source)
    return numbers


def _token_counts(rows: pd.DataFrame, source: str) -> pd.Series[Any]:
    """Prompt tokens as floats; an empty one is NaN."""
    given, counts = rows[TOKENS], _as_numbers(rows[TOKENS])
    absent = given.isna() | given.astype(str).str.strip().str.lower().isin(_NO_SCORE)
    wrong = (counts.isna() & ~absent) | (counts < 0)
    _refuse_rows(rows, wrong, TOKENS, "is no number of tokens; expected one, or nothing", source)
    return counts


def _as_numbers(given: pd.Series[Any]) -> pd.Series[Any]:
    """Floats; NaN where there is no number."""
    if given.dtype.kind in "fiub":
        return pd.to_numeric(given, errors="coerce").astype("float64")
    text = given.astype(str).str.strip().str.lower()
    numbers = pd.to_numeric(given.where(~text.isin(_NO_SCORE)), errors="coerce").astype("float64")
    # pandas writes a bool to CSV as True or False
    found: pd.Series[Any] = numbers.mask(text == "true", 1.0).mask(text == "false", 0.0)
    return found


def _refuse_rows(rows: pd.DataFrame, wrong: pd.Series[Any], column: str, why: str, source: str) -> None:
    if wrong.any():
        row = rows[wrong].iloc[0]
        place = ", ".join(f"{name} {row[name]!r}" for name in LABELS)
        raise AnalysisError(f"{source}: {place}: {column} {_plain(row[column])} {why}")


def _plain(value: Any) -> str:
    return elided(repr(value.item() if hasattr(value, "item") else value), 60)


def _absent(rows: pd.DataFrame) -> list[str]:
    absent = [name for name in OPTIONAL if name not in rows or rows[name].isna().all()]
    left_out = [f"figures per {name}" for name in absent if name != "design"]
    if not left_out:
        return []
    return [f"the scores have no column {_quoted(absent)}, so {' and '.join(left_out)} are left out"]


def _unscored(rows: pd.DataFrame) -> list[str]:
    count = int(rows["score"].isna().sum())
    return (
        [f"{count:,} of {len(rows):,} rows have no score; they count as missing, not as wrong"]
        if count
        else []
    )


def _quoted(names: Iterable[object]) -> str:
    listed = [repr(str(name)) for name in names]
    return ", ".join(listed[:12]) + (f", ... ({len(listed)} in all)" if len(listed) > 12 else "") or "none"
