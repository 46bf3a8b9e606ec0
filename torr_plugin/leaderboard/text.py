"""Text that came from models and users, made safe to look at. Escaping itself is the template engine's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product, takewhile
from math import isclose
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

# They reorder the text after them, and so could make an answer or a name look like another.
_REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# They take no room, and so hide: in an answer that is wrong for no reason one could see, or instructions to
# models written in tags or variation selectors that stand for letters. The joiners of scripts and emoji stay.
_UNSEEN = frozenset(
    map(chr, (0xAD, 0x180E, 0x200B, *range(0x2060, 0x2065), 0xFEFF, *range(0xE0000, 0xE01F0)))
)
_PLAIN = re.compile(r"[\n\t\x20-\x7e]*")
_SPECIAL = re.compile(r"[^\n\t\x20-\x7e]")
_SAYS_ENOUGH = re.compile(r"[^\W\d_].")
_MOST_OF_A_SLUG = 48
# no file can be called like these on Windows, whatever its ending
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)


def page_templates(folder: Path) -> jinja2.Environment:
    """The templates of a folder, by which all values are escaped and :func:`visible` on every page."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def visible(value: Any) -> Any:
    """Text with control, reordering and unseen characters, halves and none at all, shown by code points.

    Line ends and tabs stay. Markup that is already safe, and what is not text, is given back as it is.
    """
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    if _PLAIN.fullmatch(value):
        return value
    return _SPECIAL.sub(lambda found: _visible(found[0]), value.replace("\r\n", "\n"))


def _visible(char: str) -> str:
    if char in "\n\t" or (char.isprintable() and char not in _UNSEEN):
        return char
    if char in _REORDERING or char in _UNSEEN or _no_character(char):
        return f"\N{LEFT CEILING}U+{ord(char):04X}\N{RIGHT FLOOR}"
    return char


def _no_character(char: str) -> bool:
    """Controls, halves, and what Unicode keeps free for good: a drawing that holds U+FFFE is no XML."""
    code = ord(char)
    return unicodedata.category(char) in ("Cc", "Cs") or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def breakable(value: str) -> Markup:
    """A long name that may be broken after ``_``, ``/``, ``+``, ``-``, and a dot before a letter; escaped."""
    parts = re.split(r"(?<=[_/+-])|(?<=\.)(?=[^\W\d_])", str(visible(value)))
    return Markup("<wbr>").join(escape(part) for part in parts if part)


def named(name: str, short: Mapping[str, str]) -> Markup:
    """A name for a page, shortened where ``short`` has it so, with the whole of it on pointing."""
    shown = short.get(name, name)
    whole = "" if shown == name else Markup(' title="{}"').format(visible(name))
    return Markup("<bdi{}>{}</bdi>").format(whole, breakable(shown))


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names without the parts that all of them begin or end with: ``bundled.lookup`` is ``lookup`` there.

    Parts end at ``.`` and ``/``, leading ones at ``_`` too. What is left begins with a letter and has two
    characters or more, or else keeps a part more; of a single name nothing is shared. Beside other data sets'
    names, ``bundled.`` goes too: it says where a card comes from, not what is asked.
    """
    found = list(dict.fromkeys(names))
    if len(found) < 2:
        return {name: name for name in found}
    plain = {name.removeprefix("bundled."): name for name in found}
    if [*plain] != found and len(plain) == len(found):
        return {plain[name]: short for name, short in short_names(plain).items()}
    start = _shared([re.findall(r"[^./_]*[./_]|[^./_]+$", name) for name in found])
    starts = [sum(map(len, start[:count])) for count in range(len(start), -1, -1)]
    end = _shared([re.findall(r"[./][^./]*|^[^./]+", name)[::-1] for name in found])
    ends = [sum(map(len, end[:count])) for count in range(len(end), -1, -1)]
    for first, last in product(starts, ends):
        short = {name: name[first : len(name) - last] for name in found}
        if all(_SAYS_ENOUGH.match(each) for each in short.values()):
            return short
    return {name: name for name in found}


def _shared(parts: Sequence[Sequence[str]]) -> list[str]:
    """What all lists begin with."""
    return [each[0] for each in takewhile(lambda each: len(set(each)) == 1, zip(*parts, strict=False))]


def sentence(value: str) -> str:
    """The text with a capital at its beginning."""
    return value[:1].upper() + value[1:]


MOST_NAMED = 3
"""How many names a sentence lists; of more it says how many they are."""


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def tied(figures: Sequence[float], listed: int) -> str:
    """Which of the listed are some of several alike, the others of which are not listed; "" where none are.

    Args:
        figures: in the list's order, the listed ones first.
        listed: how many are.
    """
    alike = [isclose(figure, figures[listed - 1], rel_tol=0.0, abs_tol=1e-9) for figure in figures]
    shown, total = sum(alike[:listed]), sum(alike)
    if shown == total:
        return ""
    if shown == listed:
        return f"{shown} of {total:,}"
    return f"the last {shown if shown > 1 else 'one'} of {total:,}"


def slugs(names: Iterable[str], **known: str) -> dict[str, str]:
    """Names, each with a slug of its own, after those that are known."""
    found = dict(known)
    for name in names:
        found.setdefault(name, slug(name, set(found.values())))
    return found


def slug(name: str, taken: Collection[str] = ()) -> str:
    """A name for a file or an anchor: small letters, digits and hyphens, none of ``taken``."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    base = re.sub(r"[^a-z0-9]+", "-", plain)[:_MOST_OF_A_SLUG].strip("-") or "study"
    found, number = base, 1
    while found in taken or found in _DEVICES:
        number += 1
        found = f"{base}-{number}"
    return found
