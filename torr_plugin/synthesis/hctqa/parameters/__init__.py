"""Read the three parameter files and check them against each other; errors are one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....core.lazy import lazy_package

if TYPE_CHECKING:
    from .json_file import ParameterError as ParameterError
    from .loading import SHIPPED as SHIPPED
    from .loading import Parameters as Parameters
    from .loading import load_parameters as load_parameters

__getattr__, __dir__, __all__ = lazy_package(
    __name__, {".json_file": ["ParameterError"], ".loading": ["Parameters", "SHIPPED", "load_parameters"]}
)
