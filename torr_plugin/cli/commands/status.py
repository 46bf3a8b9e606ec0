"""``torr status``: where a run stands, at any time and from any shell."""

from __future__ import annotations

from ..command import emit, guarded
from .options import Json, RunArgument


@guarded
def status(run: RunArgument, as_json: Json = False) -> int:
    """Say where a run stands: answers, errors, rates, who writes it. Reads only, at any time."""
    from ...running import run_status
    from ..console_status import show_status, status_record

    found = run_status(run)
    if as_json:
        emit(status_record(found))
    else:
        show_status(found)
    return 0
