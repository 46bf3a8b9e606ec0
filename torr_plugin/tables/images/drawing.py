"""A table drawn as PNG by typst."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from ...core.errors import InputError
from ..table import Table
from ._layout import described
from ._template import TEMPLATE

_INSTALL = "pip install 'torr-plugin[image]'"


def png(table: Table, *, borders: bool = True, ppi: int = 144) -> bytes:
    """The table as a person sees it: headers bold, merged cells merged, title above, notes below.

    The picture is as large as the table; long texts are wrapped. What is drawn is drawn with fonts that
    typst brings along, and the machine's own for characters that these lack.

    Args:
        table: at most 20,000 places, and 100 million pixels in all.
        borders: whether cells are ruled; else there are lines above and below the table and its header.
        ppi: pixels per inch, 36 to 600; a line of text is 0.17 inch high.

    Raises:
        InputError: typst is not installed, or the table is too large for a picture.
    """
    data = described(table, borders=borders, ppi=ppi)
    typst = _typst()
    picture = typst.compile(
        TEMPLATE,
        format="png",
        ppi=float(ppi),
        sys_inputs={"table": json.dumps(data)},
        font_paths=_fonts(),
    )
    return bytes(picture[0] if isinstance(picture, list) else picture)


def _typst() -> Any:
    try:
        import typst
    except ImportError:
        raise InputError(f"pictures of tables need typst, which is not installed: {_INSTALL}") from None
    return typst


@lru_cache(maxsize=1)
def _fonts() -> Any:
    """The fonts there are, looked for once; older versions of typst look for themselves."""
    fonts = getattr(_typst(), "Fonts", None)
    return fonts() if fonts else []
