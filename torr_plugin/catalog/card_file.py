"""A card's text read as :class:`.schema.CardFile`, and what is wrong with it said in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import CardError, nearest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from .schema import CardFile


def read_card_file(text: str, path: Path) -> CardFile:
    """What a card says.

    Args:
        text: of the file.
        path: the file, for messages.

    Raises:
        CardError: not JSON, or a field that a card cannot have: file, field, found, expected.
    """
    from pydantic import ValidationError

    from .schema import CardFile

    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise CardError(
            f"{path}: line {error.lineno}: not JSON: {error.msg} at column {error.colno}"
        ) from None
    except RecursionError:
        raise CardError(f"{path}: not a card: lists or objects nested too deep") from None
    except ValueError as error:  # a number of thousands of digits
        raise CardError(f"{path}: not a card: {error}") from None
    try:
        return CardFile.model_validate_json(text)
    except ValidationError as error:
        raise CardError(f"{path}: {_one_line(error.errors(include_url=False))}") from None


def _one_line(errors: list[ErrorDetails]) -> str:
    # an unknown key explains the missing one that it was meant to be, so it is said first
    error = min(errors, key=lambda each: each["type"] != "extra_forbidden")
    place = [str(part) for part in error["loc"]]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if error["type"] == "extra_forbidden":
        return f"{_field(place)}: unknown key {place[-1]!r}; {nearest(place[-1], _keys_beside(place))}{more}"
    if error["type"] == "missing":
        return f"{_field(place)}: missing{more}"
    found = "" if error["type"] == "value_error" else f", found {_clip(error['input'])}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{_field(place)}: {message}{found}{more}"


def _field(place: list[str]) -> str:
    return ".".join(part for part in place if part not in _TAGS) or "the card"


_TAGS = ("load_tables", "load_generated")


def _keys_beside(place: list[str]) -> list[str]:
    """The keys that are known where an unknown one stands."""
    from . import schema

    models: dict[str, type[Any]] = {
        "": schema.CardFile,
        "load_tables": schema.LoadTables,
        "load_generated": schema.LoadGenerated,
        "hub": schema.Hub,
        "preprocess_steps": schema.ReadExample,
        "templates": schema.TemplateOf,
        "table": schema.TableOf,
        "id": schema.ExampleId,
        "skills": schema.Skills,
        "unitxt": schema.UnitxtTwin,
        "mix": schema.Mix,
        "constants": schema.ConstantOf,
        "file": schema.HubFile,
        "subsets": schema.Subset,
    }
    named = [part for part in place[:-1] if part in models]
    inside_text = bool(set(place) & {"inputs", "references", "target", "groups", "facts", "carried_prompt"})
    if not named and "splits" in place:
        model: type[Any] = schema.Split
    else:
        model = (
            (schema.FactOf if "facts" in place else schema.TextOf)
            if inside_text
            else schema.Split
            if "splits" in place
            else models[named[-1] if named else ""]
        )
    return [each.alias or name for name, each in model.model_fields.items()]


def _clip(value: object, width: int = 80) -> str:
    shown = repr(value)
    return shown if len(shown) <= width else shown[: width - 3] + "..."
