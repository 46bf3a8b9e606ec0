"""A plugin with a model that can be held, for which a run of seconds has as many shards as one of hours."""

from __future__ import annotations

import os

import crash_point  # noqa: F401 - each does its work when it is imported, if the environment asks for it
import jumping_clock  # noqa: F401

from torr_plugin.plugins import hookimpl
from torr_plugin.running import runner
from torr_plugin.running.engines import lm_eval
from torr_plugin.running.store import shards

os.fsync = lambda _: None  # nobody cuts the power here

# every eight answers are stored, and every four shards become one
runner.SECONDS_A_BATCH = runner.SECONDS_A_BATCH_AWAITED = 0.0
lm_eval.MOST = 8
shards.SHARDS = 4

_begin = lm_eval.BatchSize.__init__


def _begin_small(self, *args, **kwargs):
    _begin(self, *args, **kwargs)
    self.size = lm_eval.MOST


lm_eval.BatchSize.__init__ = _begin_small


@hookimpl
def torr_models():
    return {"held": "held_model:Held"}
