"""Tables as values: read, write and perturb them.

In: cells, unitxt's ``{"header", "rows"}``, or text in a format. Out: text in a format, or another table.
Imports nothing of the project but ``core``.
"""

from ..core.errors import InputError, ParseError, SerializationError, TableError, UnknownNameError
from ..core.registry import Registry
from . import perturbations, readers, serializers
from .perturbations import Perturbation
from .serializers import PictureSerializer, Serializer
from .table import Cell, Scalar, Table

__all__ = [
    "Cell",
    "InputError",
    "ParseError",
    "Perturbation",
    "PictureSerializer",
    "Registry",
    "Scalar",
    "SerializationError",
    "Serializer",
    "Table",
    "TableError",
    "UnknownNameError",
    "perturbations",
    "readers",
    "serializers",
]
