"""Import results of HELM, lm-eval and unitxt as run directories.

In: a folder that a harness wrote. Out: a run like any other, which every command reads. Answers to prompts of
our own studies are rated again; of others the harness's own scores are kept, and ``study.yaml`` says so.
"""

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .helm import helm_source as helm_source
    from .importer import Imported as Imported
    from .importer import import_results as import_results
    from .lm_eval import lm_eval_source as lm_eval_source
    from .results import HarnessOutput as HarnessOutput
    from .results import HarnessScore as HarnessScore
    from .results import Result as Result
    from .results import ResultBatch as ResultBatch
    from .results import ResultFile as ResultFile
    from .unitxt import unitxt_source as unitxt_source

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".helm": ["helm_source"],
        ".importer": ["Imported", "import_results"],
        ".lm_eval": ["lm_eval_source"],
        ".results": ["HarnessOutput", "HarnessScore", "Result", "ResultBatch", "ResultFile"],
        ".unitxt": ["unitxt_source"],
    },
)
