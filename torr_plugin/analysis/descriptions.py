"""What is known of the models themselves: family, size, open or closed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError
from pydantic.dataclasses import dataclass

from ..core.validation import NonEmpty
from .options import AnalysisError

FIELDS = ("family", "size", "open")

_EXPECTED = {
    "family": "text",
    "size": "a number above 0, in billions of parameters",
    "open": "true or false",
}


@dataclass(frozen=True, config={"strict": True})
class Description:
    """One model; None: not known.

    Attributes:
        family: models of one family differ in size, as a rule.
        size: billions of parameters.
        open: whether its weights are published.
    """

    family: NonEmpty | None = None
    size: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    open: bool | None = None


def descriptions(models: Mapping[str, Mapping[str, Any]]) -> dict[str, Description]:
    """The descriptions of models, checked.

    Args:
        models: name -> a mapping with any of ``family`` (text), ``size`` (a number above 0, billions of
            parameters) and ``open`` (True or False); None is as absent, other keys are ignored.

    Raises:
        AnalysisError: a value of another kind; one line.
    """
    return {str(name): _description(str(name), entry) for name, entry in models.items()}


def _description(name: str, entry: object) -> Description:
    if not isinstance(entry, Mapping):
        raise AnalysisError(f"models: {name}: found {entry!r}; expected a mapping with {', '.join(FIELDS)}")
    try:
        return Description(**{field: entry.get(field) for field in FIELDS})
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        found = f"models: {name}: {field}: found {entry[field]!r}"
        raise AnalysisError(f"{found}; expected {_EXPECTED[field]}") from None
