"""Where models run: in this process, or on Ray.

In: a model and its pending requests. Out: batches of answers, in whatever order they are ready; the caller
stores them.
"""

from .base import Executor, JobOutcome, ModelJob, RayCluster, open_executor

__all__ = ["Executor", "JobOutcome", "ModelJob", "RayCluster", "open_executor"]
