"""Loads a model inside an actor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...model import Model, load_model
from ...registry import add_model

if TYPE_CHECKING:
    from ....recipes import ModelEntry


def load(entry: ModelEntry, generation: Mapping[str, Any], models: Mapping[str, str]) -> Model:
    """The model, among those that plugins brought in the driver (name -> target).

    Raises:
        ModelError: it cannot be loaded.
    """
    for name, target in models.items():
        add_model(name, target)
    return load_model(entry, generation)
