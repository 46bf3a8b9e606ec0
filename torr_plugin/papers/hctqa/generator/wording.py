"""Write a question: a sentence from a template's tree and a plan."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

from .grammar import Chain, Chunk, Group, Reserved, Tree, Unless, Words, lead, parse, with_attributes
from .instance import Function
from .question_kinds import Comparison, QuestionPlan
from .question_selection import Phrase
from .question_templates import QuestionTemplate

_MARKS = (",", ";", '"')


def listed(words: Sequence[str], conjunction: str) -> str:
    """``a``, ``a or b``, ``a, b, or c``."""
    if len(words) < 3:
        return f" {conjunction} ".join(words)
    return f"{', '.join(words[:-1])}, {conjunction} {words[-1]}"


def quoted(label: str) -> str:
    """A value, in quotation marks if it could be read as several values or as none."""
    if any(mark in label for mark in _MARKS) or " or " in label or not label.strip():
        return '"' + label.replace('"', "'") + '"'
    return label


Values = Mapping[str, str]
"""For each attribute of a phrase, its values as a list in words."""


def phrases(*axes: Sequence[Phrase]) -> list[Values]:
    """Every combination of the axes' phrases, in order."""
    joined = [tuple(itertools.chain(*combined)) for combined in itertools.product(*axes)]
    return [
        {name: listed([quoted(label) for label in labels], "or") for name, labels in values}
        for values in joined
    ]


def say_tree(tree: Tree, values: Sequence[Values] = ({},)) -> str:
    """The words of a tree whose places are filled, its groups once for each of ``values``.

    Words before, between and after the groups appear with the first phrase only.
    """
    groups = [index for index, chunk in enumerate(tree) if isinstance(chunk, Group)]
    first, last = (groups[0], groups[-1] + 1) if groups else (len(tree), len(tree))
    inner = [chunk for chunk in tree[first:last] if isinstance(chunk, Group)]
    others = [_joined([_group(chunk, each) for chunk in inner]) for each in values[1:]] if inner else []
    spoken: list[Chunk] = [
        Words(_group(chunk, values[0])) if isinstance(chunk, Group) else chunk for chunk in tree
    ]
    return _with_unless([*spoken[:last], *map(Words, _alternatives(others)), *spoken[last:]])


def _with_unless(spoken: Sequence[Chunk]) -> str:
    """The words as one text; those of an :class:`Unless` where its word is not among the others."""
    own = _joined([chunk.text for chunk in spoken if isinstance(chunk, Words) and not chunk.placed])
    plain = f" {own.replace(',', ' ').replace('?', ' ')} "
    texts = [
        chunk.text
        for chunk in spoken
        if isinstance(chunk, Words) or (isinstance(chunk, Unless) and f" {chunk.word} " not in plain)
    ]
    return _joined(texts)


def _alternatives(others: Sequence[str]) -> list[str]:
    """``or x``; ``, x, or y``: what follows the first phrase."""
    if len(others) < 2:
        return [f"or {other}" for other in others]
    return [f", {', '.join(others[:-1])}, or {others[-1]}"]


def _group(group: Group, values: Values) -> str:
    found = [part if isinstance(part, str) else _chain(part, values) for part in group.parts]
    spoken = any(text for part, text in zip(group.parts, found, strict=True) if isinstance(part, Chain))
    return _joined(found) if spoken else ""


def _chain(chain: Chain, values: Values) -> str:
    texts = [
        _joined([slot.before, values[slot.attribute], slot.after]) if slot.attribute in values else ""
        for slot in chain.slots
    ]
    found = texts[0]
    for joiner, before, text in zip(chain.joiners, texts, texts[1:], strict=False):
        found = _joined([found, joiner if before and text else "", text])
    return found


def _joined(words: Sequence[str]) -> str:
    return " ".join([word for word in words if word]).replace(" ,", ",")


