"""On Ray: actors that hold one model each; the driver hands out requests and gives their answers.

In: jobs. Out: batches of answers. What runs where is decided in :mod:`torr_plugin.running.dispatch`; here
is what Ray has to do with it.
"""

from .session import ray_executor

__all__ = ["ray_executor"]
