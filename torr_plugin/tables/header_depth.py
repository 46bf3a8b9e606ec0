"""The real header depth of a table, where its source does not give it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .table import Table

MOST_LINES = 400
"""Further rows are not looked at: the first ones tell what a column holds."""


def with_header_depth(table: Table) -> Table:
    """The table with header depth inferred from its cells where the source does not give it.

    A header goes on below a merged label that nothing follows, and the leading columns that hold words are
    header columns where none are given.
    """
    deeper = table.header_rows
    while deeper and deeper < table.n_rows - 1 and _goes_on(table, deeper):
        deeper += 1
    columns = table.header_columns or _word_columns(table, deeper)
    return table.replace(header_rows=deeper, header_columns=columns)


def _goes_on(table: Table, depth: int) -> bool:
    """Whether the row below a header of this depth still belongs to it."""
    labels, texts = _merged_labels(table, depth - 1), [cell.text.strip() for cell in table.grid[depth]]
    title = len(set(labels)) == 1
    wide = [c for c in range(1, len(labels)) if labels[c] == labels[c - 1] and (labels[c] or title)]
    reaches_down = any(table.origins[depth][c] == table.origins[depth - 1][c] for c in wide)
    if not wide or reaches_down or len(set(table.origins[depth])) < 2:
        return False
    full = [text for text in texts[1:] if text]
    words = [text for text in full if not is_number(text)]
    if title:
        return bool(full) and len(words) + (texts[0] == "") > len(full) // 2
    if 2 * len(full) < len(texts) - 1 - len(wide):
        return False
    return 2 * len(words) > len(full) or _repeats(labels, texts)


def _merged_labels(table: Table, row: int) -> list[int]:
    """For each place of a header row the column where its label begins; a blank goes on with its left."""
    begins: list[int] = []
    for c, ((top, left), cell) in enumerate(zip(table.origins[row], table.grid[row], strict=True)):
        blank = not cell.text.strip() and c > 0 and (top, left) == (row, c)
        begins.append(begins[-1] if blank and begins[-1] > 0 else left)
    return begins


def _repeats(labels: Sequence[int], texts: Sequence[str]) -> bool:
    """Whether two or more merged labels have the same texts below them."""
    below: dict[int, list[str]] = {}
    for label, text in zip(labels, texts, strict=True):
        below.setdefault(label, []).append(text)
    wide = [tuple(group) for label, group in below.items() if len(group) > 1 and label]
    return len(wide) > 1 and len(set(wide)) == 1 and len(set(wide[0])) == len(wide[0])


def _word_columns(table: Table, depth: int) -> int:
    """The number of leading columns with words rather than numbers, at least one."""
    count = min(1, table.n_columns - 1)
    while count and count < table.n_columns - 1 and _holds_words(table, depth, count):
        count += 1
    return count


def _holds_words(table: Table, depth: int, column: int) -> bool:
    texts = [row[column].text.strip() for row in table.grid[depth : depth + MOST_LINES]]
    full = [text for text in texts if any(map(str.isalnum, text))]
    words = [text for text in full if len(text) > 1 and any(map(str.isalpha, text)) and not is_number(text)]
    return len(words) > 0.6 * len(full)


_SPACES = "\u00a0\u2007\u2009\u202f"
# what scanners and authors leave around a number: form marks, footnotes, currency, approximation
_NOISE = re.compile(r":\w+:|[$€£¥₹*†‡§#~≈^_|'\"`\\/]|\[[^\]]{0,3}\]|\((?:[a-zA-Z]|\d{1,2})\)$")
_NUMBER = re.compile(
    r"""(?P<open>\()?\s*(?P<sign>[+\-\u2212\u2013])?\s*
    (?P<whole>\d{1,3}(?:[, ]\d{3})+|\d+)?(?:(?P<point>[.,])(?P<decimals>\d+))?
    \s*(?P<percent>%)?\s*\)?\s*[a-zA-Z%]?\s*[.,]?""",
    re.VERBOSE,
)
LONGEST = 40


@lru_cache(maxsize=65536)
def is_number(text: str) -> bool:
    """Whether a cell prints a number, and nothing but what scanners and authors leave around one."""
    if not text or len(text) > LONGEST:
        return False
    match = _NUMBER.fullmatch(_NOISE.sub("", text.translate(_TO_SPACE)).strip())
    return match is not None and bool(match["whole"] or match["decimals"])


_TO_SPACE = str.maketrans(dict.fromkeys(_SPACES, " "))
