"""Scheduling: which actor holds which model, what it is sent, what happens to requests that kill it.

In: events (an actor is ready, has answered, has died; nodes come and go), with the time. Out: commands.
Nothing here knows Ray or reads a clock, so that a simulation runs the same code (``benchmarks/cluster.py``).
"""

from .cluster import ActorResources, ClusterNode
from .commands import Command, DispatchRules, FailJob, FailRequests, SendRequests, StartActor, StopActor
from .dispatcher import Dispatcher
from .jobs import JobState

__all__ = [
    "ActorResources",
    "ClusterNode",
    "Command",
    "DispatchRules",
    "Dispatcher",
    "FailJob",
    "FailRequests",
    "JobState",
    "SendRequests",
    "StartActor",
    "StopActor",
]
