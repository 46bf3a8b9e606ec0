"""What the generator is told: semantics, table templates and question templates, from one folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ....core.errors import UnknownNameError
from .checking import check, value_range_of
from .json_file import ParameterError
from .semantics import Attribute, Semantics, read_semantics
from .table_templates import TableTemplate, TableTemplates, read_table_templates
from .value_range import ValueRange

if TYPE_CHECKING:
    from ..questions import QuestionTemplate

SEMANTICS = "PARAM_semantics.json"
TABLES = "PARAM_tableTemplates.json"
QUESTIONS = "PARAM_NLquestionTemplates.json"

SHIPPED = Path(__file__).parent / "shipped"
"""Our own parameters, which come with the package."""


@dataclass(frozen=True)
class Parameters:
    """The three parameter files, read and checked against each other.

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
        """The parameters with these families of tables alone.

        Raises:
            UnknownNameError: no such family (nearest names said).
        """
        for name in families:
            if name not in self.families:
                raise UnknownNameError("table template", name, self.families, str(Path(self.folder) / TABLES))
        kept = tuple(template for template in self.tables.tables if template.valueName in families)
        return Parameters(
            self.semantics, self.tables.model_copy(update={"tables": kept}), self.questions, self.folder
        )


def load_parameters(folder: str | Path = SHIPPED) -> Parameters:
    """The parameters in a folder; the package's own where none is named.

    The folder holds ``PARAM_semantics.json``, ``PARAM_tableTemplates.json`` and
    ``PARAM_NLquestionTemplates.json`` with the benchmark's keys.

    Raises:
        ParameterError: a file is missing or wrong: file, template, key, what was found, what is expected.
    """
    from ..questions import question_templates

    place = Path(folder)
    if not place.is_dir():
        raise ParameterError(
            f"{place}: no such folder; expected one with {SEMANTICS}, {TABLES} and {QUESTIONS}"
        )
    semantics = read_semantics(place / SEMANTICS)
    tables = read_table_templates(place / TABLES)
    check(tables, semantics, str(place / TABLES))
    names = {attribute.code: attribute.names for attribute in semantics.data}
    known = [template.valueName for template in tables.tables]
    questions = question_templates(place / QUESTIONS, names, known)
    parameters = Parameters(semantics, tables, questions, str(place))
    _check_questions(parameters)
    return parameters


def _check_questions(parameters: Parameters) -> None:
    for name in parameters.families:
        if name not in parameters.questions:
            raise ParameterError(
                f"{Path(parameters.folder) / QUESTIONS}: template {name!r}: tableName: none has this name; "
                f"expected question templates for every template of {TABLES}"
            )
