"""Which files a mirror of some cards has: cards that read the same file share it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...core.errors import CardError, InputError
from ..card import Card, load_card
from ..folders import card_names, card_place

if TYPE_CHECKING:
    from ..schema import LoadTables


@dataclass(frozen=True)
class Wanted:
    """One file of a mirror.

    Attributes:
        place: its path within the mirror, ``wikitq/test.parquet``.
        split: the card's split, e.g. ``test``.
        readers: all known cards that read it; the first is the one that messages name.
        loader: the first reader's; all have the rows from the same place.
        conditions: it holds the rows that fit one of these (column -> value); empty: all rows.
    """

    place: str
    split: str
    readers: tuple[Card, ...]
    loader: LoadTables
    conditions: tuple[Mapping[str, Any], ...]

    @property
    def card(self) -> str:
        """The name of the card that messages speak of."""
        return self.readers[0].name

    @property
    def licence(self) -> str:
        """The licence of the data."""
        return " / ".join(dict.fromkeys(card.licence for card in self.readers))

    def origin(self) -> dict[str, Any]:
        """What decides the file's content, as the manifest has it: another one, another file."""
        return {
            "hub": self.loader.hub.model_dump(exclude_defaults=True),
            "splits": list(self.loader.splits[self.split].hub),
            "rows_with": [dict(condition) for condition in self.conditions],
        }


def mirrored(names: Sequence[str]) -> list[Card]:
    """The cards of these names; without any all known ones, those with subsets as a whole.

    Without names a card that cannot be read, which may be a plugin's, is said and left out.

    Raises:
        UnknownNameError: no such card.
        CardError: a card that was named cannot be read.
    """
    if names:
        return [load_card(name) for name in dict.fromkeys(names)]
    cards, problems = _all_cards()
    for problem in problems:
        logging.getLogger(__name__).warning("torr: %s; left out", problem)
    return cards


def _all_cards() -> tuple[list[Card], list[InputError]]:
    """All cards, those with subsets as a whole, and what is wrong with those that cannot be read."""
    cards, problems = [], []
    for name in (name for name in card_names() if not card_place(name)[1]):
        try:
            cards.append(load_card(name))
        except InputError as error:
            problems.append(error)
    return cards, problems


def wanted_files(cards: Iterable[Card]) -> list[Wanted]:
    """The files that these cards read, each once, in the cards' order; generated cards read none.

    A file serves every known card that reads it, whichever is named; so none is made again for another card.

    Raises:
        CardError: two cards would have different data in one file.
    """
    named = list(cards)
    others = [card for card in _all_cards()[0] if card.name not in {each.name for each in named}]
    places = dict.fromkeys(place for card in named for place in _places(card).values())
    readers = {place: [c for c in (*named, *others) if place in _places(c).values()] for place in places}
    return [_wanted(place, read_by) for place, read_by in readers.items()]


def _places(card: Card) -> dict[str, str]:
    loader = card.loader
    if loader.type_ != "load_tables":
        return {}
    return {name: f"{loader.mirror}/{split.mirror}.parquet" for name, split in loader.splits.items()}


def _wanted(place: str, readers: Sequence[Card]) -> Wanted:
    # a card and its subsets read the same rows in the same way: one of them is enough
    distinct = list({card.path: card for card in reversed(readers)}.values())[::-1]
    files = [_alone(place, card) for card in distinct]
    for file in files[1:]:
        if _source(file) != _source(files[0]):
            raise CardError(
                f"{file.readers[0].path}: loader: has {place} from elsewhere than {distinct[0].name}; "
                "expected the same place, or another name for 'mirror'"
            )
    conditions = [condition for file in files for condition in file.conditions]
    # in an order of their own: whichever card is named first, the file is the same
    different = list(
        {json.dumps(each, sort_keys=True): each for each in sorted(conditions, key=str)}.values()
    )
    return replace(files[0], readers=tuple(distinct), conditions=() if {} in different else tuple(different))


def _alone(place: str, card: Card) -> Wanted:
    """The file as this card alone would have it."""
    split = next(split for split, each in _places(card).items() if each == place)
    loader = card.loader
    if loader.type_ != "load_tables":
        raise CardError(f"{card.path}: loader: makes its rows; expected one that reads {place}")
    return Wanted(place, split, (card,), loader, (dict(loader.where),))


def _source(file: Wanted) -> dict[str, Any]:
    return {**file.origin(), "rows_with": []}
