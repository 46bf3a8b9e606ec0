"""The generator's parameters from one folder: semantics, table and question templates that fit each other."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from .....core.errors import UnknownNameError, nearest
from ..question_templates import QuestionTemplate, question_templates
from .json_file import ParameterError, read_json
from .models import (
    Attribute,
    Semantics,
    TableTemplate,
    TableTemplates,
    ValueRange,
    read_semantics,
    read_table_templates,
    sql_name,
)

VALUE = "Value"
"""The name of the relational table's last column."""


def check(templates: TableTemplates, semantics: Semantics, source: str) -> None:
    """Check every code, shortcut and sample of every template.

    Raises:
        ParameterError: file, template, key, what was found, what is expected.
    """
    names = [template.valueName for template in templates.tables]
    for template in templates.tables:
        where = f"{source}: template {template.valueName!r}"
        if names.count(template.valueName) > 1:
            raise ParameterError(f"{where}: valueName: found twice; expected different names")
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
    """The names are the relational table's columns, so they have to differ."""
    seen: dict[str, str] = {}
    names = [(sql_name(name), attribute.code) for attribute in attributes for name in attribute.names]
    for name, code in [(VALUE, VALUE), *names]:
        if name.lower() in seen:
            raise ParameterError(
                f"{where}: rowCodes, colCodes: {seen[name.lower()]!r} and {code!r} both have an attribute "
                f"{name!r}; expected different names"
            )
        seen[name.lower()] = code


SEMANTICS = "PARAM_semantics.json"
TABLES = "PARAM_tableTemplates.json"
QUESTIONS = "PARAM_NLquestionTemplates.json"

SHIPPED = Path(__file__).parent / "shipped"
"""Our own parameters, which come with the package."""


@dataclass(frozen=True)
class Parameters:
    """The content of the three parameter files, checked against each other.

    Attributes:
        folder: where they were read, for messages.
        questions: the question templates by table template (``tableName``).
    """

    semantics: Semantics
    tables: TableTemplates
    questions: Mapping[str, QuestionTemplate]
    folder: str = ""

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """The semantics' attributes by code."""
        return self.semantics.attributes

    @cached_property
    def families(self) -> dict[str, TableTemplate]:
        """The table templates by ``valueName``."""
        return {template.valueName: template for template in self.tables.tables}

    def value_range(self, template: TableTemplate) -> ValueRange:
        """The range of a template's numbers."""
        return value_range_of(template, self.semantics, self.where(template))

    def where(self, template: TableTemplate) -> str:
        """File and template, for a message."""
        return f"{Path(self.folder) / TABLES}: template {template.valueName!r}"

    def only(self, families: tuple[str, ...]) -> Parameters:
        """Restrict the parameters to some families of tables.

        Raises:
            UnknownNameError: no such family (with the nearest names).
        """
        for name in families:
            if name not in self.families:
                raise UnknownNameError("table template", name, self.families, str(Path(self.folder) / TABLES))
        kept = tuple(template for template in self.tables.tables if template.valueName in families)
        return replace(self, tables=self.tables.model_copy(update={"tables": kept}))


def load_parameters(folder: str | Path = SHIPPED) -> Parameters:
    """Load the parameters in a folder, by default the package's own.

    The folder holds ``PARAM_semantics.json``, ``PARAM_tableTemplates.json`` and
    ``PARAM_NLquestionTemplates.json`` with the benchmark's keys.

    Raises:
        ParameterError: a file is missing or wrong: file, template, key, what was found, what is expected.
    """
    place = Path(folder)
    if not place.is_dir():
        raise ParameterError(
            f"{place}: no such folder; expected one with {SEMANTICS}, {TABLES} and {QUESTIONS}"
        )
    semantics = read_semantics(place / SEMANTICS)
    tables = read_table_templates(place / TABLES)
    check(tables, semantics, str(place / TABLES))
    names = {attribute.code: attribute.names for attribute in semantics.data}
    families = [template.valueName for template in tables.tables]
    source = place / QUESTIONS
    questions = question_templates(read_json(source), str(source), names, families)
    for name in families:
        if name not in questions:
            raise ParameterError(
                f"{source}: template {name!r}: tableName: none has this name; expected question templates "
                f"for every template of {TABLES}"
            )
    return Parameters(semantics, tables, questions, str(place))
