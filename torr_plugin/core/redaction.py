"""Remove keys and passwords from model arguments before they are stored, shown or logged.

Home folders, which contain people's names, are removed from everything that is published.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

NOT_RECORDED = "(not recorded)"
_HIDDEN = "..."

# api_key, my_password, hf_token, but not eos_token
_NAME = (
    r"(?:(?:\w*[_-])?(?:(?:api|access|private|secret|subscription)[_-]?key"
    r"|(?:auth|access|hf|bearer|session|refresh|id|ad)[_-]?token"
    r"|password|passwd|secret|headers?|credentials?|authorization)|token)"
)
_SECRET = re.compile(_NAME, re.IGNORECASE)
_NAMED = re.compile(rf"(?:^|(?<=[,{{\"' =])){_NAME}[\"']?\s*[=:]", re.IGNORECASE)
_MARK = re.compile(r"\\.|['\"(\[{)\]},]", re.DOTALL)
# up to the last @ before the host: a password may contain an @ that was not written as %40
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
# a path from the root, or an address of a file; not the path of another address
_HOME = re.compile(
    r"(?:(?<=file://)|(?<![\w.~/\\-]))"
    r"(?:(?:/[\w.-]+){0,2}/(?:home|homes|users)/[^/\s\"',;:)\]}]+|/(?:var/)?root"
    r"|(?:\\\\\?\\)?[a-z]:(?P<bar>[\\/]+)users(?P=bar)(?:[^\\/\"':\n]+(?=[\\/])|[^\\/\s\"',;:)\]}]+))"
    r"(?![\w.-])",
    re.IGNORECASE,
)
_PARAMETER = re.compile(rf"([?&](?:{_NAME}|key|sig|signature|code)=)[^&#,\s\"']+", re.IGNORECASE)


def without_secrets(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A model's arguments without secrets, including those nested in them or inside URLs."""
    return {
        str(name): NOT_RECORDED if _SECRET.fullmatch(str(name)) else _clean(value)
        for name, value in arguments.items()
    }


def _clean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, (list, tuple)):
        return [_clean(each) for each in value]
    return _without_keys(value) if isinstance(value, str) else value


def masked(text: str) -> str:
    """Arguments as typed (``a=b,c=d``, or JSON), with ``...`` in place of secrets."""
    found, at = list[str](), 0
    for match in _NAMED.finditer(text):
        if match.start() >= at:
            found += [text[at : match.end()], _HIDDEN]
            at = _end_of_value(text, match.end())
    return _without_keys("".join([*found, text[at:]]))


def _end_of_value(text: str, start: int) -> int:
    """The end of the value that begins at ``start``: a comma or bracket outside its quotes and brackets."""
    depth, quote = 0, ""
    for mark in _MARK.finditer(text, start):
        sign = mark[0]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in ("'", '"'):
            quote = sign
        elif sign in ("(", "[", "{"):
            depth += 1
        elif sign in (")", "]", "}", ",") and not depth:
            return mark.start()
        elif sign in (")", "]", "}"):
            depth -= 1
    return len(text)


def _without_keys(text: str) -> str:
    """A text whose URLs have no user names, passwords or key parameters."""
    return _PARAMETER.sub(rf"\1{_HIDDEN}", _USER.sub(f"{_HIDDEN}@", text))


def without_homes(text: str) -> str:
    r"""A text with ``~`` in place of each home folder: ``/home/NAME``, ``/Users/NAME``, ``C:\Users\NAME``."""
    return _HOME.sub("~", text)


def without_homes_inside(value: Any) -> Any:
    """Plain data with ``~`` in place of home folders in all texts; keys of mappings stay."""
    if isinstance(value, Mapping):
        return {name: without_homes_inside(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_homes_inside(each) for each in value]
    return without_homes(value) if isinstance(value, str) else value
