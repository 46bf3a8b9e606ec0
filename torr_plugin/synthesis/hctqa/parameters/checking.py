"""Whether table templates and semantics fit each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from ....core.errors import nearest
from .json_file import ParameterError
from .semantics import Attribute, Semantics
from .table_templates import TableTemplate, TableTemplates
from .value_range import ValueRange

VALUE = "Value"
"""The name of the relational table's last column."""


def check(templates: TableTemplates, semantics: Semantics, source: str) -> None:
    """Every code, shortcut and sample of every template.

    Raises:
        ParameterError: file, template, key, what was found, what is expected.
    """
    names = [template.valueName for template in templates.tables]
    for template in templates.tables:
        where = f"{source}: template {template.valueName!r}"
        if names.count(template.valueName) > 1:
            raise ParameterError(f"{where}: valueName: stands twice; expected a name of its own")
        value_range_of(template, semantics, where)
        _check_codes(template, semantics, where)


def value_range_of(template: TableTemplate, semantics: Semantics, where: str) -> ValueRange:
    """The range of the template's numbers, a shortcut looked up.

    Raises:
        ParameterError: no such shortcut.
    """
    if isinstance(template.values, ValueRange):
        return template.values
    known = semantics.values
    if template.values not in known:
        raise ParameterError(
            f"{where}: values: unknown shortcut {template.values!r}; {_near(template.values, known)}"
        )
    return known[template.values]


def _near(name: str, known: Collection[str]) -> str:
    return nearest(name, known) if known else "the semantics name none"


def _check_codes(template: TableTemplate, semantics: Semantics, where: str) -> None:
    known = semantics.attributes
    for key, codes in (("rowCodes", template.rowCodes), ("colCodes", template.colCodes)):
        for code in codes:
            if code not in known:
                raise ParameterError(f"{where}: {key}: unknown code {code!r}; {_near(code, list(known))}")
    pairs = (
        ("rowSamples", template.rowSamples, "rowCodes", template.rowCodes),
        ("colSamples", template.colSamples, "colCodes", template.colCodes),
    )
    for key, samples, of, codes in pairs:
        if len(samples) != len(codes):
            raise ParameterError(
                f"{where}: {key}: found {len(samples)} samples; expected {len(codes)}, one for each of {of}"
            )
    _check_names([known[code] for code in (*template.colCodes, *template.rowCodes)], where)


def _check_names(attributes: Sequence[Attribute], where: str) -> None:
    """The names are the relational table's columns, so none may stand twice."""
    seen: dict[str, str] = {}
    for name, code in _sql_names(attributes):
        if name.lower() in seen:
            raise ParameterError(
                f"{where}: rowCodes, colCodes: {seen[name.lower()]!r} and {code!r} both have an attribute "
                f"{name!r}; expected different names"
            )
        seen[name.lower()] = code


def _sql_names(attributes: Sequence[Attribute]) -> Iterator[tuple[str, str]]:
    yield VALUE, VALUE
    for attribute in attributes:
        for name in attribute.names:
            yield sql_name(name), attribute.code


@lru_cache(maxsize=4096)  # asked for each condition of each question
def sql_name(name: str) -> str:
    """An attribute's name as a column of the relational table: every other character becomes ``_``."""
    return "".join(character if character.isascii() and character.isalnum() else "_" for character in name)
