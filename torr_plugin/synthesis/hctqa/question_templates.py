"""PARAM_NLquestionTemplates.json: how questions are said, by family of tables (HCT-QA, Appendix C.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from ...core.errors import nearest
from ...core.validation import StrictModel
from .grammar import Reserved, TemplateError, parse
from .parameters.json_file import ParameterError, as_tuple, parse_json, read_json, validated

KINDS = range(1, 16)
"""The fifteen types of questions; the fifteenth is made from the fourteenth's template."""
_PLACES: dict[str, tuple[str, ...]] = {
    **{f"template_{kind}": () for kind in (1, 2, 3, 6)},
    **{f"template_{kind}": ("EXPR",) for kind in (4, 5, 7)},
    **{f"template_{kind}": ("EXPR", "GROUPBY") for kind in (8, 9, 10, 11)},
    "template_12": ("TOPK",),
    "template_13": ("ORDERBYDESC",),
    "template_14": ("OPATTR", "OPANDVAL"),
    "template_report": ("REPORTATTR",),
}


_Text = Annotated[str, Field(min_length=1, max_length=4000)]
_List = Annotated[tuple[_Text, ...], BeforeValidator(as_tuple)]
_Texts = Annotated[tuple[_Text, ...], BeforeValidator(as_tuple), Field(min_length=1)]
_Nested = Annotated[tuple[_List, ...], BeforeValidator(as_tuple)]


class _TemplateEntry(StrictModel):
    """One object of the file, with the benchmark's keys."""

    tableName: _Text  # noqa: N815 (the benchmark's key)
    rowColCodes: _Texts  # noqa: N815
    valueMeaning: _Texts  # noqa: N815
    simplifyNested: _Nested = ()  # noqa: N815
    template_report: _Texts
    template_1: _Texts
    template_2: _Texts
    template_3: _Texts
    template_4: _Texts
    template_5: _Texts
    template_6: _Texts
    template_7: _Texts
    template_8: _Texts
    template_9: _Texts
    template_10: _Texts
    template_11: _Texts
    template_12: _Texts
    template_13: _Texts
    template_14: _Texts


class _TemplateFile(StrictModel):
    templates: Annotated[tuple[_TemplateEntry, ...], BeforeValidator(as_tuple), Field(min_length=1)]


@dataclass(frozen=True)
class QuestionTemplate:
    """How the questions on one family of tables are said.

    Attributes:
        table: the table template's ``valueName``.
        codes: the attributes' codes (``rowColCodes``).
        names: the attributes' display names; empty where no semantics were given to look them up in.
        meaning: what a value is, ``number of students``.
        simplify: groups of nested attributes of which only the innermost is said.
        texts: the wordings by key, ``template_1`` to ``template_14`` and ``template_report``.
    """

    table: str
    codes: tuple[str, ...]
    names: tuple[str, ...]
    meaning: str
    simplify: tuple[tuple[str, ...], ...]
    texts: Mapping[str, tuple[str, ...]]


def question_templates(
    source: str | Path,
    attributes: Mapping[str, Sequence[str]] | None = None,
    tables: Collection[str] | None = None,
) -> dict[str, QuestionTemplate]:
    """The question templates of a file, or of its text, by ``tableName``.

    Args:
        source: a path, or a text that begins with ``[``.
        attributes: display names by code, from the semantics; with them every word is checked.
        tables: the names of the table templates there are.

    Raises:
        ParameterError: broken JSON, a key missing or unknown, an unknown table, code or attribute, a template
            that breaks the grammar; file, template, key and word are said.
    """
    if isinstance(source, str) and source.lstrip().startswith(("[", "{")):
        document, where = parse_json(source, "question templates"), "question templates"
    else:
        document, where = read_json(Path(source)), str(source)
    read = validated(_TemplateFile, {"templates": document}, where, kind="template", named_by="tableName")
    return _by_name([_template(entry, where, attributes) for entry in read.templates], where, tables)


def _by_name(
    found: Iterable[QuestionTemplate], where: str, tables: Collection[str] | None
) -> dict[str, QuestionTemplate]:
    named: dict[str, QuestionTemplate] = {}
    for template in found:
        place = f"{where}: template {template.table!r}: tableName"
        if template.table in named:
            raise ParameterError(f"{place}: stands twice; expected a name of its own")
        if tables is not None and template.table not in tables:
            raise ParameterError(
                f"{place}: unknown table template {template.table!r}; {nearest(template.table, tables)}"
            )
        named[template.table] = template
    return named


def _template(
    entry: _TemplateEntry, where: str, attributes: Mapping[str, Sequence[str]] | None
) -> QuestionTemplate:
    place = f"{where}: template {entry.tableName!r}"
    names = () if attributes is None else _names(entry.rowColCodes, attributes, place)
    texts = {key: getattr(entry, key) for key in _PLACES}
    template = QuestionTemplate(
        entry.tableName, entry.rowColCodes, names, entry.valueMeaning[0], entry.simplifyNested, texts
    )
    _check(template, place)
    return template


def _names(codes: Sequence[str], attributes: Mapping[str, Sequence[str]], place: str) -> tuple[str, ...]:
    for code in codes:
        if code not in attributes:
            raise ParameterError(f"{place}: rowColCodes: unknown code {code!r}; {nearest(code, attributes)}")
    return tuple(dict.fromkeys(name for code in codes for name in attributes[code]))


def _check(template: QuestionTemplate, place: str) -> None:
    for name in (name for nested in template.simplify for name in nested):
        if template.names and name not in template.names:
            raise ParameterError(
                f"{place}: simplifyNested: unknown attribute {name!r}; {nearest(name, template.names)}"
            )
    for key, texts in template.texts.items():
        for text in texts:
            _check_text(text, key, template, f"{place}: {key}")


def _check_text(text: str, key: str, template: QuestionTemplate, place: str) -> None:
    try:
        tree = parse(text, template.names, bool(template.names))
    except TemplateError as error:
        raise ParameterError(f"{place}: {error}") from error
    found = [chunk.name for chunk in tree if isinstance(chunk, Reserved)]
    for name in _PLACES[key]:
        if found.count(name) != 1:
            raise ParameterError(f"{place}: ${name} stands {found.count(name)} times; expected once")
    for name in found:
        if name not in _PLACES[key]:
            raise ParameterError(f"{place}: found ${name}, which has no meaning in this template")
    if key == "template_14" and found != ["OPATTR", "OPANDVAL"]:
        raise ParameterError(f"{place}: $OPANDVAL stands before $OPATTR; expected it after")
