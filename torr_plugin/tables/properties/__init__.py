"""Properties of tables: those that HCT-QA names, RealHiTBench's complexity, and length."""

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .annotation import Agreement as Agreement
    from .annotation import agreement as agreement
    from .complexity import Complexity as Complexity
    from .detection import detect as detect
    from .measured import MEASURES as MEASURES
    from .measured import MeasuredProperties as MeasuredProperties
    from .measured import length as length
    from .names import ALL as ALL
    from .names import DETECTED as DETECTED
    from .names import NEEDS_PICTURE as NEEDS_PICTURE

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".annotation": ["Agreement", "agreement"],
        ".complexity": ["Complexity"],
        ".detection": ["detect"],
        ".measured": ["MEASURES", "MeasuredProperties", "length"],
        ".names": ["ALL", "DETECTED", "NEEDS_PICTURE"],
    },
)
