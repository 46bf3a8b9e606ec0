"""Detect HCT-QA's table properties: from a table to names and booleans."""

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .annotation import Agreement as Agreement
    from .annotation import agreement as agreement
    from .detection import detect as detect
    from .names import ALL as ALL
    from .names import DETECTED as DETECTED
    from .names import NEEDS_PICTURE as NEEDS_PICTURE

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".annotation": ["Agreement", "agreement"],
        ".detection": ["detect"],
        ".names": ["ALL", "DETECTED", "NEEDS_PICTURE"],
    },
)
