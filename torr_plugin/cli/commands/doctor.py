"""``torr doctor``: what is installed, what is missing, and how to get it."""

from __future__ import annotations

from ..command import emit, guarded
from .options import Json


@guarded
def doctor(as_json: Json = False) -> int:
    """Say what is installed and what is missing: versions, extras, data, machine, plugins.

    Exit code 1 where something has to be mended; an absent extra or data set is no fault.
    """
    from ...workflows.doctor import diagnose
    from ..console_doctor import show_report

    report = diagnose()
    if as_json:
        emit(report.as_dict())
    else:
        show_report(report)
    return 1 if report.wrong else 0
