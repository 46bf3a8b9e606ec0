"""PARAM_NLquestionTemplates.json: how questions are worded, by family of tables (HCT-QA, Appendix C.4)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from ....core.errors import nearest
from ....core.validation import StrictModel
from .grammar import Reserved, TemplateError, parse
from .parameters.json_file import Listed, ParameterError, validated

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
_Texts = Annotated[Listed[_Text], Field(min_length=1)]


class _TemplateEntry(StrictModel):
    """One object of the file, with the benchmark's keys."""

    tableName: _Text  # noqa: N815 (the benchmark's key)
    rowColCodes: _Texts  # noqa: N815
    valueMeaning: _Texts  # noqa: N815
    simplifyNested: Listed[Listed[_Text]] = ()  # noqa: N815
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
    templates: Annotated[Listed[_TemplateEntry], Field(min_length=1)]


@dataclass(frozen=True)
class QuestionTemplate:
    """How questions on one family of tables are worded.

    Attributes:
        table: the table template's ``valueName``.
        codes: the attributes' codes (``rowColCodes``).
        names: the attributes' display names.
        meaning: what a value is, ``number of students``.
        simplify: groups of nested attributes of which a question names only the innermost.
        texts: the wordings by key, ``template_1`` to ``template_14`` and ``template_report``.
    """

    table: str
    codes: tuple[str, ...]
    names: tuple[str, ...]
    meaning: str
    simplify: tuple[tuple[str, ...], ...]
    texts: Mapping[str, tuple[str, ...]]


def question_templates(
    document: Any, where: str, attributes: Mapping[str, Sequence[str]], tables: Collection[str]
) -> dict[str, QuestionTemplate]:
    """Check the question templates of a file; returns them by ``tableName``.

    Args:
        document: what the file holds.
        where: the file, for messages.
        attributes: display names by code, from the semantics.
        tables: the names of the table templates.

    Raises:
        ParameterError: a key missing or unknown, an unknown table, code or attribute, or a template that
            breaks the grammar; the message has file, template, key and word.
    """
    read = validated(_TemplateFile, {"templates": document}, where, kind="template", named_by="tableName")
    found: dict[str, QuestionTemplate] = {}
    for entry in read.templates:
        name, place = entry.tableName, f"{where}: template {entry.tableName!r}"
        if name in found:
            raise ParameterError(f"{place}: tableName: found twice; expected different names")
        if name not in tables:
            raise ParameterError(
                f"{place}: tableName: unknown table template {name!r}; {nearest(name, tables)}"
            )
        texts = {key: getattr(entry, key) for key in _PLACES}
        names = _names(entry.rowColCodes, attributes, place)
        found[name] = QuestionTemplate(
            name, entry.rowColCodes, names, entry.valueMeaning[0], entry.simplifyNested, texts
        )
        _check(found[name], place)
    return found


def _names(codes: Sequence[str], attributes: Mapping[str, Sequence[str]], place: str) -> tuple[str, ...]:
    for code in codes:
        if code not in attributes:
            raise ParameterError(f"{place}: rowColCodes: unknown code {code!r}; {nearest(code, attributes)}")
    return tuple(dict.fromkeys(name for code in codes for name in attributes[code]))


def _check(template: QuestionTemplate, place: str) -> None:
    for name in (name for nested in template.simplify for name in nested):
        if name not in template.names:
            raise ParameterError(
                f"{place}: simplifyNested: unknown attribute {name!r}; {nearest(name, template.names)}"
            )
    for key, texts in template.texts.items():
        for text in texts:
            _check_text(text, key, template, f"{place}: {key}")


def _check_text(text: str, key: str, template: QuestionTemplate, place: str) -> None:
    try:
        tree = parse(text, template.names)
    except TemplateError as error:
        raise ParameterError(f"{place}: {error}") from error
    found = [chunk.name for chunk in tree if isinstance(chunk, Reserved)]
    for name in _PLACES[key]:
        if found.count(name) != 1:
            raise ParameterError(f"{place}: found ${name} {found.count(name)} times; expected once")
    for name in found:
        if name not in _PLACES[key]:
            raise ParameterError(f"{place}: found ${name}, which has no meaning in this template")
    if key == "template_14" and found != ["OPATTR", "OPANDVAL"]:
        raise ParameterError(f"{place}: found $OPANDVAL before $OPATTR; expected it after")
