"""Work of commands across stages. Functions return values, and report progress only through callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from . import installation as installation
    from . import judging as judging
    from . import listing as listing
    from . import own_data as own_data
    from . import scores as scores
    from . import study as study

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
