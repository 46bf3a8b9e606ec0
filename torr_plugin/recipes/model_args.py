"""Arguments of a model as lm-eval writes them on one line, read without its surprises."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..core.errors import RecipeError
from ..core.redaction import masked

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WORDS: dict[str, Any] = {"true": True, "false": False, "none": None}
_OPEN, _CLOSE = "([{", ")]}"


def parse_model_args(text: str) -> dict[str, Any]:
    """``"pretrained=x,dtype=auto"`` as ``{"pretrained": "x", "dtype": "auto"}``; also a JSON object.

    Values are typed as in lm-eval: ``true``, ``false``, ``none``, whole and decimal numbers; a quoted value
    stays text. Unlike there, a comma inside brackets or quotes does not end a value: ``stop=["a", "b"],x=1``
    and ``b=[1,2]`` hold lists, and values in ``[]`` or ``{}`` are JSON. Only the first ``=`` of a part
    divides it.

    Raises:
        RecipeError: a part without a name or ``=``, a name said twice, brackets or quotes left open, wrong
            JSON.
    """
    if text.lstrip().startswith("{"):
        return dict(_json(text.strip(), "model args"))
    found: dict[str, Any] = {}
    for part in filter(None, map(str.strip, _parts(text))):
        name, divider, value = part.partition("=")
        name = name.strip()
        if not divider or not name:
            raise RecipeError(f"model args: found {masked(part)!r}; expected name=value, joined by commas")
        if name in found:
            raise RecipeError(f"model args: {name!r} is given twice")
        found[name] = _typed(value.strip(), name)
    return found


def _parts(text: str) -> Iterator[str]:
    """The text between those commas that stand outside quotes and brackets."""
    start, depth, quote = 0, 0, ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and (depth or text[at - 1 : at] in ("=", "")):
            quote = char  # an apostrophe inside a bare word is a letter
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
        elif char == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    if quote or depth:
        raise RecipeError(f"model args: a quote or bracket is left open in {masked(text)!r}")
    yield text[start:]


def _typed(value: str, name: str) -> Any:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    if value[:1] in ("[", "{"):
        return _json(value, f"model args: {name}")
    if value.lower() in _WORDS:
        return _WORDS[value.lower()]
    if _NUMBER.fullmatch(value):
        return int(value) if re.fullmatch(r"[+-]?\d+", value) else float(value)
    return value


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecipeError(f"{where}: found {masked(text)!r}; expected JSON ({error})") from error
