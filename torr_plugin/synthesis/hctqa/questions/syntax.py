"""The syntax tree of a question template: a sequence of chunks, each a small value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Words:
    """Words that are always said.

    ``placed`` are those that the generator put in one of its places; they do not count as the sentence's own
    words (``Type of pollution`` does not make *pollution* said).
    """

    text: str
    placed: bool = False


@dataclass(frozen=True, slots=True)
class Unless:
    """``of_((students))``: said only where ``word`` is not said elsewhere in the sentence."""

    text: str
    word: str


@dataclass(frozen=True, slots=True)
class Slot:
    """Where an attribute's values are said, with the words glued to it by ``_``, which go when it goes."""

    attribute: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """``$Quarter==of==$Year``: slots, and between two that are both said the joiner's words."""

    slots: tuple[Slot, ...]
    joiners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """``of__$Severity__$Event__accidents``: its words stay while one of its attributes is said."""

    parts: tuple[str | Chain, ...]


@dataclass(frozen=True, slots=True)
class Reserved:
    """A place that the generator fills: ``is/are_the_$EXPR_amount/amounts``.

    Attributes:
        name: ``EXPR``, ``GROUPBY``, ``TOPK``, ``ORDERBYDESC``, ``OPATTR``, ``OPANDVAL`` or ``REPORTATTR``.
        before: the words before it; each a pair (first, second alternative), equal where there is no ``/``.
        after: the words after it.
    """

    name: str
    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]


Chunk: TypeAlias = "Words | Unless | Group | Reserved"
Tree: TypeAlias = "tuple[Chunk, ...]"


def slots(tree: Tree) -> list[Slot]:
    """All slots of a tree, in the order in which they are said."""
    return [slot for chunk in tree if isinstance(chunk, Group) for slot in group_slots(chunk)]


def group_slots(group: Group) -> list[Slot]:
    """The slots of one group."""
    return [slot for part in group.parts if isinstance(part, Chain) for slot in part.slots]


def lead(tree: Tree, attribute: str) -> str:
    """The words that lead to an attribute's values (``of``, ``in``, ``with a``); empty where none do."""
    for chunk in tree:
        if isinstance(chunk, Group):
            for slot in group_slots(chunk):
                if slot.attribute == attribute:
                    # "with Nationality Qatari" leads with its name, which is not said twice
                    return _opening(chunk) if slot.before in ("", attribute) else slot.before
    return ""


def _opening(group: Group) -> str:
    return group.parts[0] if isinstance(group.parts[0], str) else ""
