"""Texts as JSON, as ``json.dumps`` writes them, several times as fast: most of them need no escape."""

from __future__ import annotations

from collections.abc import Sequence
from json.encoder import encode_basestring, encode_basestring_ascii


def json_lists(lines: Sequence[Sequence[str]], *, ascii_only: bool) -> list[str]:
    """``["a", "b"]`` of every line."""
    if _needs_no_escape(lines, ascii_only):
        return [f'["{between}"]' for between in map('", "'.join, lines)]
    write = encode_basestring_ascii if ascii_only else encode_basestring
    return [f"[{', '.join(map(write, line))}]" for line in lines]


def json_records(names: Sequence[str], lines: Sequence[tuple[str, ...]], *, ascii_only: bool) -> list[str]:
    """``{"name": "a", "age": "b"}`` of every line; the names differ from each other."""
    write = encode_basestring_ascii if ascii_only else encode_basestring
    plain = _needs_no_escape(lines, ascii_only)
    value = '"%s"' if plain else "%s"
    form = ", ".join([f"{write(name).replace('%', '%%')}: {value}" for name in names])
    form = f"{{{form}}}"
    if plain:
        return [form % line for line in lines]
    return [form % tuple(map(write, line)) for line in lines]


def _needs_no_escape(lines: Sequence[Sequence[str]], ascii_only: bool) -> bool:
    """Whether every text stands in JSON as it is: no control character, quotation mark or backslash."""
    text = "".join(map("".join, lines))
    return text.isprintable() and '"' not in text and "\\" not in text and (text.isascii() or not ascii_only)
