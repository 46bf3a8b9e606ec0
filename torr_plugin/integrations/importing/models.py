"""A harness's model as a run has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from .naming import check_name

if TYPE_CHECKING:
    from ...recipes import ModelEntry


def model_entry(where: str, **said: Any) -> ModelEntry:
    """A model of what a harness wrote.

    Args:
        where: file and field, for messages.
        said: the fields of a model in a recipe.

    Raises:
        InputError: it is no model that a recipe could have.
    """
    from pydantic import ValidationError

    from ...recipes import ModelEntry

    try:
        entry = ModelEntry(**said)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "model"
        raise InputError(f"{where}: {name:.60}: {first['msg']:.200}") from None
    check_name(where, entry.label)
    return entry


def told_apart(entries: Sequence[ModelEntry]) -> list[ModelEntry]:
    """The models, with labels that differ where the models do."""
    from ...recipes.models import labelled

    different = {entry.digest: entry for entry in entries}
    named = dict(zip(different, labelled(list(different.values())), strict=True))
    return [named[entry.digest] for entry in entries]
