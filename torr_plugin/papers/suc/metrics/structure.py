"""Accuracy on structural questions, after SUC (Sui et al., "Table Meets LLM", WSDM 2024, section 3.4).

As in the paper, scores are accuracies, and answers in another form than the prompt asks for are read:
``value_lists`` has the forms of lists, ``places`` those of sizes, places, and columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence

from ....scoring.metrics.base import Metric
from .places import columns_of, places_of
from .value_lists import is_list_of


class ValueList(Metric):
    """1 for the right values in their order.

    Formula: ``[prediction says the list r]`` for some reference ``r``. A list has ``|`` between its values,
    each compared as ``exact_match`` does, without quotation marks. Other forms are read where they say the
    same and nothing else: formatting (Markdown, LaTeX, code fences, tags), JSON, a Markdown table, words
    before or after the values (``The cells say: ...``), names before each (``first cell: Year``); and other
    separators (lines, ``;``, commas, ``and``, ``/``, dashes, arrows) where no value of the reference has
    the separator in it. Names order what they name: ``4 columns and 9 rows`` is ``9 | 4``, where the
    reference is two whole numbers. Reading: the share of lists that are right as a whole, once averaged; a
    value too many, too few or in another place makes a list wrong, and so does a word that is not known to be
    harmless (``not``, ``or``). Special cases: an answer of one value is a list of one; ``a, b`` is right for
    the one value ``a, b`` and for the two. Source: accuracy in SUC, section 3.2: "if the predicted value list
    matches".
    """

    name = "value_list"
    main = "value_list"
    source = "SUC"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"value_list": 0.0 or 1.0}``."""
        return {"value_list": float(any(is_list_of(prediction, reference) for reference in references))}


class Positions(Metric):
    """1 for the right rows and columns.

    Formula: ``[set(places(prediction)) = set(places(r))]`` for some reference ``r``; a place is two whole
    numbers with a mark between them, in brackets or not, or a row and a column by these words or their first
    letters (``R4C2``), in either order, also in JSON, LaTeX, or a sentence (``It stands in row 4, column
    2``). Reading: the share of lookups that are right, once averaged. Special cases: the order of places is
    free; where an answer says how many cells there are (``two cells: ...``) it must name as many; an answer
    with a number left over, or a word that is not known to be harmless, is wrong; where the reference has no
    place the two are compared as ``value_list`` does. Source: accuracy of SUC's cell lookup (section 3.2),
    which asks for all positions of a value.
    """

    name = "positions"
    main = "positions"
    source = "SUC"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"positions": 0.0 or 1.0}``."""
        return {"positions": float(any(_same(places_of, prediction, each) for each in references))}


class MergedColumns(Metric):
    """1 for a column of each merged cell.

    Formula: with A the columns of the answer and M the merged cells, each as its columns from first to
    last (the fact ``merged``): ``[all a in A lie in some m of M, and every m in M has some a in A]``.
    Reading: the share of tables whose merged cells are all found. Special cases: ``2-4`` and ``2 to 4`` are
    all columns between; where M is empty the answer says so without a number (``None``, ``no merged
    cells``); an answer that is not read as a whole is wrong; without the fact the answer's columns must be
    the reference's. Source: SUC, section 3.2: any index of a merged cell counts as right for it.
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
        return {"merged_columns": float(_found(columns_of(prediction), cells))}


def _same(read: Callable[[str], Collection[object] | None], prediction: str, reference: str) -> bool:
    """Whether both texts have the same values; compared as lists where a reference cannot be read."""
    expected = read(reference)
    return is_list_of(prediction, reference) if expected is None else read(prediction) == expected


def _found(answered: Collection[int] | None, cells: Sequence[tuple[int, int]]) -> bool:
    if answered is None:
        return False
    everywhere = all(any(first <= column <= last for first, last in cells) for column in answered)
    return everywhere and all(any(first <= column <= last for column in answered) for first, last in cells)
