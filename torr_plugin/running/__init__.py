"""Asks models and keeps their answers.

In: a plan's requests and the models to ask, named as in lm-eval. Out: a run directory with every request and
every answer in Parquet; a run that was killed goes on where it stopped.
"""

from .answer import Answer
from .examples import examples_frame
from .execute import execute
from .interrupted import Interrupted
from .progress import Progress
from .registry import add_model, model_names, remove_model
from .status.progress_file import RecordedProgress
from .status.run_status import ModelStatus, RunStatus, RunWatch, run_status
from .stopping import stoppable
from .store.lock import exclusive
from .store.reserving import reserved
from .store.run import Run
from .store.study import model_descriptions
from .summary import Summary

__all__ = [
    "Answer",
    "Interrupted",
    "ModelStatus",
    "Progress",
    "RecordedProgress",
    "Run",
    "RunStatus",
    "RunWatch",
    "Summary",
    "add_model",
    "examples_frame",
    "exclusive",
    "execute",
    "model_descriptions",
    "model_names",
    "remove_model",
    "reserved",
    "run_status",
    "stoppable",
]
