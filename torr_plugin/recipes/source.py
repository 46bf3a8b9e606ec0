"""A YAML file as plain data, read within bounds, that still knows on which line each field stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import RecipeError

if TYPE_CHECKING:
    import yaml

Key = str | int

EXPECTED = "a mapping with 'name', 'cards' and 'configurations'"

MOST_BYTES = 1_000_000
MOST_DEPTH = 30
MOST_VALUES = 100_000


@dataclass(frozen=True)
class Source:
    """A YAML document: its data, and the tree that says where each field was written."""

    path: Path
    data: Any
    root: yaml.Node

    def place(self, field: Sequence[Key], *, key: bool = False) -> tuple[int, str]:
        """Line and written path of a field, e.g. ``(7, "configurations[0].serializers")``.

        Steps that were not written (a list that stands for one value, a default) are left out; ``key`` takes
        the line of the field's key rather than of its value.
        """
        node, written, line = self.root, "", self.root.start_mark.line
        for at, step in enumerate(field):
            found = _child(node, step)
            if found is None:
                continue
            label, node = found
            last = at == len(field) - 1
            line = (label or node).start_mark.line if key and last else _value_line(label, node)
            written += f"[{step}]" if isinstance(step, int) else f".{step}" if written else step
        return line + 1, written

    def odd_key(self, field: Sequence[Key]) -> tuple[int, str]:
        """Line of the first key that YAML reads as other than text, and the written path of its mapping."""
        node = self.root
        for step in field:
            found = _child(node, step)
            node = found[1] if found else node
        keys = [label for label, _ in node.value]
        odd = next((label for label in keys if label.tag != "tag:yaml.org,2002:str"), node)
        return odd.start_mark.line + 1, self.place(field)[1]


def read_source(path: Path, expected: str = EXPECTED) -> Source:
    """Read a YAML file: plain scalars, lists and mappings alone.

    Args:
        path: the file.
        expected: what a file should hold, said of an empty one.

    Raises:
        RecipeError: not readable, not UTF-8 or not YAML (line said), a key said twice, or beyond the bounds
            (size, depth, values after aliases are followed) that keep a hostile file from taking the
            machine's memory.
    """
    import yaml

    text = _text(path)
    try:
        _bound_depth(path, text)
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        if root is None:
            raise RecipeError(f"{path}: the file is empty; expected {expected}")
        _bound_values(path, root)
        _refuse_repeats(path, root)
        return Source(path, loader.construct_document(root), root)
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise RecipeError(f"{path}{line}: not YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, RecipeError):
            raise
        raise RecipeError(f"{path}: not YAML: {' '.join(str(error).split())}") from error


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise RecipeError(f"{path}: cannot be read: {error.strerror}") from error
    if len(content) > MOST_BYTES:
        raise RecipeError(
            f"{path}: the file is larger than {MOST_BYTES:,} bytes; expected a recipe of a few lines"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecipeError(f"{path}: not UTF-8 (byte {error.start}); expected a YAML file") from error


def _bound_depth(path: Path, text: str) -> None:
    """Refuse deep nesting before a tree is built, as building recurses."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            line = event.start_mark.line + 1 if event.start_mark else 1
            raise RecipeError(f"{path}:{line}: lists and mappings nested more than {MOST_DEPTH} deep")


def _bound_values(path: Path, root: yaml.Node) -> None:
    """Count values as if every alias were written out; aliases of aliases multiply."""
    sizes: dict[int, int | None] = {}

    def size(node: yaml.Node) -> int:
        known = sizes.get(id(node), 0)
        if known is None:
            raise RecipeError(f"{path}:{node.start_mark.line + 1}: an alias that holds itself")
        if known:
            return known
        sizes[id(node)] = None
        total = 1 + sum(map(size, _children(node)))
        if total > MOST_VALUES:
            raise RecipeError(
                f"{path}:{node.start_mark.line + 1}: more than {MOST_VALUES:,} values once its aliases are "
                "written out"
            )
        sizes[id(node)] = total
        return total

    size(root)


def _children(node: yaml.Node) -> list[yaml.Node]:
    import yaml

    if isinstance(node, yaml.MappingNode):
        return [each for pair in node.value for each in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _refuse_repeats(path: Path, root: yaml.Node) -> None:
    import yaml

    waiting, seen_nodes = [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen_nodes:
            continue
        seen_nodes.add(id(node))
        waiting.extend(_children(node))
        lines: dict[str, int] = {}
        for label, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            line = label.start_mark.line + 1
            if not isinstance(label, yaml.ScalarNode):
                raise RecipeError(f"{path}:{line}: a list or mapping as a key; expected a name")
            if label.value in lines:
                raise RecipeError(
                    f"{path}:{line}: {label.value!r} is given twice, first on line {lines[label.value]}"
                )
            lines[label.value] = line


def _child(node: yaml.Node, step: Key) -> tuple[yaml.Node | None, yaml.Node] | None:
    """The key (of a mapping) and the value one step down; None where the document has no such step."""
    import yaml

    if isinstance(node, yaml.MappingNode) and isinstance(step, str):
        return next(((label, value) for label, value in node.value if label.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None


def _value_line(label: yaml.Node | None, node: yaml.Node) -> int:
    """Where a value stands: on its own line, but a list or mapping on that of its key."""
    import yaml

    return int((node if isinstance(node, yaml.ScalarNode) or label is None else label).start_mark.line)
