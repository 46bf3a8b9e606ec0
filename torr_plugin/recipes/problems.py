"""What is wrong with a recipe, in one line: file, line, field, what was found, what is expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.errors import RecipeError
from ..core.validation import first_fault
from .fields import Part
from .source import Source

if TYPE_CHECKING:
    from pydantic import ValidationError

_EXPECTED = {
    "string_type": "text (in quotes where it looks like something else)",
    "string_pattern_mismatch": "letters, digits, '.', '_' and '-', a letter or digit first",
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "a mapping (name: value)"),
}


def problem(error: ValidationError, schema: type[Part], source: Source) -> RecipeError:
    """The error to raise for a YAML file that does not fit its schema."""
    fault = first_fault(error, schema, expected=_EXPECTED, order=lambda path: source.place(path)[0])
    line, field = source.place(fault.path, key=fault.of_key)
    where = f"{source.path}:{line}: {field}: " if field else f"{source.path}:{line}: "
    return RecipeError(f"{where}{fault.message}")
