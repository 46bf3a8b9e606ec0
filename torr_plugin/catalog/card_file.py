"""A card's text read as :class:`.schema.CardFile`, and what is wrong with it said in one line."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from ..core.errors import CardError
from ..core.validation import first_fault
from .schema import CardFile


def read_card_file(text: str, path: Path) -> CardFile:
    """What a card says.

    Args:
        text: of the file.
        path: the file, for messages.

    Raises:
        CardError: not JSON, or a field that a card cannot have: file, field, found, expected.
    """
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
        fault = first_fault(error, CardFile)
        raise CardError(f"{path}: {fault.field or 'the card'}: {fault.message}") from None
