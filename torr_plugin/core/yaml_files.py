"""YAML files, read within limits and with the line of each field.

A few lines of YAML can expand to more values than memory holds (aliases of aliases, merged mappings) or hold
numbers that take hours to parse, so sizes are checked before any value is built.
"""

from __future__ import annotations

from collections.abc import Sequence
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

    def place(self, field: Sequence[str | int]) -> tuple[int, str]:
        """Line and path of a field as written in the file, e.g. ``(7, "configurations[0].serializers")``.

        Steps that are not in the file (a default, a list around a single value) are left out.
        """
        node, written, line = self.root, "", self.root.start_mark.line
        for step in field:
            child = _child(node, step)
            if child is not None:
                label, node = child
                line = label.start_mark.line
                written += f"[{step}]" if isinstance(step, int) else f".{step}" if written else step
        return line + 1, written

    def error(self, field: Sequence[str | int], message: str) -> RecipeError:
        """An error about a field: ``FILE:LINE: FIELD: MESSAGE``."""
        line, written = self.place(field)
        return RecipeError(f"{self.path}:{line}: {f'{written}: ' if written else ''}{message}")

    def validate(self, schema: type[_ModelT], data: Any = None) -> _ModelT:
        """Validate the document against a model.

        Args:
            schema: the model.
            data: data to validate instead of the document's own.

        Raises:
            RecipeError: ``FILE:LINE: FIELD: found; expected``, of every wrong field.
        """
        data = self.data if data is None else data
        try:
            return schema.model_validate(data)
        except ValidationError as error:
            first, *others = faults(error, schema, data, expected=_WORDS)
            more = f"; {listed(others, self._with_line)}" if others else ""
            raise self.error(first.path, first.message + more) from error

    def _with_line(self, fault: Fault) -> str:
        line, written = self.place(fault.path)
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
        root, data = _document(read_text(path, MOST_BYTES, _YamlError), by_hand=True)
    except _YamlError as error:
        line = "" if error.line is None else f":{error.line}"
        raise RecipeError(f"{path}{line}: {error}") from error
    if root is None:
        raise RecipeError(f"{path}: the file is empty; expected {expected}")
    if not isinstance(data, kinds):
        raise RecipeError(f"{path}:1: found {type(data).__name__}; expected {expected}")
    return YamlFile(path, data, root)


def read_yaml(text: str) -> Any:
    """Read machine-written YAML of scalars, lists and mappings.

    Raises:
        ValueError: it is not YAML, is nested too deeply, or expands to too many values.
    """
    return _document(text)[1]


def _document(text: str, *, by_hand: bool = False) -> tuple[Any, Any]:
    """The node tree and the data of a text, None for an empty one; checks keys if written ``by_hand``."""
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        if root is None:
            return None, None
        _check(root, by_hand=by_hand)
        return root, loader.construct_document(root)
    except _YamlError:
        raise
    except RecursionError:
        raise _too_deep(None) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise _YamlError(f"not YAML: {error.problem or error.context}", line) from error
    # what yaml raises for a malformed number, date or truth value
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
        raise _YamlError(f"not YAML: {' '.join(str(error).split())[:200]}") from error


def _too_deep(line: int | None) -> _YamlError:
    return _YamlError(f"lists and mappings nested more than {MOST_DEPTH} deep", line)


def _check(root: yaml.Node, *, by_hand: bool) -> None:
    """Refuse too many values or too deep nesting, counted with every alias expanded, and wrong keys."""
    sizes: dict[int, tuple[int, int] | None] = {}

    def size(node: yaml.Node) -> tuple[int, int]:
        line = node.start_mark.line + 1
        if id(node) in sizes:
            known = sizes[id(node)]
            if known is None:
                raise _YamlError("an alias that holds itself", line)
            return known
        sizes[id(node)] = None
        values, depth = 1, 0
        if isinstance(node, yaml.ScalarNode):
            _check_number(node, MOST_DIGITS, "a number")
        else:
            if isinstance(node, yaml.MappingNode):
                _check_keys(node, by_hand=by_hand)
            below = [size(child) for child in _children(node)]
            values += sum(values for values, _ in below)
            depth = 1 + max((depth for _, depth in below), default=0)
        if values > MOST_VALUES:
            raise _YamlError(f"holds more than {MOST_VALUES:,} values once its aliases are written out", line)
        if depth > MOST_DEPTH:
            raise _too_deep(line)
        sizes[id(node)] = values, depth
        return values, depth

    size(root)


def _check_number(node: yaml.Node, most: int, kind: str) -> None:
    if isinstance(node, yaml.ScalarNode) and node.tag in _NUMBERS and len(node.value) > most:
        raise _YamlError(f"{kind} of more than {most:,} characters", node.start_mark.line + 1)


def _check_keys(node: yaml.MappingNode, *, by_hand: bool) -> None:
    """Refuse long numbers; if ``by_hand``, repeated keys and those that are no texts: ``[a]:``, ``yes:``."""
    lines: dict[str, int] = {}
    for label, _ in node.value:
        _check_number(label, MOST_KEY_DIGITS, "a key that is a number")
        if not by_hand:
            continue
        line = label.start_mark.line + 1
        if label.tag not in _NAMES:
            found = label.value if isinstance(label, yaml.ScalarNode) else "a list or mapping"
            raise _YamlError(f"found {found} as a key; expected a name", line)
        if label.value in lines:
            raise _YamlError(f"{label.value!r} is given twice, first on line {lines[label.value]}", line)
        lines[label.value] = line


def _children(node: yaml.Node) -> list[yaml.Node]:
    """The values below a list or mapping, and the keys that are lists or mappings themselves."""
    if isinstance(node, yaml.SequenceNode):
        return list(node.value)
    keys = [label for label, _ in node.value if not isinstance(label, yaml.ScalarNode)]
    return [*keys, *(value for _, value in node.value)]


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """The key (in a list the value) and the value one step down; None if the document has no such step."""
    if isinstance(node, yaml.MappingNode) and isinstance(step, str):
        return next(((label, value) for label, value in node.value if label.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    return None
