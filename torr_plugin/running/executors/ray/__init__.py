"""On Ray: actors that hold one model each; the driver sends requests and collects the answers.

In: jobs. Out: batches of answers. Scheduling is in :mod:`torr_plugin.running.dispatch`; here
are the calls of Ray.
"""

from .session import ray_executor

__all__ = ["ray_executor"]
