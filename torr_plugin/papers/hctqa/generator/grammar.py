"""The grammar of question templates (HCT-QA, Appendix C.4), parsed into a tree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from ....core.errors import InputError, nearest
from .parameters.models import sql_name


@dataclass(frozen=True, slots=True)
class Words:
    """Words that always appear.

    ``placed``: the generator put them in one of its places, so they do not count as the sentence's own words
    (with ``Type of pollution``, the word *pollution* still counts as absent).
    """

    text: str
    placed: bool = False


@dataclass(frozen=True, slots=True)
class Unless:
    """``of_((students))``: appears only if ``word`` does not appear elsewhere in the sentence."""

    text: str
    word: str


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of an attribute's values, with the words attached to it by ``_``, which appear with them."""

    attribute: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """``$Quarter==of==$Year``: slots, with the joiner's words between two that both appear."""

    slots: tuple[Slot, ...]
    joiners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """``of__$Severity__$Event__accidents``: its words appear if one of its attributes does."""

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
    """All slots of a tree, in order."""
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
                    # "with Nationality Qatari" leads with its name, which must not appear twice
                    return _opening(chunk) if slot.before in ("", attribute) else slot.before
    return ""


def _opening(group: Group) -> str:
    return group.parts[0] if isinstance(group.parts[0], str) else ""


RESERVED = ("EXPR", "GROUPBY", "TOPK", "ORDERBYDESC", "OPATTR", "OPANDVAL", "REPORTATTR")
_SYNONYMS = {"OPPATTR": "OPATTR"}
_UNLESS = re.compile(r"(?P<before>(?:[^$()]+_)?)\(\((?P<word>[^$()]+)\)\)(?P<after>(?:_[^$()]+)?)")
_IN_CAPITALS = re.compile(r"\$([A-Z]+)(?![A-Za-z0-9])")


class TemplateError(InputError):
    """A question template that does not follow the grammar; the message names the word at fault."""


@lru_cache(maxsize=4096)
def parse(text: str, names: tuple[str, ...]) -> Tree:
    """The syntax tree of a template.

    Args:
        text: the template.
        names: the attributes' display names.

    Raises:
        TemplateError: empty, begins with ``$``, an unknown attribute or place, unbalanced ``((``.
    """
    words = text.split()
    if not words:
        raise TemplateError("found an empty text; expected a sentence")
    if words[0].startswith("$"):
        raise TemplateError(f"begins with {words[0]!r}; expected a word before the first $")
    return tuple(_chunk(word, names) for word in words)


def with_attributes(tree: Tree, names: Sequence[str]) -> Tree:
    """The tree with a phrase ``with <attribute> <values>`` for each of ``names`` that it lacks.

    A template should have every attribute of its tables. If it does not (the benchmark's graduations lack the
    nationality), the question would leave open which line is meant.
    """
    present = {slot.attribute for slot in slots(tree)}
    missing = tuple(Group(("with", Chain((Slot(name, name),)))) for name in names if name not in present)
    if not missing:
        return tree
    groups = [index for index, chunk in enumerate(tree) if isinstance(chunk, Group)]
    at = groups[-1] + 1 if groups else _tail(tree)
    return (*tree[:at], *missing, *tree[at:])


def _tail(tree: Tree) -> int:
    """Where the description of the values ends: before ``is $OPANDVAL`` or the question mark."""
    for index, chunk in enumerate(tree):
        if isinstance(chunk, Reserved) and chunk.name == "OPANDVAL":
            return index
    return len(tree) - 1 if isinstance(tree[-1], Words) and tree[-1].text == "?" else len(tree)


def _chunk(word: str, names: Sequence[str]) -> Chunk:
    if "((" in word or "))" in word:
        return _unless(word)
    if "$" not in word:
        return Words(_spaced(word))
    place = _IN_CAPITALS.search(word.replace("_", " "))
    if place and sql_name(place[1]).lower() not in {sql_name(name).lower() for name in names}:
        return _reserved(word, place[1])
    parts = [_chain(part, names) if "$" in part else _spaced(part) for part in word.split("__") if part]
    return Group(tuple(parts))


def _unless(word: str) -> Unless:
    match = _UNLESS.fullmatch(word)
    if match is None:
        raise TemplateError(
            f"found {word!r}; expected ((word)) with both pairs of parentheses and no $ in it"
        )
    return Unless(_spaced(match["before"] + match["word"] + match["after"]), _spaced(match["word"]))


def _reserved(word: str, found: str) -> Reserved:
    name = _SYNONYMS.get(found, found)
    if name not in RESERVED:
        raise TemplateError(f"unknown place or attribute ${found} in {word!r}; {nearest(found, RESERVED)}")
    before, _, after = word.partition(f"${found}")
    if "$" in before + after:
        raise TemplateError(f"found {word!r}; expected no other $ beside ${found}")
    return Reserved(name, _alternatives(before), _alternatives(after))


def _alternatives(glued: str) -> tuple[tuple[str, str], ...]:
    found = [re.split("//?", word, maxsplit=1) for word in glued.split("_") if word]
    return tuple((pair[0], pair[-1]) for pair in found)


def _chain(part: str, names: Sequence[str]) -> Chain:
    """``$A``, ``of_$A_things`` or ``$A==joiner==$B``."""
    pieces = part.split("==")
    if len(pieces) % 2 == 0 or any("$" in joiner for joiner in pieces[1::2]):
        raise TemplateError(f"found {part!r}; expected $A==words==$B")
    found = tuple(_slot(piece, names) for piece in pieces[::2])
    return Chain(found, tuple(_spaced(joiner) for joiner in pieces[1::2]))


def _slot(piece: str, names: Sequence[str]) -> Slot:
    before, dollar, rest = piece.partition("$")
    if not dollar or "$" in rest:
        raise TemplateError(f"found {piece!r}; expected one $Attribute, others parted by __ or ==")
    lowered = rest.lower()
    fits = [
        name
        for name in names
        if lowered.startswith(sql_name(name).lower()) and rest[len(name) : len(name) + 1] in ("", "_")
    ]
    if not fits:
        raise TemplateError(
            f"unknown attribute ${rest} in {piece!r}; {nearest(rest, [sql_name(name) for name in names])}"
        )
    name = max(fits, key=len)
    return Slot(name, _spaced(before), _spaced(rest[len(name) :]))


def _spaced(glued: str) -> str:
    return " ".join(word for word in glued.split("_") if word)
