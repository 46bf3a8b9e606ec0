"""How well the header trees that a model wrote match those of the table that it saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from ...scoring.metrics.base import SHOWN_TABLE, Metric, shared_f1
from ...tables import serializers
from ...tables.header_tree import HeaderNode
from ...tables.header_tuples import AXES, Axis, HeaderTuple, header_tuples
from .header_answers import read_header_tuples, tree_roots

Path: TypeAlias = "tuple[str, ...]"


class HeaderTreeMatch(Metric):
    """F1 of the headers in a model's trees.

    The trees are those that follow from the header tuples in the answer
    (:func:`.header_answers.tree_roots`), the right ones those of the table as it was shown.
    Labels are compared without regard to case and repeated white space.

    Formulas: with P the nodes of the answer's trees and T those of the table's, both as multisets over the
    axes that the table has headers on, ``precision = |P & T| / |P|``, ``recall = |P & T| / |T|`` and F1 their
    harmonic mean. For ``tree_f1`` a node is its axis, its first and last row or column and the labels from
    ROOT down to it, its own included; for ``path_f1`` the axis and the labels alone. Reading: ``tree_f1`` is
    how many headers stand at their places below their parents; one wrong parent takes all of its children
    along.

    Special cases: where an answer counts rows or columns from elsewhere, it is shifted by the difference
    that most of its paths have, as that says nothing of the tree; tuples in the corner, and those on an axis
    without labels (a flat table's rows), count neither way. A table without any header label is matched by
    every answer (1). Source: ours; RealHiTBench (section 4.1) has the trees, and no figure for them.
    """

    name = "header_tree"
    main = "tree_f1"
    needs = (SHOWN_TABLE,)
    score_names = ("tree_f1", "path_f1")
    step = "tree"
    source = "ours"

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        """``{"tree_f1": .., "path_f1": ..}``.

        Args:
            prediction: the answer to the step ``tree``.
            references: as they answer the question, they are read (as header tuples) without the fact alone.
            facts: ``shown_table``, as the serializer ``json`` writes it.
        """
        if facts and SHOWN_TABLE in facts:
            # all questions on a table share one answer
            return dict(_scores_of_shown(prediction, facts[SHOWN_TABLE]))
        answered = read_header_tuples(prediction)
        rated = [tree_scores(answered, read_header_tuples(each)) for each in references]
        return max(rated, key=lambda scores: scores[self.main])


@lru_cache(maxsize=64)
def _scores_of_shown(answer: str, shown: str) -> tuple[tuple[str, float], ...]:
    table = serializers.get("json").parse(shown)
    corner: dict[Axis, int] = {"C": table.header_columns, "R": table.header_rows}
    return tuple(tree_scores(read_header_tuples(answer), header_tuples(table), corner).items())


def tree_scores(
    answered: Sequence[HeaderTuple], right: Sequence[HeaderTuple], corner: Mapping[Axis, int] | None = None
) -> dict[str, float]:
    """The scores of header tuples against the right ones, by name; see :class:`HeaderTreeMatch`.

    Args:
        answered: in any order, as are the others.
        right: the table's.
        corner: how many columns (``C``) and rows (``R``) at the beginning have no header in the right trees.
    """
    axes = {each.axis for each in right}
    if not axes:
        return dict.fromkeys(HeaderTreeMatch.score_names, 1.0)
    trees = [
        _nodes_of_both(answered, right, axis, (corner or {}).get(axis, 0)) for axis in AXES if axis in axes
    ]
    return {
        "tree_f1": shared_f1(*((Counter(found), Counter(right)) for found, right in trees)),
        "path_f1": shared_f1(*((_paths(found), _paths(right)) for found, right in trees)),
    }


_Node: TypeAlias = "tuple[Path, int, int]"


def _nodes_of_both(
    answered: Iterable[HeaderTuple], right: Iterable[HeaderTuple], axis: Axis, corner: int
) -> tuple[Sequence[_Node], Sequence[_Node]]:
    """The nodes of the answer's tree, shifted and without the corner, and of the table's."""
    truth = list(_nodes(tree_roots(map(_plain, right), axis)))
    own = [_plain(each) for each in answered if each.axis == axis]
    shift = _shift(list(_nodes(tree_roots(own, axis))), truth)
    shifted = [replace(each, start=each.start - shift, end=each.end - shift) for each in own]
    return list(_nodes(tree_roots([each for each in shifted if each.end >= corner], axis))), truth


def _plain(each: HeaderTuple) -> HeaderTuple:
    return replace(each, text=" ".join(each.text.casefold().split()))


def _nodes(roots: Sequence[HeaderNode]) -> Iterator[_Node]:
    """The nodes, parents before their children."""
    stack: list[tuple[Path, HeaderNode]] = [((), node) for node in reversed(roots)]
    while stack:
        above, node = stack.pop()
        path = (*above, node.label)
        yield path, node.start, node.stop
        stack += [(path, child) for child in reversed(node.children)]


def _shift(found: Sequence[_Node], right: Sequence[_Node]) -> int:
    """By how much the positions of most nodes with equal paths differ; of equally many the least."""
    starts: dict[Path, list[int]] = {}
    for path, start, _ in right:
        starts.setdefault(path, []).append(start)
    ordinal: Counter[Path] = Counter()
    differences: Counter[int] = Counter()
    for path, start, _ in found:
        if ordinal[path] < len(starts.get(path, ())):
            differences[start - starts[path][ordinal[path]]] += 1
        ordinal[path] += 1
    return max(differences, key=lambda each: (differences[each], -abs(each), each), default=0)


def _paths(nodes: Iterable[_Node]) -> Counter[Path]:
    return Counter(path for path, _, _ in nodes)
