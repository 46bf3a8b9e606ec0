"""YAML files, read within limits and with the line of each field.

A few lines of YAML can expand to more values than memory holds (aliases of aliases, merged mappings) or hold
numbers that take hours to parse, so sizes are checked before any value is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from .atomic_files import read_text
from .errors import RecipeError
from .validation import Fault, faults, listed

MOST_BYTES = 1_000_000
MOST_DEPTH = 50
MOST_VALUES = 1_000_000
MOST_DIGITS = 1000
"""Characters of a number; parsing time grows with their square (``1:1:1:...`` is in base sixty)."""
MOST_KEY_DIGITS = 18
"""Characters of a numeric key; longer ones can collide in hash, and building a mapping then takes hours."""

_NAMES = frozenset({"tag:yaml.org,2002:str", "tag:yaml.org,2002:merge", "tag:yaml.org,2002:value"})
_NUMBERS = frozenset({"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"})
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
_WORDS = {
    "string_type": "text (in quotes where it looks like something else)",
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "a mapping (name: value)"),
}

_ModelT = TypeVar("_ModelT", bound=BaseModel)


class _YamlError(ValueError):
    """An error with its line, where one is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class YamlFile:
    """A YAML document: its data, and the node tree with the position of each field."""

    path: Path
    data: Any
    root: yaml.Node

    def place(self, field: Sequence[str | int], *, of_key: bool = False) -> tuple[int, str]:
        """Line and path of a field as written in the file, e.g. ``(7, "configurations[0].serializers")``.

        Steps that are not in the file (a default, a list around a single value) are left out. With ``of_key``
        the line is that of the field's key rather than of its value.
        """
        node, written, line = self.root, "", self.root.start_mark.line
        for at, step in enumerate(field):
            child = _child(node, step)
            if child is None:
                continue
            label, node = child
            last = at == len(field) - 1
            line = (label or node).start_mark.line if of_key and last else _value_line(label, node)
            written += f"[{step}]" if isinstance(step, int) else f".{step}" if written else step
        return line + 1, written

    def error(self, field: Sequence[str | int], message: str, *, of_key: bool = False) -> RecipeError:
        """An error about a field: ``FILE:LINE: FIELD: MESSAGE``."""
        line, written = self.place(field, of_key=of_key)
        return RecipeError(f"{self.path}:{line}: {f'{written}: ' if written else ''}{message}")

    def validate(self, schema: type[_ModelT], data: Any = None) -> _ModelT:
        """Validate the document against a model.

        Args:
            schema: the model.
            data: data to validate instead of the document's own.

        Raises:
            RecipeError: ``FILE:LINE: FIELD: found; expected``, of every wrong field.
        """
        try:
            return schema.model_validate(self.data if data is None else data)
        except ValidationError as error:
            first, *others = faults(error, schema, expected=_WORDS, order=lambda path: self.place(path)[0])
            more = f"; {listed(others, self._with_line)}" if others else ""
            raise self.error(first.path, first.message + more, of_key=first.of_key) from error

    def _with_line(self, fault: Fault) -> str:
        line, written = self.place(fault.path, of_key=fault.of_key)
        return ": ".join(filter(None, (f"line {line}", written, fault.message)))


def read_yaml_file(path: Path, expected: str, *, kinds: tuple[type, ...] = (dict,)) -> YamlFile:
    """Read a hand-written file of scalars, lists and mappings, whose keys are texts and unique.

    Args:
        path: the file.
        expected: what the file should hold, for messages.
        kinds: the allowed types of the whole document.

    Raises:
        RecipeError: not readable, not UTF-8, not YAML, a repeated key, or beyond the limits; with the line.
    """
    try:
        # Python's own parser explains what is wrong better than libyaml's
        root, data = _document(read_text(path, MOST_BYTES, _YamlError), yaml.SafeLoader, by_hand=True)
    except _YamlError as error:
        line = "" if error.line is None else f":{error.line}"
        raise RecipeError(f"{path}{line}: {error}") from error
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise RecipeError(f"{path}{line}: not YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, *_BAD_SCALARS) as error:
        raise RecipeError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    if root is None:
        raise RecipeError(f"{path}: the file is empty; expected {expected}")
    file = YamlFile(path, data, root)
    if not isinstance(data, kinds):
        raise RecipeError(f"{path}:1: found {type(data).__name__}; expected {expected}")
    return file


def read_yaml(text: str) -> Any:
    """Read machine-written YAML of scalars, lists and mappings.

    Raises:
        ValueError: it is not YAML, is nested too deeply, or expands to too many values.
    """
    # libyaml is several times as fast, where it is installed, but refuses lone surrogates
    quick = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _document(text, yaml.SafeLoader if _HALF_CHARACTER.search(text) else quick)[1]
    except _YamlError:
        raise
    except (yaml.YAMLError, *_BAD_SCALARS) as error:
        raise ValueError(f"is not YAML: {' '.join(str(error).split())[:200]}") from error


_BAD_SCALARS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError)
"""What yaml raises for a malformed number, date or truth value."""


