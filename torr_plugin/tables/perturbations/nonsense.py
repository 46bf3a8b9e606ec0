"""Words without meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..table import Cell, Table
from .base import Perturbation

if TYPE_CHECKING:
    import numpy as np


class Nonsense(Perturbation):
    """Every word of headers and text cells becomes a meaningless one (``AAjw``), the same everywhere.

    After HCT-QA's nonsensical tables (section 4, RQ3): two capitals tell the header row or the column where a
    word stands first, lower-case consonants tell it from the others. Numbers stay, years in headers do not;
    function words, units, single letters and the words for aggregates (total, average) stay, in the table and
    so in the question. A word with a hyphen, slash or apostrophe inside is one word. Different words get
    different ones; another spelling by case that the table lacks (``female`` for its ``Female``) gets that
    word's.
    """

    name = "nonsense"
    keeps_content = False

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        from ._words import is_number

        words = _mapping(table, rng)
        if not words:
            return table
        pattern = re.compile(
            r"(?<!\w)(?:" + "|".join(map(re.escape, sorted(words, key=len, reverse=True))) + r")(?!\w)"
        )

        def rename(text: str) -> str:
            return pattern.sub(lambda match: words[match.group()], text)

        def renamed(cell: Cell, is_body: bool) -> Cell:
            text = cell.text if is_body and is_number(cell.text) else rename(cell.text)
            return cell if text == cell.text else Cell(text, cell.rowspan, cell.colspan)

        rows = []
        for r, row in enumerate(table.rows):
            columns = [c for c, origin in enumerate(table.origins[r]) if origin == (r, c)]
            is_body = [r >= table.header_rows and c >= table.header_columns for c in columns]
            rows.append(tuple([renamed(cell, body) for cell, body in zip(row, is_body, strict=True)]))
        return table.replace(
            rows=tuple(rows), title=rename(table.title), notes=tuple(map(rename, table.notes))
        )

    def renames(self, table: Table, rng: np.random.Generator) -> Mapping[str, str]:
        """The table's words and their other spellings by case, with the words they become."""
        return _mapping(table, rng)


def _mapping(table: Table, rng: np.random.Generator) -> dict[str, str]:
    from random import Random

    from ..nonsense import nonsense_names
    from ._words import words_by_attribute

    groups = {f"{axis} {index}": words for (axis, index), words in words_by_attribute(table).items()}
    known = {word for row in table.rows for cell in row for word in re.findall(r"\w+", cell.text)}
    chance = Random(int(rng.integers(2**62)))  # noqa: S311
    made = nonsense_names(groups, chance, avoid=known)
    renames = {old: new for values in made.values.values() for old, new in values.items()}
    for old, new in list(renames.items()):
        for spelling in (old.lower(), old.upper(), old.capitalize(), old.title()):
            renames.setdefault(spelling, new)
    return renames
