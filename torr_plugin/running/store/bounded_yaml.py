"""YAML that somebody else may have written, read within bounds.

A few lines can stand for more values than memory holds (aliases of aliases), or for some that never end.
"""

from __future__ import annotations

import re
from typing import Any

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
MOST_DEPTH = 50
MOST_VALUES = 1_000_000


def read_yaml(text: str) -> Any:
    """The one document of a text: plain values, lists and mappings alone.

    Raises:
        ValueError: it is not YAML, nested too deeply, or stands for too many values.
    """
    import yaml

    # libyaml where it is there: several times as quick; but it refuses halves of characters
    loader = yaml.SafeLoader if _HALF.search(text) else getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _bound_depth(text, loader)
        found = yaml.load(text, Loader=loader)  # noqa: S506 - both are safe loaders
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError) as error:
        # what is no number or date where one is announced raises any of these
        raise ValueError(f"is not YAML: {' '.join(str(error).split())[:200]}") from error
    _bound_values(found)
    return found


def _bound_depth(text: str, loader: Any) -> None:
    """Before values are built, as building recurses, in C without an end."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise ValueError(f"lists and mappings nested more than {MOST_DEPTH} deep")


def _bound_values(found: Any) -> None:
    """Count values as if every alias were written out."""
    sizes: dict[int, int | None] = {}

    def size(value: Any) -> int:
        if not isinstance(value, (dict, list)):
            return 1
        known = sizes.get(id(value), 0)
        if known is None:
            raise ValueError("an alias that holds itself")
        if known:
            return known
        sizes[id(value)] = None
        total = 1 + sum(map(size, value.values() if isinstance(value, dict) else value))
        if total > MOST_VALUES:
            raise ValueError(f"holds more than {MOST_VALUES:,} values once its aliases are written out")
        sizes[id(value)] = total
        return total

    size(found)
