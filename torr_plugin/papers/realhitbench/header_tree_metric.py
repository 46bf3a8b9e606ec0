"""How well the header trees that a model wrote match those of the table that it saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from ...scoring.metrics.base import SHOWN_TABLE, Metric, shared_f1
from ...tables import serializers
from ...tables.header_tree import HeaderNode
from ...tables.header_tuples import AXES, Axis, HeaderTuple, header_tuples, tree_roots
from .header_answers import read_header_tuples
from .tree_distance import comparable_trees, tree_distance

Path: TypeAlias = "tuple[str, ...]"


class HeaderTreeMatch(Metric):
    """F1 of the headers in a model's trees.

    The trees are those that follow from the header tuples in the answer
    (:func:`~torr_plugin.tables.header_tuples.tree_roots`), the right ones those of the table as it was shown.
    Labels are compared without regard to case and repeated white space.

    Formulas: with P the nodes of the answer's trees and T those of the table's, both as multisets over the
    axes that the table has headers on, ``precision = |P & T| / |P|``, ``recall = |P & T| / |T|`` and F1 their
    harmonic mean. For ``tree_f1`` a node is its axis, its first and last row or column and the labels from
    ROOT down to it, its own included; for ``path_f1`` the axis and the labels alone. ``tree_similarity`` is
    ``max(0, 1 - d / max(|P|, |T|))``, d being the ordered trees' edit distance (Zhang and Shasha, 1989;
    inserting, deleting and relabelling a node each cost 1) summed over both axes: TEDS (Zhong et al., 2020)
    for header trees. Reading: ``tree_f1`` is how many headers stand at their places below their parents;
    ``tree_similarity`` falls less where one wrong parent takes all of its children along.

    Special cases: where an answer counts rows or columns from elsewhere, it is shifted by the difference
    that most of its paths have, as that says nothing of the tree; tuples in the corner, and those on an axis
    without labels (a flat table's rows), count neither way. A table without any header label is matched by
    every answer (1). Of trees that would take more than a million comparisons (two flat ones of 500 rows
    take less) the first nodes are compared, and the others by their number. Source: ours; RealHiTBench
    (section 4.1) has the trees, and no figure for them.
    """

    name = "header_tree"
    main = "tree_f1"
    needs = (SHOWN_TABLE,)
    score_names = ("tree_f1", "path_f1", "tree_similarity")
    step = "tree"
    source = "ours"

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        """``{"tree_f1": .., "path_f1": .., "tree_similarity": ..}``.

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
    trees = [_pair(answered, right, axis, (corner or {}).get(axis, 0)) for axis in AXES if axis in axes]
    return {
        "tree_f1": shared_f1(*((Counter(pair.found), Counter(pair.right)) for pair in trees)),
        "path_f1": shared_f1(*((_paths(pair.found), _paths(pair.right)) for pair in trees)),
        "tree_similarity": _similarity(trees),
    }


_Node: TypeAlias = "tuple[Path, int, int]"


@dataclass(frozen=True, slots=True)
class _TreePair:
    """Both trees of one axis, each with its nodes in order: labels from ROOT down, start and stop."""

    found_roots: Sequence[HeaderNode]
    right_roots: Sequence[HeaderNode]
    found: Sequence[_Node]
    right: Sequence[_Node]


def _pair(
    answered: Iterable[HeaderTuple], right: Iterable[HeaderTuple], axis: Axis, corner: int
) -> _TreePair:
    """The answer's tree, shifted and without the corner, and the table's."""
    right_roots = tree_roots(map(_plain, right), axis)
    truth = list(_nodes(right_roots))
    own = [_plain(each) for each in answered if each.axis == axis]
    shift = _shift(list(_nodes(tree_roots(own, axis))), truth)
    shifted = [replace(each, start=each.start - shift, end=each.end - shift) for each in own]
    found_roots = tree_roots([each for each in shifted if each.end >= corner], axis)
    return _TreePair(found_roots, right_roots, list(_nodes(found_roots)), truth)


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


def _similarity(trees: Sequence[_TreePair]) -> float:
    distance = found = right = 0
    for pair in trees:
        ours, truth = comparable_trees(pair.found_roots, pair.right_roots)
        left = len(pair.found) - ours.size, len(pair.right) - truth.size
        distance += tree_distance(ours, truth) + abs(left[0] - left[1])
        found, right = found + len(pair.found), right + len(pair.right)
    return max(0.0, 1 - distance / max(found, right))
