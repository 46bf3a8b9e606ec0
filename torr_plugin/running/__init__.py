"""Asks models and keeps their answers.

In: a plan's requests and the models to ask, named as in lm-eval. Out: a run directory with every request and
every answer in Parquet; a run that was killed goes on where it stopped.
"""

from .answer import Answer
from .examples import examples_frame
from .execute import Summary, execute
from .interrupted import Interrupted
from .lock import exclusive
from .progress import Progress
from .registry import add_model, model_names
from .store import Run
from .study import model_descriptions

__all__ = [
    "Answer",
    "Interrupted",
    "Progress",
    "Run",
    "Summary",
    "add_model",
    "examples_frame",
    "exclusive",
    "execute",
    "model_descriptions",
    "model_names",
]
