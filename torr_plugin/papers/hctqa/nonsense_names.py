"""Meaningless names for attributes and their values, as in HCT-QA's nonsensical tables (section 4, RQ3)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from string import ascii_uppercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

CONSONANTS = "bcdfghjklmnpqrstvwxyz"
"""The letters of made-up words: without vowels they form no real word."""


@dataclass(frozen=True)
class NonsenseNames:
    """New names: ``attributes["Gender"]`` is ``AA`` and ``values["Gender"]["Female"]`` is ``AAgl``."""

    attributes: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]]


def nonsense_names(
    attributes: Mapping[str, Sequence[str]], random: random.Random, *, avoid: Collection[str] = ()
) -> NonsenseNames:
    """A code for each attribute (``AA``, ``BB``, ...) and one for each of its values (``AAgl``).

    A value's code is its attribute's plus two lower-case consonants, or more if an attribute has
    very many values. Codes are distinct, and none is in ``avoid``.

    Args:
        attributes: attribute -> its values; equal values share a code.
        random: the source of randomness.
        avoid: words that no code may equal, ignoring case.
    """
    taken = {word.casefold() for word in avoid}
    names: dict[str, str] = {}
    values: dict[str, dict[str, str]] = {}
    codes = (code for code in attribute_codes() if code.casefold() not in taken)
    for attribute, its_values in attributes.items():
        names[attribute] = next(codes)
        different = list(dict.fromkeys(its_values))
        codes_of_values = value_codes(names[attribute], len(different), random, taken)
        values[attribute] = dict(zip(different, codes_of_values, strict=True))
        taken.update(code.casefold() for code in codes_of_values)
    return NonsenseNames(names, values)


def attribute_codes() -> Iterator[str]:
    """AA, BB, ..., ZZ, then the other pairs of capitals, then three of them, without an end."""
    yield from (letter * 2 for letter in ascii_uppercase)
    yield from (a + b for a, b in product(ascii_uppercase, repeat=2) if a != b)
    size = 3
    while True:
        yield from map("".join, product(ascii_uppercase, repeat=size))
        size += 1


def value_codes(code: str, count: int, random: random.Random, taken: Collection[str] = ()) -> list[str]:
    """``count`` different words that begin with ``code``; none is, in lower case, in ``taken``."""
    size = 2
    while len(CONSONANTS) ** size < 2 * count + len(taken):
        size += 1
    codes: dict[str, None] = {}
    while len(codes) < count:
        word = code + "".join(random.choice(CONSONANTS) for _ in range(size))
        if word.casefold() not in taken:
            codes[word] = None
    return list(codes)
