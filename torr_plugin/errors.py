"""The errors of the stages above ``tables``; all are one clear line, all end a command with exit code 2."""

from __future__ import annotations

from .tables.errors import InputError, UnknownNameError, nearest

__all__ = [
    "CardError",
    "DataError",
    "InputError",
    "ModelError",
    "PredictionsError",
    "RecipeError",
    "RunError",
    "UnknownNameError",
    "nearest",
]


class CardError(InputError):
    """A card that cannot be read: file, field, what was found, what is expected."""


class DataError(InputError):
    """Data that a card cannot be read from: a split or a column is missing, a table is malformed."""


class RecipeError(InputError):
    """A recipe that cannot be run: file, line, field, what was found, what is expected."""


class RunError(InputError):
    """A run directory that cannot be used: another study's, unwritable, damaged."""


class ModelError(InputError):
    """A model that cannot be loaded: unknown, or its package is not installed."""


class PredictionsError(InputError):
    """A predictions or scores file that does not fit: a missing column, unknown or duplicate examples."""
