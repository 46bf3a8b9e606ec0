"""What an element's tag, attributes and inline style say about its looks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(pt|px|in|em|rem|ex|cm|mm|pc|%)?")
_POINTS = {"pt": 1.0, "px": 0.75, "in": 72.0, "em": 10.0, "rem": 10.0, "ex": 5.0, "cm": 28.3, "mm": 2.83}
_POINTS |= {"pc": 12.0, "%": 5.0, None: 0.75}  # type: ignore[dict-item]
_LONGEST = 4000
_LEFT = {"padding-left", "margin-left", "text-indent"}
_BOLD = re.compile(r"\bbold(er)?\b|\b[6-9]00\b")


@dataclass(frozen=True, slots=True)
class InlineStyle:
    """The looks that a style sets; None where it says nothing.

    ``offset`` is how far the content begins to the right of its container, in points: padding, margin and
    indentation of the first line.
    """

    hidden: bool = False
    bold: bool | None = None
    emphasis: bool | None = None
    centred: bool | None = None
    offset: float = 0.0
    breaks_before: bool = False
    breaks_after: bool = False


PLAIN = InlineStyle()
_HIDDEN = InlineStyle(hidden=True)


def style_of(element: Any) -> InlineStyle:
    """The style of an lxml element; its content's ``b``, ``i``, ``center`` are the reader's to know."""
    get = element.get
    text, align = get("style"), get("align")
    if get("hidden") is not None:
        return _HIDDEN
    if text is None and align is None:
        return PLAIN
    return inline_style((text or "")[:_LONGEST], (align or "").strip().lower()[:10])


@lru_cache(maxsize=4096)  # a filing repeats a few hundred styles
def inline_style(text: str, align: str = "") -> InlineStyle:
    """The style that a ``style`` attribute sets, beside an ``align`` attribute."""
    pairs = [part.partition(":") for part in text.lower().split(";")]
    rules = {key.strip(): value.strip() for key, _, value in pairs}
    weight = rules.get("font-weight") or rules.get("font", "")
    look = rules.get("font-style", "") + rules.get("font", "")
    line = rules.get("text-decoration", "") + rules.get("text-decoration-line", "")
    where = rules.get("text-align", align)
    return InlineStyle(
        hidden=rules.get("display") == "none" or rules.get("visibility") == "hidden",
        bold=bool(_BOLD.search(weight)) if "font-weight" in rules or _BOLD.search(weight) else None,
        emphasis=True if "italic" in look or "underline" in line else None,
        centred=where == "center" if where else None,
        offset=_offset(rules),
        breaks_before=_breaks(rules, "before"),
        breaks_after=_breaks(rules, "after"),
    )


def _breaks(rules: dict[str, str], side: str) -> bool:
    found = rules.get(f"page-break-{side}", rules.get(f"break-{side}", ""))
    return found in ("always", "page", "left", "right")


def _offset(rules: dict[str, str]) -> float:
    offset = 0.0
    for box in ("padding", "margin"):
        if f"{box}-left" not in rules and (sides := rules.get(box, "").split()):
            offset += _points(sides[3 if len(sides) > 3 else 1 if len(sides) > 1 else 0])
    return offset + sum(_points(rules[key]) for key in _LEFT & rules.keys())


def _points(length: str) -> float:
    match = _LENGTH.match(length)
    return float(match[1]) * _POINTS[match[2]] if match else 0.0
