"""Scores a file of predictions made elsewhere against a card."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..catalog import load_card, read_examples
from ..catalog.folders import has_card
from ..core.errors import PredictionsError, nearest
from ..recipes import facts_column, facts_of_column
from .example_scores import card_metrics, rated, read_answer
from .metrics import metrics
from .predictions_file import read_predictions
from .run_answers import CELL, final_answer
from .run_scores import score_frame
from .summaries import ScoreInterval, members_of_groups, score_intervals, tables_of

if TYPE_CHECKING:
    import pandas as pd

    from ..catalog import Card, Example

MODEL = "predictions"
"""The model's name where the file has no column ``model``."""

CONFIG = "given/none/given"
"""The configuration where the file has no column ``config``: tables and prompts were as they were given."""

_MUCH = 0.1  # between two metrics' means

_DEFAULTS = {"model": MODEL, "config": CONFIG}


@dataclass(frozen=True)
class ScoreReport:
    """The scores of a file of predictions.

    Attributes:
        card: the card's name.
        main: the name of the main score.
        metrics: score name -> mean, interval and number of scores, over all predictions of the file.
        by_model: the same for each (model, configuration) of the file.
        groups: the same for each value of the key that examples were grouped by, each property and value
            (``Row Nesting: true``) where it was by all; empty where they were not.
        groups_by_model: ``groups`` of each (model, configuration) alone, where the file has several.
        frame: a row a score, the columns of scores.parquet.
        missing: the number of missing answers: examples of the card without a prediction, or with a null one,
            summed over the file's models and configurations. They count in no figure.
        notes: how columns were read, and what is missing; a line each.
    """

    card: str
    main: str
    metrics: Mapping[str, ScoreInterval]
    by_model: Mapping[tuple[str, str], Mapping[str, ScoreInterval]]
    groups: Mapping[str, Mapping[str, ScoreInterval]]
    groups_by_model: Mapping[tuple[str, str], Mapping[str, Mapping[str, ScoreInterval]]]
    frame: pd.DataFrame
    missing: int
    notes: tuple[str, ...]


def score_predictions(
    card: Card,
    path: str | Path,
    *,
    by: str | None = None,
) -> ScoreReport:
    """Score the predictions in a file against the card's test split.

    A figure is the mean over predictions; its interval counts tables, with all of their examples, where the
    card knows them, and else examples. With several models in the file, look at ``by_model``: the overall
    mean mixes them.

    Args:
        card: whose examples, postprocessors and metrics. A subset also accepts predictions
            for the whole card, and leaves out those on other examples.
        path: Parquet, CSV, JSON lines or JSON, also with .gz: ``example``, ``prediction``, and if there are
            several ``model`` and ``config``.
        by: a key of the examples' groups, e.g. ``source``; a property, e.g. ``table:Row Nesting``; or all of
            them, ``table:all`` or ``question:all``.

    Raises:
        PredictionsError: the file cannot be read, lacks a column, has no answer, or has unknown or duplicate
            examples; ``by`` is no key of the card's groups.
    """
    path = Path(path)
    examples = {example.id: example for example in read_examples(card, card.test_split)}
    frame, notes = read_predictions(path, _booleans(examples))
    rows = frame.assign(
        **{name: frame[name].fillna(given) if name in frame else given for name, given in _DEFAULTS.items()}
    )
    others = rows["example"].isin(of_other_subsets(card, rows["example"], examples))
    rows = rows[~others]
    _refuse_unknown(path, card, rows["example"], examples)
    _refuse_duplicates(path, rows)
    answered = rows[rows["prediction"].notna()]
    if answered.empty:
        raise PredictionsError(f"{path}: all {len(rows)} predictions are null; nothing to score")
    groups = members_of_groups(card, examples, by)
    cells = _cells(card, answered, examples)
    frame = score_frame(card, cells)
    tables = tables_of({each: examples[each] for each in answered["example"].unique()})
    configurations = rows.groupby(["model", "config"], sort=False).ngroups
    models = {(str(of[0]), str(of[1])): part for of, part in frame.groupby(["model", "config"], sort=False)}

    def figures(part: pd.DataFrame) -> dict[str, ScoreInterval]:
        return _figures(part, tables)

    def grouped(part: pd.DataFrame) -> dict[str, dict[str, ScoreInterval]]:
        parts = {name: part[part["example"].isin(members)] for name, members in groups.items()}
        return {name: figures(some) for name, some in parts.items() if not some.empty}

    return ScoreReport(
        card=card.name,
        main=card.main_metric,
        metrics=figures(frame),
        by_model={of: figures(part) for of, part in models.items()},
        groups=grouped(frame),
        groups_by_model={of: grouped(part) for of, part in models.items() if groups and configurations > 1},
        frame=frame,
        missing=configurations * len(examples) - len(answered),
        notes=(
            *notes,
            *_left_out(card, others),
            *_holes(card, rows, examples, configurations),
            *_shared_tables(tables),
            *_rated_otherwise(card, cells, frame),
        ),
    )


def _figures(part: pd.DataFrame, tables: Mapping[str, str]) -> dict[str, ScoreInterval]:
    """The figures of some rows; every answer has all scores, in one order."""
    names = list(dict.fromkeys(part["metric"]))
    values = part["score"].to_numpy().reshape(-1, len(names))
    examples = part["example"].to_numpy(dtype=str)[:: len(names)]
    shared = np.array([tables[example] for example in examples]) if tables else None
    return score_intervals(names, values, examples, shared)


