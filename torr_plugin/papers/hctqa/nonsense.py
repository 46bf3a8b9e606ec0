"""Replace every meaningful word by a made-up one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import TYPE_CHECKING

from ...tables.header_tree import label_rows
from ...tables.perturbations import Perturbation
from ...tables.perturbations.base import renamer
from ...tables.table import TEXT, Cell, Table
from .nonsense_names import nonsense_names

if TYPE_CHECKING:
    import numpy as np


class Nonsense(Perturbation):
    """Replace every word of headers and text cells by a meaningless one (``AAjw``), the same everywhere.

    After HCT-QA's nonsensical tables (section 4, RQ3): two capitals for the header row or the column where a
    word occurs first, then lower-case consonants. Numbers stay, except years in headers. Function words,
    units, single letters and words for aggregates (total, average) stay, in the table and in the question. A
    word with a hyphen, slash or apostrophe inside is one word. Different words get different ones; a spelling
    in another case that the table lacks (``female`` for its ``Female``) gets the same.
    """

    name = "nonsense"
    keeps_content = False

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        words = _mapping(table, rng)
        if not words:
            return table
        rename = renamer(words)

        def renamed(cell: Cell, is_body: bool) -> Cell:
            text = cell.text if is_body and is_number(cell.text) else rename(cell.text)
            return cell if text == cell.text else cell._replace(text=text, value=TEXT)

        rows = [
            tuple([renamed(cell, r >= table.header_rows and c >= table.header_columns) for c, cell in row])
            for r, row in enumerate(table.placed_rows)
        ]
        return table.replace(
            rows=tuple(rows), title=rename(table.title), notes=tuple(map(rename, table.notes))
        )

    def renames(self, table: Table, rng: np.random.Generator) -> Mapping[str, str]:
        """The table's words and their other spellings by case, with the words they become."""
        return _mapping(table, rng)


def _mapping(table: Table, rng: np.random.Generator) -> dict[str, str]:
    groups = {f"{axis} {index}": words for (axis, index), words in words_by_attribute(table).items()}
    known = {word for row in table.rows for cell in row for word in re.findall(r"\w+", cell.text)}
    chance = Random(int(rng.integers(2**62)))  # noqa: S311
    made = nonsense_names(groups, chance, avoid=known)
    renames = {old: new for values in made.values.values() for old, new in values.items()}
    for old, new in list(renames.items()):
        for spelling in (old.lower(), old.upper(), old.capitalize(), old.title()):
            renames.setdefault(spelling, new)
    return renames


# function words and words of calculation, which stay in questions and tables
KEPT = frozenset(
    (  # noqa: SIM905
        "a an the this that these those each every all any both either neither no not none other others same "
        "and or nor but if then than as of in on at by for from to into with without within per under over "
        "up down about above below after before between among during since until versus vs via out off "
        "i you he she it we they who whom whose which what when where why how there here its their his her "
        "is are was were be been being am do does did has have had can could might must shall should will "
        "would please report corresponding respectively give list find show only also more most less least "
        "fewer fewest much many few some such so too very yes "
        "total totals subtotal sum average avg mean median minimum min maximum max overall aggregate number "
        "numbers count counts value values amount difference ratio rate share percentage percent percentages "
        "highest lowest largest smallest greater greatest higher lower larger smaller top bottom first last "
        "increasing decreasing ordered order increase decrease "
        "hundred thousand thousands million millions billion billions mn bn "
        "kg km cm mm ml mg usd eur gbp qr qar rs km2 m2 n/a na nan none null"
    ).split()
)
_NUMBER = re.compile(r"[-+±~<>≤≥=(]*[$€£¥]?\d[\d,.\s]*(?:[eE][-+]?\d+)?[%‰°*)]*")
_MEASURE = re.compile(r"[-+]?\d[\d,.]*[^\W\d_]{1,3}[23]?")  # 12kg, 3.5m, 1st
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
_WORD = re.compile(r"\w+(?:['\u2019./&+-]+\w+)*")

Attribute = tuple[str, int]
"""The header row or the column of a word's first occurrence."""


def words_by_attribute(table: Table) -> dict[Attribute, list[str]]:
    """The words to rename, in reading order, by the header row or column where each occurs first.

    Words are runs of letters and digits, with signs such as hyphens inside; those of :data:`KEPT` stay. Of
    numbers alone, years (``2024``) are words where a header has them, and so is what joins numbers
    (``2015/2016``), unless a value of the table reads the same; a measure (``12kg``) is a number.
    """
    values = " ".join({text for text in _body_texts(table) if _NUMBER.fullmatch(text)})
    values_words = set(re.findall(r"\w+", values))
    found: dict[Attribute, list[str]] = {}
    seen: set[str] = set()
    for attribute, text, is_header in _labels(table):
        for word in _WORD.findall(text):
            if word in seen or not _is_meaningful(word, values_words, is_header):
                continue
            seen.add(word)
            found.setdefault(attribute, []).append(word)
    return found


def _is_meaningful(word: str, values: set[str], is_header: bool) -> bool:
    if word.casefold() in KEPT or len(word) == 1:
        return False
    if any(map(str.isalpha, word)):
        return not _MEASURE.fullmatch(word) or bool(re.fullmatch(r"\d{4}[a-z]", word))
    if not is_header or word in values or "." in word:
        return False
    return bool(_YEAR.fullmatch(word)) or (any(sign in word for sign in "/-") and word[0].isdigit())


def _labels(table: Table) -> Iterator[tuple[Attribute, str, bool]]:
    """Every text with its attribute and whether it is a header; skips numbers of the body."""
    groups = set(label_rows(table)) if not table.is_flat else set()
    for r, row in enumerate(table.placed_rows):
        for c, cell in row:
            if r < table.header_rows:
                yield ("row", r), cell.text, True
            elif c < table.header_columns or r in groups:
                yield ("column", c), cell.text, True
            elif not _NUMBER.fullmatch(cell.text):
                yield ("column", c), cell.text, False


def _body_texts(table: Table) -> Iterator[str]:
    for line in table.grid[table.header_rows :]:
        yield from (cell.text.strip() for cell in line[table.header_columns :])


def is_number(text: str) -> bool:
    """Whether a text is a number and nothing else, signs, currency and per cent included."""
    return bool(_NUMBER.fullmatch(text.strip()))
