"""Results of HELM, lm-eval and unitxt, made into run directories.

In: a folder that a harness wrote. Out: a run like any other, which every command reads. Answers to prompts of
our own studies are rated again; of others the harness's own scores are kept, and ``study.yaml`` says so.
"""

from .importing import import_results
from .report import Imported
from .result import Batch, Claim, Piece, Result, Source

__all__ = ["Batch", "Claim", "Imported", "Piece", "Result", "Source", "import_results"]
