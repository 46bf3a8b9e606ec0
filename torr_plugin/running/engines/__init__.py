"""How a loaded model of lm-eval generates: by its own ``generate_until``, or by the engine inside it.

In: contexts. Out: texts with what the engine tells of them. One way to drive all:
:class:`torr_plugin.running.models.Model`.
"""

from .base import Engine, Generated, Task, recalled
from .choosing import engine_of

__all__ = ["Engine", "Generated", "Task", "engine_of", "recalled"]
