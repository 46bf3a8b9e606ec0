"""Results of HELM, lm-eval and unitxt, made into run directories.

In: a folder that a harness wrote. Out: a run like any other, which every command reads. Answers to prompts of
our own studies are rated again; of others the harness's own scores are kept, and ``study.yaml`` says so.
"""

from .import_results import Imported, import_results
from .results import HarnessOutput, HarnessScore, Result, ResultBatch, ResultFile

__all__ = [
    "HarnessOutput",
    "HarnessScore",
    "Imported",
    "Result",
    "ResultBatch",
    "ResultFile",
    "import_results",
]
