"""Charts of an analysis: Vega-Lite specifications as plain dicts, and SVG and PNG drawn from them.

Names of models and data sets come from outside: in a chart they are values under fields of our own names, on one
line and of bounded length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .figures import FIGURES as FIGURES
    from .figures import Figure as Figure
    from .figures import specifications as specifications
    from .files import Drawn as Drawn
    from .files import DrawnChart as DrawnChart
    from .files import draw as draw
    from .rendering import to_png as to_png
    from .rendering import to_svg as to_svg

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        "FIGURES": ".figures",
        "Figure": ".figures",
        "specifications": ".figures",
        "Drawn": ".files",
        "DrawnChart": ".files",
        "draw": ".files",
        "to_png": ".rendering",
        "to_svg": ".rendering",
    },
)
