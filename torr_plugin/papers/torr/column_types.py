"""Types of a table's column: a list of labels against a list of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...scoring.metrics.base import Metric, shared_f1


class ColumnTypes(Metric):
    """1 for the right types; also in part.

    Answer and reference are texts with commas between the types. With P and G the lists, spaces around types
    aside: ``exact_match = [P = G]``, types in the same order and as often; ``set_match = [set(P) = set(G)]``;
    ``f1_micro = 2 |P & G| / (|P| + |G|)`` over sets. Reading: the paper asks for an exact match, which an
    answer with all types in another order misses; ``set_match`` forgives that, and ``f1_micro`` gives a part
    for some of the types. Special cases: the best reference counts, for each score; an empty answer is a list
    of one type without letters and matches nothing but itself. Case counts; a card's postprocessors take care
    of it.

    Source: ToRR, Table 1; ``exact_match`` has the values per example of unitxt's ``metrics.accuracy`` on
    lists, with which unitxt rates its TURL card (Deng et al., VLDB 2020). ``f1_micro`` per example is
    averaged here like every score; unitxt's ``metrics.f1_micro_multi_label`` instead counts over all examples
    at once and passes over predicted types that no example has: :func:`corpus_f1_micro` is that figure.
    """

    name = "column_types"
    main = "exact_match"
    score_names = ("exact_match", "set_match", "f1_micro")
    source = "unitxt"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"exact_match": 0.0 or 1.0, "set_match": 0.0 or 1.0, "f1_micro": value}``."""
        answered = types_of(prediction)
        golds = [types_of(reference) for reference in references]
        return {
            "exact_match": float(answered in golds),
            "set_match": float(any(set(answered) == set(gold) for gold in golds)),
            "f1_micro": max(shared_f1((Counter({*answered}), Counter({*gold}))) for gold in golds),
        }


def types_of(text: str) -> list[str]:
    """The types in a text, as unitxt's ``processors.to_list_by_comma`` takes them apart."""
    return [part.strip() for part in text.split(",")]


def corpus_f1_micro(predictions: Sequence[str], references: Sequence[str]) -> float:
    """F1 over the decisions on all types of all examples together, ``2 TP / (2 TP + FP + FN)``.

    As unitxt's ``metrics.f1_micro_multi_label``: types that no reference has are passed over, so that naming
    one costs nothing. 0 where there is nothing to count.

    Args:
        predictions: an answer an example, types with commas between them.
        references: the gold types, one text an example, in the same order.
    """
    golds = [set(types_of(text)) for text in references]
    known = set().union(*golds)
    found = [set(types_of(text)) & known for text in predictions]
    return shared_f1(*zip(map(Counter, found), map(Counter, golds), strict=True))
