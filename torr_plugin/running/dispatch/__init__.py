"""What runs where: which actor holds which model, what it is sent, what becomes of requests that kill it.

In: events (an actor is ready, has answered, has died; nodes come and go), with the time. Out: commands.
Nothing here knows Ray or reads a clock, so that a simulation runs the same code (``benchmarks/cluster.py``).
"""

from .cluster import Needs, Node
from .commands import Command, Fail, Feed, Refuse, Start, Stop
from .dispatcher import Dispatcher
from .jobs import JobWork
from .rules import Rules

__all__ = [
    "Command",
    "Dispatcher",
    "Fail",
    "Feed",
    "JobWork",
    "Needs",
    "Node",
    "Refuse",
    "Rules",
    "Start",
    "Stop",
]
