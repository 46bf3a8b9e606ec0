"""Types of a recipe's fields, and the names of serializers, perturbations and designs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, model_validator

from ..core.errors import RecipeError
from ..core.registry import Registry
from ..prompts import designs
from ..tables import perturbations, serializers


class ConfigSection(BaseModel):
    """Base model of a mapping in a YAML file: frozen, unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, protected_namespaces=()
    )


def _how_many(value: object) -> object:
    if value == "all" or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return value
    raise RecipeError(f"found {value!r}; expected a whole number of at least 1, or 'all'")


def _some(value: object) -> object:
    # checked before the items: pydantic's own minimum counts valid items only and hides their errors
    if isinstance(value, list | tuple) and not value:
        raise RecipeError("the list is empty, so nothing would run; expected at least one entry")
    return value


Text = Annotated[str, Strict(), Field(min_length=1)]
AnyText = Annotated[str, Strict()]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict(), Field(ge=0)]
Positive = Annotated[int, Strict(), Field(ge=1)]
Share = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
HowMany = Annotated[int | Literal["all"], BeforeValidator(_how_many)]
SOME = BeforeValidator(_some)
"""Marks a list that must not be empty."""


LISTED = BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
"""Marks a list that may be written as a single name."""
Names = Annotated[tuple[Text, ...], SOME, LISTED]


def short_for(key: str) -> Any:
    """A validator that reads a bare text as a mapping with this key alone."""
    return model_validator(mode="before")(lambda value: {key: value} if isinstance(value, str) else value)


ExampleDraw: TypeAlias = Literal["first", "seeded", "unitxt"]

TORR = "torr"
"""Short for ToRR's seven serializers in ``serializers`` and its five perturbations in ``perturbations``."""

TORR_SERIALIZERS = (
    "torr.html",
    "torr.csv",
    "torr.json",
    "torr.markdown",
    "torr.indexed_row_major",
    "torr.df",
    "torr.concat",
)
TORR_PERTURBATIONS = ("none", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows")

_TORR_NAMES = {"serializers": TORR_SERIALIZERS, "perturbations": TORR_PERTURBATIONS}


def checked_names(names: Iterable[str], field: str) -> tuple[str, ...]:
    """The names of one field of a product: ``torr`` expanded, duplicates removed, each checked.

    Raises:
        UnknownNameError: a name that is not registered (with the nearest ones).
        InputError: two serializers that cannot be shown together.
    """
    expanded = [
        each for name in names for each in (_TORR_NAMES.get(field, ()) if name == TORR else ()) or (name,)
    ]
    for name in expanded:
        if name not in _REGISTRIES[field]:
            _REGISTRIES[field].get(name)  # raises, and says what is expected
    return tuple(dict.fromkeys(expanded))


_REGISTRIES: dict[str, Registry[Any]] = {
    "serializers": serializers.registry,
    "perturbations": perturbations.registry,
    "designs": designs,
}
