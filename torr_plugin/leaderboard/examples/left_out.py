"""What an example leaves out of its prompts so that they fit, in words for its page.

In: the column ``cut`` of its requests. Out: names and values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

_LOST = {True: "not shown", False: "shown", None: "not known"}


def shown_parts(cuts: Iterable[str | None]) -> list[list[str]]:
    """What is shown of an example's table, document and demonstrations, where that may not be all.

    Args:
        cuts: of its requests, equal where they are not null.

    Returns:
        Names and values; none where all is shown, and of what is no such column.
    """
    cut = _read(next(filter(None, cuts), "{}"))
    found = []
    for name, of, what in (
        ("rows", "of_rows", "rows of the table shown"),
        ("characters", "of_characters", "characters of the document shown"),
    ):
        if {name, of} <= cut.keys():
            found.append([what, f"{cut[name]:,} of {cut[of]:,}{', drawn at random' * (name == 'rows')}"])
    for name, what in (("lost_answer", "its answer in them"), ("lost_table", "the table asked about")):
        if name in cut:
            found.append([what, _LOST[cut[name]]])
    if "demonstrations" in cut:
        found.append(["demonstrations with room", f"{cut['demonstrations']:,}"])
    return found


def _read(text: str) -> Mapping[str, Any]:
    """The column's JSON; empty where it is anything else, as in a run from elsewhere."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    lost = {name: each for name, each in value.items() if name.startswith("lost_")}
    counts = [each for name, each in value.items() if name not in lost]
    are_counts = all(type(each) is int for each in counts)
    return value if are_counts and all(each is None or type(each) is bool for each in lost.values()) else {}
