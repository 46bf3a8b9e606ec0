"""Ask models and keep their answers.

In: a plan's requests and the models to ask, named as in lm-eval. Out: a run directory with every request and
every answer in Parquet; a run that was killed resumes where it stopped.
"""

from typing import TYPE_CHECKING

from ..core.registry import lazy_package

if TYPE_CHECKING:
    from .answer import Answer as Answer
    from .loaded_model import check_models as check_models
    from .model_classes import add_model as add_model
    from .model_classes import model_names as model_names
    from .progress import Progress as Progress
    from .progress import RecordedProgress as RecordedProgress
    from .progress import RunSummary as RunSummary
    from .runner import Interrupted as Interrupted
    from .runner import RayCluster as RayCluster
    from .runner import execute as execute
    from .runner import stoppable as stoppable
    from .status import ModelStatus as ModelStatus
    from .status import RunStatus as RunStatus
    from .status import RunWatch as RunWatch
    from .status import remaining_requests as remaining_requests
    from .status import run_status as run_status
    from .store.joining import refuse_repeats as refuse_repeats
    from .store.lock import exclusive as exclusive
    from .store.manifest import design_bases as design_bases
    from .store.manifest import model_descriptions as model_descriptions
    from .store.run import Run as Run
    from .store.run import examples_frame as examples_frame
    from .store.run import refuse_foreign_run as refuse_foreign_run
    from .trust import key_lines as key_lines
    from .usage import with_prompt_tokens as with_prompt_tokens

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
