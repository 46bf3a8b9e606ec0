"""Self-augmented prompting over the design ``default``: its four designs."""

from __future__ import annotations

from .augmentations import AUGMENTATIONS
from .augmented import AugmentedDesign
from .basic_designs import DefaultDesign


def _over_default(name: str, about: str) -> AugmentedDesign:
    return AugmentedDesign(name, DefaultDesign(), (AUGMENTATIONS[name],), about)


VALUES = _over_default(
    "self_augmented",
    "Two calls: name the table's critical values and ranges, then do the task with these notes.",
)
FORMAT = _over_default(
    "self_augmented_format", "Two calls: explain the table's format, then do the task with these notes."
)
STRUCTURE = _over_default(
    "self_augmented_structure",
    "Two calls: describe the table's structure, then do the task with these notes.",
)
ALL = _over_default(
    "self_augmented_all",
    "Four calls: values, format and structure of the table, then the task with all three notes.",
)
