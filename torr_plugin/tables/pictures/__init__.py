"""Tables as PNG pictures, drawn by typst (extra ``image``), as one picture or several.

``content`` makes plain data of a table, ``typesetting`` has typst measure and draw it, ``layout`` gives
columns and rows their sizes, ``tiles`` cuts a table too large for one picture into parts, and ``drawing``
puts these together. ``limits`` says how large pictures may be and how small their text.
"""

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .drawing import Image as Image
    from .drawing import png as png
    from .limits import PictureLimits as PictureLimits

__getattr__, __dir__, __all__ = lazy_package(
    __name__, {".drawing": ["Image", "png"], ".limits": ["PictureLimits"]}
)
