"""Inputs that all examples of a card share, read from unitxt's catalog.

A list that is data of unitxt's (TURL's 255 candidate types) is read where unitxt is installed, not copied; so
prompts here and there list the same types in the same order. unitxt itself is not imported. The values are
part of every example and thus of the data's fingerprint.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import DataError
from .artifacts import unitxt_file

if TYPE_CHECKING:
    from .schema import ConstantOf


def constant_inputs(constants: Mapping[str, ConstantOf], card: str) -> dict[str, str]:
    """The texts by input.

    Raises:
        DataError: unitxt has no such artifact, or not a list of texts at that place.
    """
    return {name: _text(how, f"{card}: constant {name!r}") for name, how in constants.items()}


def _text(how: ConstantOf, where: str) -> str:
    path = unitxt_file(how.unitxt)
    if path is None:
        raise DataError(f"{where}: unitxt's catalog has no {how.unitxt!r}; expected unitxt 1.26.10 or later")
    value = _at(_json(path), how.at, f"{where}: {how.unitxt}")
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise DataError(
            f"{where}: {how.unitxt} has {str(value)[:40]!r} at {how.at!r}, expected a list of texts"
        )
    return how.join.join(value)


@lru_cache(maxsize=8)
def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _at(value: Any, place: str, where: str) -> Any:
    for part in place.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            raise DataError(f"{where}: nothing at {place!r}: no {part!r} there") from None
    return value
