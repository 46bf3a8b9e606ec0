"""PARAM_semantics.json: the words of the tables (HCT-QA, Appendix C.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, PlainValidator

from ....core.validation import StrictModel, shown
from .json_file import ParameterError, read_json
from .models import as_tuple, validated
from .value_range import ValueRange, value_range


@dataclass(frozen=True, slots=True)
class Branch:
    """A value of an attribute and the values below it, one level further in."""

    label: str
    children: tuple[Branch, ...] = ()

    @property
    def depths(self) -> frozenset[int]:
        """How many levels the paths through this value have."""
        return _deeper(self.children) if self.children else frozenset({1})


def _deeper(children: Sequence[Branch]) -> frozenset[int]:
    return frozenset(depth + 1 for child in children for depth in child.depths)


def _branches(found: Any) -> tuple[Branch, ...]:
    """``["a", {"b": ["c", "d"]}, {"e": "f"}]``: one text below a value is its one child."""
    entries = found if isinstance(found, list) else [found]
    branches = tuple(branch for entry in entries for branch in _entry(entry))
    if not branches:
        raise ValueError(f"found {shown(found)}; expected at least one value")
    labels = [branch.label for branch in branches]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ValueError(f"value {twice!r} stands twice beside itself; expected different values")
    return branches


def _entry(entry: Any) -> list[Branch]:
    if isinstance(entry, Mapping):
        return [Branch(_label(key), _branches(below)) for key, below in entry.items()]
    return [Branch(_label(entry))]


def _label(found: Any) -> str:
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        raise ValueError(f"found {shown(found)} as a value; expected a text")  # noqa: TRY004 (for pydantic)
    label = str(found).strip()
    if not label or len(label) > _LONGEST or not label.isprintable():
        raise ValueError(f"value {shown(found)}: expected 1 to {_LONGEST} printable characters")
    if any(mark in label for mark in "{}|"):
        raise ValueError(f"value {shown(found)}: found '{{', '}}' or '|'; answers are written with these")
    return label


_LONGEST = 200

Name = Annotated[str, Field(min_length=1, max_length=_LONGEST)]
Names = Annotated[tuple[Name, ...], BeforeValidator(as_tuple)]


class Attribute(StrictModel):
    """An independent attribute (one name), or a hierarchy of attributes (a name a level, outermost first)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)

    code: Name
    names: Annotated[Names, Field(min_length=1)]
    values: Annotated[tuple[Branch, ...], PlainValidator(_branches)]


class Semantics(StrictModel):
    """The attributes by code, and named ranges of numbers.

    ``series`` is accepted, as in the benchmark's file; nothing reads it.
    """

    data: Annotated[tuple[Attribute, ...], BeforeValidator(as_tuple)]
    values: dict[str, Annotated[ValueRange, PlainValidator(value_range)]] = Field(default_factory=dict)
    series: dict[str, Any] = Field(default_factory=dict)

    @property
    def attributes(self) -> dict[str, Attribute]:
        """The attributes by their code."""
        return {attribute.code: attribute for attribute in self.data}


def read_semantics(path: Path) -> Semantics:
    """The semantics in a file.

    Raises:
        ParameterError: not JSON, a key missing or unknown, a code given twice, or a path of values longer
            than the attribute's names.
    """
    return semantics(read_json(path), str(path))


def semantics(document: Any, source: str) -> Semantics:
    """The semantics in a document that came from ``source``; raises as :func:`read_semantics`."""
    read = validated(Semantics, document, source, kind="attribute", named_by="code")
    codes = [attribute.code for attribute in read.data]
    for attribute in read.data:
        where = f"{source}: attribute {attribute.code!r}"
        if codes.count(attribute.code) > 1:
            raise ParameterError(f"{where}: code: stands {codes.count(attribute.code)} times; expected once")
        _check_depth(attribute, where)
    return read


def _check_depth(attribute: Attribute, where: str) -> None:
    expected = len(attribute.names)
    for branch in attribute.values:
        for depth in branch.depths:
            if depth > expected:
                raise ParameterError(
                    f"{where}: values: below {branch.label!r} is a path of {depth} levels; expected at most "
                    f"{expected}, one for each of names {', '.join(map(repr, attribute.names))}"
                )
