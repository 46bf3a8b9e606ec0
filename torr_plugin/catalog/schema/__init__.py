"""The schema of a card file: every key with its type; unknown keys are refused.

The file is read here and by unitxt alike; :mod:`..unitxt_artifacts` has the unitxt classes of the same names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .file import CardFile as CardFile
    from .file import CardTemplate as CardTemplate
    from .file import Skills as Skills
    from .file import Subset as Subset
    from .file import UnitxtCardRef as UnitxtCardRef
    from .loaders import Column as Column
    from .loaders import GeneratedLoader as GeneratedLoader
    from .loaders import Hub as Hub
    from .loaders import HubFile as HubFile
    from .loaders import Mix as Mix
    from .loaders import Scalar as Scalar
    from .loaders import Split as Split
    from .loaders import TableLoader as TableLoader
    from .loaders import Text as Text
    from .reading import ConstantOf as ConstantOf
    from .reading import ExampleId as ExampleId
    from .reading import FactOf as FactOf
    from .reading import RowReading as RowReading
    from .reading import StructureOf as StructureOf
    from .reading import TableOf as TableOf
    from .reading import TextOf as TextOf

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".file": ["CardFile", "CardTemplate", "Skills", "Subset", "UnitxtCardRef"],
        ".loaders": [
            "Column",
            "GeneratedLoader",
            "Hub",
            "HubFile",
            "Mix",
            "Scalar",
            "Split",
            "TableLoader",
            "Text",
        ],
        ".reading": ["ConstantOf", "ExampleId", "FactOf", "RowReading", "StructureOf", "TableOf", "TextOf"],
    },
)
