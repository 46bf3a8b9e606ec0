"""The design ``torr``: the layout of ``default``, byte for byte as unitxt writes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..catalog.unitxt_twin import twin_template
from .design import Design, Shown, designs, user_message
from .layout import pieces
from .message import Prompt

if TYPE_CHECKING:
    from ..catalog import Card, Template

_BREAK = "\\N"
_CUT = "\n(\\N)"


class TorrDesign(Design):
    r"""As ``default``, with the words and bytes of unitxt 1.26, which the published figures of ToRR rest on.

    A card that names unitxt's card of the same data is asked in that card's words, read from the installed
    catalog; what a demonstration shows as its answer stays the example's.

    unitxt reduces runs of line breaks by the expression ``[\n(\\N)]*(\\N)+``; so every closing ``)``, ``(``,
    ``N``, backslash or line break before such a break is lost: ``... in (2004)`` becomes ``... in (2004``.
    """

    name = "torr"

    def template(self, card: Card) -> Template:
        """The words of unitxt's own card of the data, where it has one; else the card's."""
        return card.template if card.unitxt is None else twin_template(card)

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """One user message."""
        parts = list(pieces(asked, demonstrations))
        if any("\\" in part and _BREAK in part for part in parts):  # one character is found much sooner
            return (user_message(_reduced(_BREAK + _BREAK.join(parts)), asked, demonstrations),)
        return (user_message(_joined(parts), asked, demonstrations),)


def _joined(parts: Sequence[str]) -> str:
    """What the reduction comes to for parts without the notation, in one pass."""
    text, begun = "", False
    for part in parts:
        text = (text.rstrip(_CUT) + "\n" if begun else "") + part
        begun = begun or bool(part.strip("\n"))
    return text


def _reduced(text: str) -> str:
    """Unitxt's rule for its break notation, for the rare text that holds the notation itself."""
    text = re.sub(r"^(?:\n|\\N)*\\N", "", text)
    return re.sub(r"[\n(\\N)]*(\\N)+", "\n", text)


designs.add(TorrDesign())
