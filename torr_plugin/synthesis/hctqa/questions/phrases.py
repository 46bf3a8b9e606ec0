"""Says what is selected: each product once through the template's groups, joined by ``or``.

The products are disjoint and each is said in full, so the sentence determines the selection: no word of one
phrase reaches into the next.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from .lists import listed, quoted
from .parts import Said
from .syntax import Chain, Chunk, Group, Tree, Unless, Words

Values = Mapping[str, str]
"""For each attribute that a phrase says, its values as a list in words."""


def phrases(*axes: Sequence[Said]) -> list[Values]:
    """Every combination of the axes' products, in order."""
    joined = [tuple(itertools.chain(*combined)) for combined in itertools.product(*axes)]
    return [
        {name: listed([quoted(label) for label in labels], "or") for name, labels in said} for said in joined
    ]


def said(tree: Tree, values: Sequence[Values] = ({},)) -> str:
    """The words of a tree whose places are filled, its groups said once for each of ``values``.

    Words before, between and after the groups are said with the first phrase only.
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
