"""Predictions on a whole card, scored by the card of one of its subsets."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..catalog import Card


def of_other_subsets(card: Card, found: Iterable[str], known: Collection[str]) -> frozenset[str]:
    """The examples found that the whole card has and this subset of it has not.

    None where the card is whole, and none where the subset has no example of those found: then the wrong card
    was named.
    """
    names = frozenset(found)
    unknown = names.difference(known)
    if not unknown or unknown == names:
        return frozenset()
    return unknown & _examples_of_the_whole(card)


def _examples_of_the_whole(card: Card) -> frozenset[str]:
    from ..catalog import card_names, load_card, read_examples

    whole = card.name.rpartition(".")[0]
    if whole not in card_names() or load_card(whole).path != card.path:
        return frozenset()
    return frozenset(example.id for example in read_examples(load_card(whole), card.test_split))
