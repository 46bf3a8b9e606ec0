"""YAML that somebody else may have written, read within bounds.

A few lines can stand for more values than memory holds (aliases of aliases, merged mappings), for some that
never end, or for numbers that take hours. All of it is counted before the first value is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
MOST_DEPTH = 50
MOST_VALUES = 1_000_000
MOST_DIGITS = 1000
"""Characters of a number: what it takes to read one grows with their square (``1:1:1:...`` are sixtieths)."""
MOST_KEY_DIGITS = 18
"""Of a number that is a key: longer ones can all have one hash, so that a mapping takes hours to fill."""

_NUMBERS = frozenset({"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"})


class _BoundError(ValueError):
    """Says for itself what is wrong; it is YAML."""


def read_yaml(text: str) -> Any:
    """The one document of a text: plain values, lists and mappings alone.

    Raises:
        ValueError: it is not YAML, nested too deeply, or stands for too many values.
    """
    import yaml

    # libyaml where it is there: several times as quick; but it refuses halves of characters
    loader = yaml.SafeLoader if _HALF.search(text) else getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _bound(text, loader)
        return yaml.load(text, Loader=loader)  # noqa: S506 - both are safe loaders
    except _BoundError:
        raise
    except (
        *(yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError),
        *(LookupError, ArithmeticError),
    ) as error:
        # what is no number, date or truth value where one is announced raises any of these
        raise ValueError(f"is not YAML: {' '.join(str(error).split())[:200]}") from error


@dataclass(slots=True)
class _Node:
    """A list or mapping, and what it holds so far with every alias written out."""

    anchor: str | None
    mapping: bool
    values: int = 1
    height: int = 1
    at_key: bool = True


@dataclass(slots=True)
class _Written:
    """What an anchor stands for, written out; open until its list or mapping has ended."""

    values: int
    height: int
    is_open: bool = False


def _bound(text: str, loader: Any) -> None:
    """Count as if every alias were written out; what is merged, or pairs, never becomes more than that.

    Before values are built, as building recurses, in C without an end, and copies what is merged.
    """
    import yaml

    count = _Count(_number_test())
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.ScalarEvent):
            count.scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            count.begin(event.anchor, mapping=isinstance(event, yaml.MappingStartEvent))
        elif isinstance(event, yaml.CollectionEndEvent):
            count.end()
        elif isinstance(event, yaml.AliasEvent):
            count.alias(event.anchor)


class _Count:
    """What a text stands for, as far as it was read."""

    def __init__(self, is_number: Callable[[str], bool]) -> None:
        self._is_number = is_number
        self._anchors: dict[str, _Written] = {}
        self._above: list[_Node] = []
        self._node = _Node(None, mapping=False, values=0, height=0)

    def scalar(self, event: Any) -> None:
        at_key = self._at_key
        if len(event.value) > MOST_KEY_DIGITS:
            _bound_number(event, at_key, self._is_number)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Written(1, 0)
        self._add(0 if at_key else 1, 0)

    def begin(self, anchor: str | None, *, mapping: bool) -> None:
        if len(self._above) >= MOST_DEPTH:
            raise ValueError(f"lists and mappings nested more than {MOST_DEPTH} deep")
        if anchor is not None:
            self._anchors[anchor] = _Written(1, 1, is_open=True)
        self._above.append(self._node)
        self._node = _Node(anchor, mapping)

    def end(self) -> None:
        ended, self._node = self._node, self._above.pop()
        if ended.anchor is not None:
            self._anchors[ended.anchor] = _Written(ended.values, ended.height)
        self._add(ended.values, ended.height)

    def alias(self, anchor: str | None) -> None:
        if self._at_key:
            raise _BoundError("an alias as a key")
        # one that nothing stands for is for the loader to tell
        written = self._anchors.get(anchor or "", _Written(1, 0))
        if written.is_open:
            raise _BoundError("an alias that holds itself")
        self._add(written.values, written.height)

    @property
    def _at_key(self) -> bool:
        return self._node.mapping and self._node.at_key

    def _add(self, values: int, height: int) -> None:
        """Add one entry, a key or a value, to the list or mapping that is open."""
        node = self._node
        node.at_key = not node.at_key
        node.values += values
        node.height = max(node.height, height + 1)
        if node.values > MOST_VALUES:
            raise _BoundError(f"holds more than {MOST_VALUES:,} values once its aliases are written out")
        if len(self._above) + height > MOST_DEPTH:
            raise ValueError(f"lists and mappings nested more than {MOST_DEPTH} deep")


def _number_test() -> Callable[[str], bool]:
    """Whether YAML takes words without quotes for a number."""
    from yaml import ScalarNode
    from yaml.resolver import Resolver

    resolve: Callable[..., str] = Resolver().resolve
    return lambda words: resolve(ScalarNode, words, (True, False)) in _NUMBERS


def _bound_number(event: Any, at_key: bool, is_number: Callable[[str], bool]) -> None:
    """For words of more than :data:`MOST_KEY_DIGITS` characters; quotes make a text of any."""
    most = MOST_KEY_DIGITS if at_key else MOST_DIGITS
    if len(event.value) <= most:
        return
    if event.tag in _NUMBERS or (event.tag is None and event.implicit[0] and is_number(event.value)):
        kind = "a key that is a number" if at_key else "a number"
        raise _BoundError(f"{kind} of more than {most:,} characters")
