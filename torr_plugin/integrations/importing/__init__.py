"""Import results of HELM, lm-eval and unitxt as run directories.

In: a folder that a harness wrote. Out: a run like any other, which every command reads. Answers to prompts of
our own studies are rated again; of others the harness's own scores are kept, and ``study.yaml`` says so.
"""

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .importer import Imported as Imported
    from .importer import import_results as import_results
    from .results import HarnessOutput as HarnessOutput
    from .results import HarnessScore as HarnessScore
    from .results import Result as Result
    from .results import ResultBatch as ResultBatch
    from .results import ResultFile as ResultFile

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".importer": ["Imported", "import_results"],
        ".results": ["HarnessOutput", "HarnessScore", "Result", "ResultBatch", "ResultFile"],
    },
)
