"""What all parts of a card are made of."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, StringConstraints

Scalar: TypeAlias = "str | int | float | bool | None"
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
# a column's name, or a dotted path into a struct or list column, e.g. ``table.header``, ``pre_text.0``
Column: TypeAlias = Text


def _inside(place: str) -> str:
    if not re.fullmatch(r"\w[\w. -]*(/\w[\w. -]*)*", place):
        raise ValueError(f"found {place!r:.80}, expected names joined by '/', which lead out of no folder")
    return place


Place: TypeAlias = Annotated[Text, AfterValidator(_inside)]
"""A file or folder within a mirror, without its suffix."""
