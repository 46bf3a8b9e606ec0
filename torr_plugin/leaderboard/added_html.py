"""HTML that a plugin's section gave, written anew of known elements and attributes, each element closed."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from .text import visible

if TYPE_CHECKING:
    from markupsafe import Markup


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ELEMENTS = _names("""
    a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption
    figure h3 h4 h5 h6 hr i img ins kbd li mark meter ol p pre progress q s samp small span strong sub summary
    sup table tbody td tfoot th thead time tr u ul var wbr
""")
_EMPTY = _names("br col hr img wbr")
_ATTRIBUTES = _names("""
    abbr alt cite class colspan datetime dir headers height high href lang low max min open optimum reversed
    role rowspan scope span src start tabindex title value width
""")
_ALSO = re.compile(r"(aria|data)-[a-z-]+")
_LINKS = frozenset({"http", "https", "mailto"})
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_IGNORED = re.compile(r"[\x00-\x20]")  # browsers leave these out of an address before they read its scheme


def added_html(text: str) -> Markup:
    """The same HTML, so that it can change nothing outside of its own place on the page.

    Comments go. The page's policy would let no script run; this also keeps a forgotten end tag, or a value
    that became an attribute, from doing harm.

    Raises:
        ValueError: an element, attribute or address that is not allowed, or one that is not closed.
    """
    from markupsafe import Markup

    writer = _Writer()
    writer.feed(text)
    writer.close()
    return Markup(writer.written())  # noqa: S704 - escaped below, piece by piece


class _Writer(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _ELEMENTS:
            raise ValueError(f"found <{tag[:40]}>, expected text, tables, lists and the like")
        written = "".join(_attribute(tag, name, value or "") for name, value in attrs)
        self._parts.append(f"<{tag}{written}>")
        if tag not in _EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _EMPTY:
            return
        if not self._open or self._open.pop() != tag:
            raise ValueError(f"</{tag[:40]}> does not close what was opened last")
        self._parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._parts.append(escape(visible(data)))

    def written(self) -> str:
        """All of it."""
        if self._open:
            raise ValueError(f"<{self._open[-1]}> is not closed")
        return "".join(self._parts)


def _attribute(tag: str, name: str, value: str) -> str:
    if name not in _ATTRIBUTES and not _ALSO.fullmatch(name):
        raise ValueError(f"found the attribute {name[:40]!r} of <{tag}>, which is not for sections")
    if name in ("href", "src", "cite") and not _goes_well(name, _IGNORED.sub("", value)):
        raise ValueError(f"found {value[:60]!r} as {name} of <{tag}>, expected {_WELL[name]}")
    return f' {name}="{escape(visible(value))}"'


_WELL = dict.fromkeys(("href", "cite"), "http, https or mailto") | {
    "src": "a file of the site, or data:image/"
}


def _goes_well(name: str, address: str) -> bool:
    scheme = _SCHEME.match(address)
    if name == "src":
        outside = scheme is not None or re.match(r"[/\\]{2}", address) is not None
        return not outside or address.lower().startswith("data:image/")
    return scheme is None or scheme[1].lower() in _LINKS
