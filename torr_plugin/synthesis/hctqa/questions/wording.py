"""A question in words: a template's tree and a plan, made one sentence."""

from __future__ import annotations

from collections.abc import Callable

from ..instance import Function
from .grammar import parse, with_attributes
from .lists import listed
from .phrases import phrases, said
from .plan import Comparison, Plan
from .syntax import Chunk, Reserved, Tree, Words, lead
from .templates import QuestionTemplate

_SAID_FUNCTION: dict[Function, str] = {"sum": "total", "avg": "average", "min": "minimum", "max": "maximum"}


def write_question(plan: Plan, template: QuestionTemplate, text: str, attributes: tuple[str, ...]) -> str:
    """The question.

    Args:
        plan: what is asked.
        template: the family's templates.
        text: the one of them that is used.
        attributes: all of the table's, columns first.
    """
    tree = _tree(text, template, attributes)
    nested = plan.comparison if plan.kind == 15 else None
    sentence = _plain(plan, tree) if nested is None else _nested(plan, nested, tree)
    return f"{_punctuated(sentence)}{_report(plan, template)}"


def _tree(text: str, template: QuestionTemplate, attributes: tuple[str, ...]) -> Tree:
    names = tuple(dict.fromkeys((*attributes, *template.names)))
    return with_attributes(parse(text, names, bool(template.names)), attributes)


def _plain(plan: Plan, tree: Tree) -> str:
    rows = [] if plan.rows is None else [plan.rows.said]
    return said(_filled(tree, plan), phrases(plan.columns.said, *rows))


def _nested(plan: Plan, comparison: Comparison, tree: Tree) -> str:
    """Type 15: *What is (14's value in other columns) of A and of B for which (14's comparison)?*."""
    at, until = [index for index, chunk in enumerate(tree) if isinstance(chunk, Reserved)]
    before, after = _beside(tree[at])
    named = listed([f"{lead(tree, name) or 'for'} {name}" for name in plan.reported], "and")
    return " ".join(
        [
            said(tree[:at]),
            *(before[:-1] if before[-1:] == ["the"] else before),
            said(tree[at + 1 : until], phrases(plan.columns.said)),
            named,
            *after,
            said(_filled(tree[at + 1 :], plan), phrases(comparison.within.said)),
        ]
    )


def _beside(chunk: Chunk) -> tuple[list[str], list[str]]:
    """The words before and after a place, in the singular."""
    if not isinstance(chunk, Reserved):
        return [], []
    return [first for first, _ in chunk.before], [first for first, _ in chunk.after]


def _filled(tree: Tree, plan: Plan) -> Tree:
    """The tree with the generator's places made words."""
    return tuple(_words(chunk, plan) if isinstance(chunk, Reserved) else chunk for chunk in tree)


def _words(place: Reserved, plan: Plan) -> Words:
    choice, text = _FILLS[place.name](plan)
    before = [pair[choice] for pair in place.before]
    after = [pair[choice] for pair in place.after]
    return Words(" ".join(word for word in (*before, text, *after) if word), placed=True)


def _expressions(plan: Plan) -> tuple[int, str]:
    return len(plan.functions) > 1, listed([_SAID_FUNCTION[name] for name in plan.functions], "and")


def _group_by(plan: Plan) -> tuple[int, str]:
    return 0, f"for each {listed(plan.grouped, 'and')},"


def _top(plan: Plan) -> tuple[int, str]:
    return plan.direction == "ASC", str(plan.limit)


def _order(plan: Plan) -> tuple[int, str]:
    return plan.direction == "ASC", "ordered by"


def _attributes(plan: Plan) -> tuple[int, str]:
    return len(plan.reported) > 1, listed(plan.reported, "and")


def _comparison(plan: Plan) -> tuple[int, str]:
    if plan.comparison is None:
        return 0, ""
    side = "greater than" if plan.comparison.operator == ">" else "lower than"
    return 0, f"{side} {plan.comparison.threshold:f}"


_FILLS: dict[str, Callable[[Plan], tuple[int, str]]] = {
    "EXPR": _expressions,
    "GROUPBY": _group_by,
    "TOPK": _top,
    "ORDERBYDESC": _order,
    "OPATTR": _attributes,
    "OPANDVAL": _comparison,
}


def _report(plan: Plan, template: QuestionTemplate) -> str:
    if plan.kind not in (8, 10, 11, 15):
        return ""
    named = [*plan.reported, template.meaning] if plan.kind == 15 else list(plan.reported)
    words = [
        _reported(chunk, listed(named, "and")) for chunk in parse(template.texts["template_report"][0], ())
    ]
    text = " ".join(words)
    return f" {text}" if text.endswith((".", "?", "!")) else f" {text}."


def _reported(chunk: Chunk, named: str) -> str:
    if not isinstance(chunk, Reserved):
        return said((chunk,))
    before, after = _beside(chunk)
    return " ".join([*before, named, *after])


def _punctuated(sentence: str) -> str:
    text = sentence.strip()
    for mark in ("?", ","):
        text = text.replace(f" {mark}", mark)
    return text.replace(",?", "?") if text.endswith("?") else f"{text}?"
