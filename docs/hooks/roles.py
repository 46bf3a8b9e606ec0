"""Roles in docstrings (``:func:`name` ``) as Markdown: the name as code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

_AIMED = re.compile(r":\w+:`([^`<]+?)\s*<([\w.]+)>`")
_PLAIN = re.compile(r":(?:py:)?\w+:`~?([^`]+)`")
_LITERAL = re.compile(r"::(\n\s*\n)")


class Roles(Extension):
    """Rewrites every docstring as it is read."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Called for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """A docstring without roles."""
    return _LITERAL.sub(r":\1", _PLAIN.sub(r"`\1`", _AIMED.sub(r"`\1`", text)))
