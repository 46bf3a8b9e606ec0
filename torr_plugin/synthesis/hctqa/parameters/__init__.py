"""The three parameter files: read, checked against each other, and said in one line where they are wrong."""

from .json_file import ParameterError
from .loading import SHIPPED, Parameters, load_parameters

__all__ = ["SHIPPED", "ParameterError", "Parameters", "load_parameters"]
