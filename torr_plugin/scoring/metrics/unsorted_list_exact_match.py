"""Exact match of lists whatever their order, as unitxt computes it on text."""

from __future__ import annotations

from collections.abc import Sequence

from .base import Metric


class UnsortedListExactMatch(Metric):
    """1 where the answer has the same characters as the first reference, in any order; else 0.

    Formula: ``[sorted(prediction) == sorted(references[0])]``. Reading: meant for lists, but unitxt's card of
    WikiTableQuestions hands it text, and sorted text is sorted characters: ``silent`` equals ``listen``, and
    ``['a', 'b']`` equals ``['b', 'a']``, which is the point. Special cases: references beyond the first are
    not looked at. It is here because that card asks for it; ``exact_match`` is the better question. Source:
    unitxt's ``metrics.unsorted_list_exact_match``, whose values per example it has.
    """

    name = "unsorted_list_exact_match"
    main = "unsorted_list_exact_match"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"unsorted_list_exact_match": 0.0 or 1.0}``."""
        return {"unsorted_list_exact_match": float(sorted(prediction) == sorted(references[0]))}
