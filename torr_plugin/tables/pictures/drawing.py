"""Draw a table: as one picture, or as those that a model with vision can read."""

from __future__ import annotations

from ...core.errors import InputError
from ..serializers.base import Picture, PictureSerializer
from ..table import Table
from .content import all_texts
from .layout import Page, page_data, page_of
from .limits import PictureLimits
from .tiles import parts_of
from .typesetting import check_letters, drawn

_MOST_PIXELS = 100_000_000


def png(table: Table, *, borders: bool = True, ppi: int = 144) -> bytes:
    """The table as a person sees it: fills, bold text, indentation, merged cells, title above, notes below.

    Headers are bold, and shaded where they have no fill of their own; text on a dark fill is white. The
    picture is as large as the table; long texts are wrapped. Fonts are typst's own, and the machine's for
    characters that these lack.

    Args:
        table: at most 20,000 places, and 100 million pixels in all.
        borders: whether cells are ruled; else there are lines above and below the table and its header.
        ppi: pixels per inch, 36 to 600; a line of text is 0.17 inch high.

    Raises:
        InputError: typst is not installed, the table is too large for a picture, or no font has its letters.
    """
    if not 36 <= ppi <= 600:
        raise InputError(f"ppi is {ppi}; expected 36 to 600 pixels per inch")
    page = page_of(table, borders=borders)
    pixels = page.width * page.height * (ppi / 72) ** 2
    if pixels > _MOST_PIXELS:
        raise InputError(
            f"a picture of the table would have about {pixels / 1e6:.0f} million pixels; "
            f"expected at most {_MOST_PIXELS // 1_000_000}: lower ppi ({ppi}) or use a text format"
        )
    return _drawn(page, ppi)


def _drawn(page: Page, ppi: float) -> bytes:
    check_letters(all_texts(page.content))
    return drawn(page_data(page), ppi)


class Image(PictureSerializer):
    """``image``: the table as a person sees it, ruled, as PNG; needs the extra ``image`` (typst).

    A table that is too large for one picture is cut into parts, see :func:`parts_of`.

    Args:
        limits: how large pictures may be, how small their text, and how many there may be of one table.
        name: the format's name; a plugin can add a format with other limits under a name of its own, which
            begins with ``image``.
    """

    def __init__(self, limits: PictureLimits | None = None, name: str = "image") -> None:
        self.limits = limits or PictureLimits()
        self.name = name

    def draw(self, table: Table) -> bytes:
        """The whole table in one picture.

        Raises:
            InputError: see :func:`png`; or the text would be smaller than the limits allow.
        """
        page = page_of(table)
        if not self.limits.holds(page.width, page.height):
            raise InputError(f"the table does not fit into one of the {self.limits.words}; use a text format")
        return _drawn(page, self.limits.ppi(page.width, page.height))

    def pictures(self, table: Table) -> tuple[Picture, ...]:
        """The table in one picture where it fits, else in several, in reading order.

        Raises:
            InputError: see :func:`png`; or the table takes more pictures than the limits allow.
        """
        page = page_of(table)
        if self.limits.holds(page.width, page.height):
            return (Picture(_drawn(page, self.limits.ppi(page.width, page.height))),)
        parts = parts_of(table, page, self.limits)
        ppi = self.limits.least_ppi
        return tuple([Picture(_drawn(part.page, ppi), part.words) for part in parts])
