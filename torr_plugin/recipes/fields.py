"""The kinds of values that a recipe's fields hold, and what to expect in words where one does not fit."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict

from ..core.errors import RecipeError


class Part(BaseModel):
    """Every part of a recipe: frozen, unknown keys refused, each field documented where it stands."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, protected_namespaces=()
    )


def _how_many(value: object) -> object:
    if value == "all" or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return value
    raise RecipeError(f"found {value!r}; expected a whole number of at least 1, or 'all'")


def _some(value: object) -> object:
    # before the items are looked at: pydantic's own minimum counts the valid ones alone, hiding their faults
    if isinstance(value, list | tuple) and not value:
        raise RecipeError("the list is empty, so nothing would run; expected at least one entry")
    return value


Text = Annotated[str, Strict(), Field(min_length=1)]
AnyText = Annotated[str, Strict()]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict(), Field(ge=0)]
Positive = Annotated[int, Strict(), Field(ge=1)]
HowMany = Annotated[int | Literal["all"], BeforeValidator(_how_many)]
SOME = BeforeValidator(_some)
"""Marks a list that must not be empty."""