_FUNCTION_WORDS: dict[Function, str] = {"sum": "total", "avg": "average", "min": "minimum", "max": "maximum"}


def write_question(
    plan: QuestionPlan, template: QuestionTemplate, text: str, attributes: tuple[str, ...]
) -> str:
    """Write a question as a sentence.

    Args:
        plan: what the question asks.
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
    return with_attributes(parse(text, names), attributes)


def _plain(plan: QuestionPlan, tree: Tree) -> str:
    rows = [] if plan.rows is None else [plan.rows.phrases]
    return say_tree(_filled(tree, plan), phrases(plan.columns.phrases, *rows))


def _nested(plan: QuestionPlan, comparison: Comparison, tree: Tree) -> str:
    """Type 15: *What is (14's value in other columns) of A and of B for which (14's comparison)?*."""
    at, until = [index for index, chunk in enumerate(tree) if isinstance(chunk, Reserved)]
    before, after = _beside(tree[at])
    named = listed([f"{lead(tree, name) or 'for'} {name}" for name in plan.reported], "and")
    return " ".join(
        [
            say_tree(tree[:at]),
            *(before[:-1] if before[-1:] == ["the"] else before),
            say_tree(tree[at + 1 : until], phrases(plan.columns.phrases)),
            named,
            *after,
            say_tree(_filled(tree[at + 1 :], plan), phrases(comparison.within.phrases)),
        ]
    )


def _beside(chunk: Chunk) -> tuple[list[str], list[str]]:
    """The words before and after a place, in the singular."""
    if not isinstance(chunk, Reserved):
        return [], []
    return [first for first, _ in chunk.before], [first for first, _ in chunk.after]


def _filled(tree: Tree, plan: QuestionPlan) -> Tree:
    """Replace the generator's places in a tree by words."""
    return tuple(_words(chunk, plan) if isinstance(chunk, Reserved) else chunk for chunk in tree)


def _words(place: Reserved, plan: QuestionPlan) -> Words:
    choice, text = _FILLS[place.name](plan)
    before = [pair[choice] for pair in place.before]
    after = [pair[choice] for pair in place.after]
    return Words(" ".join(word for word in (*before, text, *after) if word), placed=True)


def _expressions(plan: QuestionPlan) -> tuple[int, str]:
    return len(plan.functions) > 1, listed([_FUNCTION_WORDS[name] for name in plan.functions], "and")


def _group_by(plan: QuestionPlan) -> tuple[int, str]:
    return 0, f"for each {listed(plan.grouped, 'and')},"


def _top(plan: QuestionPlan) -> tuple[int, str]:
    return plan.direction == "ASC", str(plan.limit)


def _order(plan: QuestionPlan) -> tuple[int, str]:
    return plan.direction == "ASC", "ordered by"


def _attributes(plan: QuestionPlan) -> tuple[int, str]:
    return len(plan.reported) > 1, listed(plan.reported, "and")


def _comparison(plan: QuestionPlan) -> tuple[int, str]:
    if plan.comparison is None:
        return 0, ""
    side = "greater than" if plan.comparison.operator == ">" else "lower than"
    return 0, f"{side} {plan.comparison.threshold:f}"


_FILLS: dict[str, Callable[[QuestionPlan], tuple[int, str]]] = {
    "EXPR": _expressions,
    "GROUPBY": _group_by,
    "TOPK": _top,
    "ORDERBYDESC": _order,
    "OPATTR": _attributes,
    "OPANDVAL": _comparison,
}


def _report(plan: QuestionPlan, template: QuestionTemplate) -> str:
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
        return say_tree((chunk,))
    before, after = _beside(chunk)
    return " ".join([*before, named, *after])


def _punctuated(sentence: str) -> str:
    text = sentence.strip()
    for mark in ("?", ","):
        text = text.replace(f" {mark}", mark)
    return text.replace(",?", "?") if text.endswith("?") else f"{text}?"