def _document(text: str, kind: Any, *, by_hand: bool = False) -> tuple[Any, Any]:
    """The node tree and the data of a text, None for an empty one; checks keys if written ``by_hand``."""
    _check_depth(text, kind)
    loader = kind(text)
    root = loader.get_single_node()
    if root is None:
        return None, None
    _check_size(root)
    if by_hand:
        _check_keys(root)
    return root, loader.construct_document(root)


def _check_depth(text: str, kind: Any) -> None:
    """Refuse deep nesting before building the tree, which recurses."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=kind):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MOST_DEPTH:
                raise _too_deep(event.start_mark)
    except yaml.MarkedYAMLError as error:
        # libyaml reads ahead, and newer ones refuse 1,000 levels before we see the first of them
        if "nesting depth" in f"{error.problem}":
            raise _too_deep(error.problem_mark) from error
        raise


def _too_deep(mark: Any) -> _YamlError:
    return _YamlError(
        f"lists and mappings nested more than {MOST_DEPTH} deep", mark.line + 1 if mark else None
    )


def _check_size(root: yaml.Node) -> None:
    """Refuse too many values or too deep nesting, counted with every alias expanded."""
    sizes: dict[int, tuple[int, int] | None] = {}

    def size(node: yaml.Node) -> tuple[int, int]:
        line = node.start_mark.line + 1
        if id(node) in sizes:
            known = sizes[id(node)]
            if known is None:
                raise _YamlError("an alias that holds itself", line)
            return known
        sizes[id(node)] = None
        below = [size(child) for child in _children(node)]
        keys = len(node.value) if isinstance(node, yaml.MappingNode) else 0
        values, depth = 1 + sum(values for values, _ in below) - keys, 0
        if not isinstance(node, yaml.ScalarNode):
            depth = 1 + max((depth for _, depth in below), default=0)
        if values > MOST_VALUES:
            raise _YamlError(f"holds more than {MOST_VALUES:,} values once its aliases are written out", line)
        if depth > MOST_DEPTH:
            raise _too_deep(node.start_mark)
        sizes[id(node)] = values, depth
        return values, depth

    for node in _nodes(root):
        _check_number(node, MOST_DIGITS, "a number")
        for label, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            _check_number(label, MOST_KEY_DIGITS, "a key that is a number")
    size(root)


def _check_number(node: yaml.Node, most: int, kind: str) -> None:
    if isinstance(node, yaml.ScalarNode) and node.tag in _NUMBERS and len(node.value) > most:
        raise _YamlError(f"{kind} of more than {most:,} characters", node.start_mark.line + 1)


def _check_keys(root: yaml.Node) -> None:
    """Refuse repeated keys, and those that YAML does not read as text: ``[a]:``, ``yes:``, ``1:``."""
    waiting, seen = [("", root)], set()
    while waiting:
        field, node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += [(f"{field}[{at}]", inner) for at, inner in enumerate(node.value)]
        lines: dict[str, int] = {}
        for label, inner in node.value if isinstance(node, yaml.MappingNode) else ():
            key, line = label.value, label.start_mark.line + 1
            if not isinstance(label, yaml.ScalarNode):
                raise _YamlError("a list or mapping as a key; expected a name", line)
            if label.tag not in _NAMES:
                raise _YamlError(f"{field and f'{field}: '}found {key} as a key; expected a name", line)
            if key in lines:
                raise _YamlError(f"{key!r} is given twice, first on line {lines[key]}", line)
            lines[key] = line
            waiting.append((f"{field}.{key}" if field else key, inner))


def _nodes(root: yaml.Node) -> Iterator[yaml.Node]:
    """Every node of a tree, once even if several aliases lead to it."""
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            waiting.extend(_children(node))
            yield node


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [each for pair in node.value for each in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Node | None, yaml.Node] | None:
    """The key (None in a list) and value nodes one step down; None if the document has no such step."""
    if isinstance(node, yaml.MappingNode) and isinstance(step, str):
        return next(((label, value) for label, value in node.value if label.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None


def _value_line(label: yaml.Node | None, node: yaml.Node) -> int:
    """The line of a value; for a list or mapping that of its key."""
    return int((node if isinstance(node, yaml.ScalarNode) or label is None else label).start_mark.line)
