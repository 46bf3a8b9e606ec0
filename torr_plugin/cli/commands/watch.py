"""``torr watch``: where a run stands, live."""

from __future__ import annotations

from ..command import guarded
from .options import RunArgument


@guarded
def watch(run: RunArgument) -> int:
    """Show where a run stands until it ends. Ctrl-C leaves; the run goes on."""
    from ...running import RunWatch
    from ..console_status import watch as show

    show(RunWatch(run).look)
    return 0
