"""Accuracy on structural questions, after SUC (Sui et al., "Table Meets LLM", WSDM 2024, section 3.4).

As in the paper, scores are accuracies, and regular expressions read answers in another form than the prompt
asks for: brackets and spaces do not matter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence

from .base import Metric
from .exact_match import normalize

_FIRST_WORD = re.compile(r"\b(row|col)", re.I)
_INDEX = re.compile(r"(?<![\w.,-])\d+(?![\w.]|,\d)")
_QUOTES = "\"'`"


def _two_numbers(word: str) -> re.Pattern[str]:
    """Two numbers with a sign between them, or with the word for what the second one counts."""
    named = rf" ?[,|;]? ?(?:and )?{word}(?: index)? ?[:=]? ?"
    return re.compile(rf"(?<![\d.])(\d+)(?: ?[,|;] ?|{named})(\d+)(?![\d.])", re.I)


_ROW_COLUMN, _COLUMN_ROW = _two_numbers("col(?:umn)?"), _two_numbers("row")


class ValueList(Metric):
    """1 for the right values in their order.

    Formula: ``[v(prediction) in {v(r) for r in references}]``, where ``v`` splits at ``|``, leaves out bars
    at the ends, takes quotation marks off each value and normalizes it as ``exact_match`` does. Reading: the
    share of lists that are right as a whole, once averaged; a value too many, too few or in another place
    makes a list wrong. Special cases: an answer of one value is a list of one. Source: accuracy in SUC,
    section 3.2: "if the predicted value list matches".
    """

    name = "value_list"
    main = "value_list"
    source = "SUC"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"value_list": 0.0 or 1.0}``."""
        answered = values_of(prediction)
        return {"value_list": float(any(answered == values_of(reference) for reference in references))}


class Positions(Metric):
    """1 for the right rows and columns.

    Formula: ``[set(pairs(prediction)) = set(pairs(r))]`` for some reference ``r``; a pair is two whole
    numbers with a comma, semicolon or bar between them, brackets around them or not, or a row and a column
    by these words. Reading: the share of lookups that are right, once averaged. Special cases: the order of
    places is free; an answer without a pair is wrong, unless the reference has none and they are alike as
    texts. Source: accuracy of SUC's cell lookup (section 3.2), which asks for all positions of a value.
    """

    name = "positions"
    main = "positions"
    source = "SUC"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"positions": 0.0 or 1.0}``."""
        return {"positions": float(any(_same(pairs_of, prediction, each) for each in references))}


class MergedColumns(Metric):
    """1 for a column of each merged cell.

    Formula: with A the whole numbers of the answer and M the merged cells, each as its columns from first to
    last (the fact ``merged``): ``[all a in A lie in some m of M, and every m in M has some a in A]``.
    Reading: the share of tables whose merged cells are all found. Special cases: where M is empty the answer
    is ``None``, without a number; without the fact the answer's columns must be the reference's. Source: SUC,
    section 3.2: any index of a merged cell counts as right for it.
    """

    name = "merged_columns"
    main = "merged_columns"
    needs = ("merged",)
    source = "SUC"

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        """``{"merged_columns": 0.0 or 1.0}``.

        Args:
            prediction: the answer.
            references: right answers, the first columns of the cells.
            facts: ``merged``, JSON: ``[first, last]`` for each merged cell.
        """
        if not facts or "merged" not in facts:
            right = any(_same(columns_of, prediction, each) for each in references)
            return {"merged_columns": float(right)}
        cells = [(int(first), int(last)) for first, last in json.loads(facts["merged"])]
        return {"merged_columns": float(_found(columns_of(prediction), cells, prediction))}


def values_of(text: str) -> list[str]:
    """The values of a list: split at bars, those at the ends aside, each in its normal form."""
    return [normalize(part) for part in parts_of(text)]


def parts_of(text: str) -> list[str]:
    """The values of a list as they are written, without quotation marks around them."""
    return [part.strip().strip(_QUOTES) for part in text.strip().strip("|").split("|")]


def pairs_of(text: str) -> set[tuple[int, int]]:
    """The positions in a text: row and column, or the reverse where the words say so."""
    short = _short(text)
    word = _FIRST_WORD.search(short)
    if word and word[1].lower() == "col":
        return {(int(row), int(column)) for column, row in _COLUMN_ROW.findall(short)}
    return {(int(row), int(column)) for row, column in _ROW_COLUMN.findall(short)}


def columns_of(text: str) -> set[int]:
    """The whole numbers in a text."""
    return {int(number) for number in _INDEX.findall(_short(text))}


def _same(read: Callable[[str], Collection[object]], prediction: str, reference: str) -> bool:
    """Whether both texts have the same values; compared as texts where a reference has none."""
    expected = read(reference)
    return read(prediction) == expected if expected else values_of(prediction) == values_of(reference)


def _found(answered: set[int], cells: Sequence[tuple[int, int]], prediction: str) -> bool:
    if not cells:
        return not answered and normalize(prediction).strip(_QUOTES) == "none"
    everywhere = all(any(first <= column <= last for first, last in cells) for column in answered)
    return everywhere and all(any(first <= column <= last for column in answered) for first, last in cells)


def _short(text: str) -> str:
    """Single spaces, and no number of more than nine digits: no table is that large."""
    return " ".join(re.sub(r"\d{10,}", " ", text).split())
