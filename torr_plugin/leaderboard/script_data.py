"""Data for the pages' scripts. A page on a disk may not fetch a file, but it may load it as a script.

Whatever stands in the data, the file is one call of ``torr.put`` or ``torr.packed`` with texts as arguments.
"""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any

from .files import DataFile
from .text import visible

if TYPE_CHECKING:
    from markupsafe import Markup

_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "<>&'\u2028\u2029"}


def script(path: str, value: Any) -> DataFile:
    """A value as a file that a page gets with ``await torr.load(path)``.

    Args:
        path: from the site's root.
        value: plain values, ready for JSON; NaN is not.

    Raises:
        ValueError: a number that JSON has not.
    """
    # parsed, not a literal: there a key "__proto__" would set the prototype and be lost
    text = _literal(value).replace("\\", "\\\\")
    return DataFile(path, f"torr.put({_literal(path)},JSON.parse('{text}'));\n")


def packed_script(path: str, value: Any) -> DataFile:
    """As :func:`script`, compressed: for text that repeats itself."""
    raw = gzip.compress(_json(value).encode("utf-8"), compresslevel=6, mtime=0)
    return DataFile(path, f'torr.packed({_literal(path)},"{base64.b64encode(raw).decode("ascii")}");\n')


def embedded(value: Any) -> Markup:
    """A value as JSON for a ``<script type="application/json">`` in a page."""
    from markupsafe import Markup

    return Markup(_literal(value))  # noqa: S704 - no character of it ends the element or begins another


def _literal(value: Any) -> str:
    """JSON that is also a literal of JavaScript, and holds nothing that HTML would read as its own."""
    return _json(value).translate(_ESCAPED)


def _json(value: Any) -> str:
    return json.dumps(_shown(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _shown(value: Any) -> Any:
    """Texts as :func:`visible` shows them, wherever they stand."""
    if isinstance(value, str):
        return str(visible(value))
    if isinstance(value, dict):
        return {str(visible(str(key))): _shown(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(inner) for inner in value]
    return value
