"""What a card file says: every key a card may have, with its type. Unknown keys are refused.

The file is read here and by unitxt alike; :mod:`..unitxt_artifacts` has the unitxt classes of the same names.
"""

from .asking import TemplateOf, UnitxtTwin
from .file import CardFile, Skills, Subset
from .loaders import Hub, HubFile, LoadGenerated, LoadTables, Mix, Split
from .reading import ConstantOf, ExampleId, FactOf, ReadExample, StructureOf, TableOf, TextOf
from .values import Column, Scalar, Text

__all__ = [
    "CardFile",
    "Column",
    "ConstantOf",
    "ExampleId",
    "FactOf",
    "Hub",
    "HubFile",
    "LoadGenerated",
    "LoadTables",
    "Mix",
    "ReadExample",
    "Scalar",
    "Skills",
    "Split",
    "StructureOf",
    "Subset",
    "TableOf",
    "TemplateOf",
    "Text",
    "TextOf",
    "UnitxtTwin",
]
