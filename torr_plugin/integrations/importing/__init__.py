"""From the log of another harness to a run directory that every command reads.

Answers to prompts of our own studies are rated again; of others the harness's own scores are kept, and
``study.yaml`` says so.
"""

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .importer import Imported as Imported
    from .importer import import_results as import_results

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
