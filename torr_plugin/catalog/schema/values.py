"""What all parts of a card are made of."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, StringConstraints

Scalar: TypeAlias = "str | int | float | bool | None"
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
# a column's name, or a dotted path into a struct or list column, e.g. ``table.header``, ``pre_text.0``
Column: TypeAlias = Text


class Strict(BaseModel):
    """Every part of a card: frozen, nothing converted, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
