"""The files of the page Battles: a list of all that are shown, and the battles themselves, few per file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..examples.detail import MOST_REFERENCES
from ..files import DataFile, packed_script
from ..study import Study
from .reading import BattleAnswers, Cell, read_answers

MOST_BATTLES = 20_000
"""Of a study on its page."""
SHARE = 5
"""Battles may take as much of a site as examples, divided by this."""
MOST_ANSWER, MOST_REASON = 4_000, 2_000
"""Characters of a text that are shown; the page says how long it is, and links to the whole answer."""
A_FILE = 200_000
"""Characters of a file before it is packed, at which no further question is added to it."""
A_CHUNK = 500
"""Most questions of a file of the list."""

_ORDERS = ("ab", "ba")
_LETTERS = {"model_a": "a", "model_b": "b", "tie": "t"}
_CELL = ["question", "dataset", "config", "level", "model_a", "model_b"]


@dataclass
class BattleFiles:
    """Facts for the page; filled while :meth:`files` is consumed.

    Attributes:
        study: whose battles.
        asked: (data set, example) -> its question, where the site has it.
        models, judges, levels, datasets, configs: names; the files have their numbers.
        chunks: the files of the list.
        shown, of: battles (two answers to one question), and how many the study has.
        answers: whether there are any.
    """

    study: Study
    asked: Mapping[tuple[str, str], str] = field(default_factory=dict)
    models: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    levels: list[str] = field(default_factory=list)
    datasets: list[str] = field(default_factory=list)
    configs: list[str] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    shown: int = 0
    of: int = 0
    answers: bool = False

    @property
    def folder(self) -> str:
        """Of the files, from the site's root."""
        return f"{self.study.paths.scripts}/battles"

    def files(self, frame: pd.DataFrame) -> Iterator[DataFile]:
        """Everything that the page loads of :func:`.reading.published_battles`."""
        self.of = len(frame[_CELL].drop_duplicates())
        kept = _within(frame, self.study.room // SHARE)
        self.shown = len(kept[_CELL].drop_duplicates())
        self.models = sorted({*kept["model_a"], *kept["model_b"]})
        for name in ("judge", "level", "dataset", "config"):
            setattr(self, f"{name}s", list(dict.fromkeys(kept[name])))
        found = self._answers(kept)
        self.answers = bool(found.answers)
        rows: list[dict[str, Any]] = []
        held: list[dict[str, Any]] = []
        characters = number = 0
        for of, own in _questions(kept).items():
            packed = _Question(self, of, own, found)
            rows.append({**packed.row(), "file": number, "place": len(held)})
            held.append(packed.value)
            characters += packed.characters
            if characters >= A_FILE:
                yield packed_script(f"{self.folder}/{number}.js", held)
                held, characters, number = [], 0, number + 1
        if held:
            yield packed_script(f"{self.folder}/{number}.js", held)
        for start in range(0, len(rows), A_CHUNK):
            path = f"{self.folder}/list-{start // A_CHUNK}.js"
            self.chunks.append(path)
            part = rows[start : start + A_CHUNK]
            yield packed_script(path, {name: [row[name] for row in part] for name in part[0]})

    def _answers(self, kept: pd.DataFrame) -> BattleAnswers:
        run = self.study.source.run
        if run is None:
            return BattleAnswers()
        cells = kept[["dataset", "question", "config"]].drop_duplicates().itertuples(index=False)
        wanted = {(dataset, example_of(question, dataset), config) for dataset, question, config in cells}
        return read_answers(run, wanted, self.models)


def example_of(question: str, dataset: str) -> str:
    """The example that a question's name, ``DATASET/EXAMPLE``, is about."""
    return question.removeprefix(f"{dataset}/")


def _within(frame: pd.DataFrame, budget: int) -> pd.DataFrame:
    """The battles of so many questions, drawn at random, as the budget allows."""
    texts = frame["reason"].str.len().clip(upper=MOST_REASON)
    lengths = frame[["length_a", "length_b"]].fillna(MOST_ANSWER / 2).clip(upper=MOST_ANSWER).sum(axis=1)
    # an answer is there once, whatever it was compared with
    models = max(1, frame["model_b"].nunique() * len(_ORDERS) * max(1, frame["judge"].nunique()))
    sizes = (texts + lengths / models).groupby(frame["question"], sort=False).sum() * 4 / 3
    counts = (~frame.duplicated(_CELL)).groupby(frame["question"], sort=False).sum()
    if counts.sum() <= MOST_BATTLES and sizes.sum() <= budget:
        return frame
    order = np.random.default_rng(0).permutation(len(counts))
    fits = (counts.to_numpy()[order].cumsum() <= MOST_BATTLES) & (sizes.to_numpy()[order].cumsum() <= budget)
    kept: pd.DataFrame = frame[frame["question"].isin(counts.index[order[fits]])]
    return kept


_Verdict = Mapping[str, Any]
"""A row of the battles."""

_Asked = tuple[str, str, str]
"""A question's name, its data set and level."""

_Pair = tuple[str, str, str]
"""Configuration and two models."""


def _questions(kept: pd.DataFrame) -> dict[_Asked, dict[_Pair, list[_Verdict]]]:
    """Question -> pair -> its verdicts, in their order."""
    found: dict[_Asked, dict[_Pair, list[_Verdict]]] = {}
    for values in kept.itertuples(index=False, name=None):
        row = dict(zip(kept.columns, values, strict=True))
        pairs = found.setdefault((row["question"], row["dataset"], row["level"]), {})
        pairs.setdefault((row["config"], row["model_a"], row["model_b"]), []).append(row)
    return found


class _Question:
    """A question with its battles: all of it, and its part of the list."""

    def __init__(
        self,
        known: BattleFiles,
        of: _Asked,
        own: Mapping[_Pair, Sequence[_Verdict]],
        found: BattleAnswers,
    ) -> None:
        self._known, self._found = known, found
        self._question, self._dataset, self._level = of
        self._example = example_of(self._question, self._dataset)
        self._asked = known.asked.get((self._dataset, self._example), "")
        self._texts: dict[tuple[str, int], int] = {}
        self._battles = [self._battle(*pair, verdicts) for pair, verdicts in own.items()]
        references = found.references.get((self._dataset, self._example), [])
        self.value = {
            "question": self._question,
            "asked": self._asked,
            "references": references[:MOST_REFERENCES],
            "more": max(0, len(references) - MOST_REFERENCES),
            "texts": [list(text) for text in self._texts],
            "battles": [{name: one[name] for name in _DETAIL} for one in self._battles],
        }
        self.characters = sum(len(text) for text, _ in self._texts)

    def row(self) -> dict[str, Any]:
        """Its line of the list, with short lists of its battles."""
        return {
            "questions": self._question,
            "asked": self._asked,
            "datasets": self._known.datasets.index(self._dataset),
            "levels": self._known.levels.index(self._level),
            "battles": [[one[name] for name in _LISTED] for one in self._battles],
        }

    def _battle(self, config: str, first: str, second: str, rows: Sequence[_Verdict]) -> dict[str, Any]:
        known, cell = self._known, (self._dataset, self._example, config)
        return {
            "a": known.models.index(first),
            "b": known.models.index(second),
            "config": known.configs.index(config),
            "letters": "".join(_letters(rows, judge) for judge in known.judges),
            "answers": [self._answer(cell, first), self._answer(cell, second)],
            "main": [_number(rows[0]["main_a"]), _number(rows[0]["main_b"])],
            "said": [
                [
                    known.judges.index(row["judge"]),
                    row["order"],
                    row["verdict"],
                    self._text(row["reason"], MOST_REASON),
                    _number(row["score_a"]),
                    _number(row["score_b"]),
                ]
                for row in rows
            ],
        }

    def _answer(self, cell: Cell, model: str) -> int:
        text = self._found.answers.get((cell, model))
        return -1 if text is None else self._text(text, MOST_ANSWER)

    def _text(self, text: str, most: int) -> int:
        """The number of a text, which is there once, cut, with its length."""
        return self._texts.setdefault((text[:most], len(text)), len(self._texts))


_LISTED = ("a", "b", "config", "letters")
_DETAIL = ("answers", "main", "said")


def _letters(rows: Sequence[_Verdict], judge: str) -> str:
    """A judge's verdict in each order: a, b, t(ie), u(nclear), x (failed), - (not asked)."""
    said = {row["order"] if row["order"] in _ORDERS else "ab": row for row in rows if row["judge"] == judge}
    return "".join(_letter(said.get(order)) for order in _ORDERS)


def _letter(row: _Verdict | None) -> str:
    if row is None:
        return "-"
    return _LETTERS.get(row["winner"] or "", "x" if row["verdict"] is None else "u")


def _number(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 4)
