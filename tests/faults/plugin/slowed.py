"""A plugin with a slow model, for which a run of seconds has as many shards as one of hours."""

from __future__ import annotations

from torr_plugin.plugins import hookimpl
from torr_plugin.running import model as under_way
from torr_plugin.running.engines import base as pace
from torr_plugin.running.store import merging

# every few answers are stored, and every few shards merged
under_way.SECONDS_A_BATCH = under_way.SECONDS_A_BATCH_AWAITED = 0.02
pace.MOST = pace.FEWEST = 8
for function in (merging.due, merging.merged):
    function.__kwdefaults__["count"] = 4


_begin = pace.Pace.__init__


def _begin_small(self, *args, **kwargs):
    _begin(self, *args, **kwargs)
    self.size = pace.FEWEST


pace.Pace.__init__ = _begin_small


@hookimpl
def torr_models():
    return {"slowed": "slow_model:Slowed"}
