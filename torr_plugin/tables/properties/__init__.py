"""Properties of tables: those that HCT-QA names, RealHiTBench's complexity, and length."""

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .complexity import Complexity as Complexity
    from .measured import MEASURES as MEASURES
    from .measured import MeasuredProperties as MeasuredProperties
    from .measured import length as length
    from .names import ALL as ALL
    from .names import DETECTED as DETECTED
    from .nesting import detect as detect

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".complexity": ["Complexity"],
        ".measured": ["MEASURES", "MeasuredProperties", "length"],
        ".names": ["ALL", "DETECTED"],
        ".nesting": ["detect"],
    },
)
