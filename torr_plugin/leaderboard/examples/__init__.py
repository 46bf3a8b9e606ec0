"""The examples of a study for its page: found, measured, and packed into files that are loaded one by one."""

from .packing import BUDGET, ExampleFiles, example_files

__all__ = ["BUDGET", "ExampleFiles", "example_files"]