def _booleans(examples: Mapping[str, Example]) -> tuple[str, str]:
    """The words that a JSON boolean answers: true and false where references say so, else yes and no."""
    right = {answer.casefold() for example in examples.values() for answer in example.references}
    return ("true", "false") if right & {"true", "false"} else ("yes", "no")


def _cells(card: Card, answered: pd.DataFrame, examples: Mapping[str, Example]) -> pd.DataFrame:
    """The answers, as far as they are scored, with the columns of a run's requests and their references."""
    parts = {config: _parts(config) for config in answered["config"].unique()}
    columns: dict[str, Any] = {
        "dataset": card.dataset,
        **{
            name: answered["config"].map({config: part[i] for config, part in parts.items()})
            for i, name in enumerate(CELL[3:6])
        },
        "references": answered["example"].map(
            {name: example.references for name, example in examples.items()}
        ),
        "facts": answered["example"].map(
            {name: facts_column(example.facts) for name, example in examples.items()}
        ),
    }
    cells = answered.assign(**columns)
    final = [final_answer(*row) for row in zip(cells["design"], cells["prediction"], strict=True)]
    scored: pd.DataFrame = cells.assign(prediction=final)
    return scored


def _parts(config: str) -> Sequence[str | None]:
    """Serializer, perturbation and design of a configuration's id; null where it is no such id."""
    parts = config.split("/")
    return parts if len(parts) == 3 else (None, None, None)


def _refuse_unknown(path: Path, card: Card, found: pd.Series[Any], examples: Mapping[str, Example]) -> None:
    unknown = list(found[~found.isin(list(examples))].unique())
    if unknown:
        raise PredictionsError(
            f"{path}: {len(unknown)} of {found.nunique()} examples are not in {card.name} "
            f"(split {card.test_split!r}): {_some(unknown)}; {nearest(unknown[0], examples)}"
        )


def _refuse_duplicates(path: Path, rows: pd.DataFrame) -> None:
    twice = rows[rows.duplicated(["model", "config", "example"])]
    if len(twice):
        raise PredictionsError(
            f"{path}: {twice['example'].nunique()} examples occur more than once for one model and "
            f"configuration: {_some(list(twice['example'].unique()))}; expected one row each"
        )


def _some(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:3]) + (", ..." if len(names) > 3 else "")


def _left_out(card: Card, others: pd.Series[bool]) -> list[str]:
    if not others.any():
        return []
    return [
        f"{others.sum()} of {len(others)} predictions are left out: they are on examples of the whole card "
        f"that {card.name} lacks"
    ]


def _holes(card: Card, rows: pd.DataFrame, examples: Mapping[str, Example], configurations: int) -> list[str]:
    expected = configurations * len(examples)
    nulls = int(rows["prediction"].isna().sum())
    notes = []
    if nulls:
        notes.append(f"{nulls} of {len(rows)} predictions are null: they are left out, not counted as wrong")
    if len(rows) < expected:
        over = f" over {configurations} models and configurations" if configurations > 1 else ""
        notes.append(
            f"{expected - len(rows)} of the {expected} examples of {card.name}{over} have no prediction: "
            f"the figures are those of the rest"
        )
    return notes


def _rated_otherwise(card: Card, cells: pd.DataFrame, frame: pd.DataFrame) -> Iterator[str]:
    """A line for each metric that reads the same references and differs by much."""
    ours = float(frame["score"][frame["main"]].mean())
    columns = cells["prediction"], cells["references"], cells["facts"].where(cells["facts"].notna(), None)
    answers = list(zip(*columns, strict=True))
    for name in dict.fromkeys(other for metric in card_metrics(card) for other in metric.alike):
        metric = metrics.get(name)
        if name in card.metrics or metric.needs:
            continue
        scores = [
            rated(card, metric, *read_answer(card, text, right), facts_of_column(facts))[metric.main]
            for text, right, facts in answers
        ]
        theirs = sum(scores) / len(scores)
        if abs(theirs - ours) >= _MUCH:
            yield (
                f"the metric {name} also fits these references, and gives {theirs:.3f} where "
                f"{card.main_metric} is {ours:.3f}: check which one these answers are meant for"
            )


def _shared_tables(tables: Mapping[str, str]) -> list[str]:
    if not tables:
        return []
    count = len(set(tables.values()))
    return [
        f"{len(tables):,} examples of {count:,} tables, which intervals count as clusters; "
        "design effect (deff): a mean's variance over that of as many examples of tables of their own"
    ]


def of_other_subsets(card: Card, found: Iterable[str], known: Collection[str]) -> frozenset[str]:
    """The examples found that the whole card has and this subset lacks.

    None where the card is no subset; empty where the subset has none of those found, as then the wrong card
    was named.
    """
    names = frozenset(found)
    unknown = names.difference(known)
    if not unknown or unknown == names:
        return frozenset()
    return unknown & _examples_of_the_whole(card)


def _examples_of_the_whole(card: Card) -> frozenset[str]:
    whole = card.name.rpartition(".")[0]
    if not has_card(whole) or (every := load_card(whole)).path != card.path:
        return frozenset()
    return frozenset(example.id for example in read_examples(every, card.test_split))
