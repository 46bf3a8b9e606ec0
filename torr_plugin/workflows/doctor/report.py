"""All that is looked at."""

from __future__ import annotations

from .data import data
from .finding import Report
from .machine import machine
from .plugins import plugins
from .versions import extras, versions


def diagnose() -> Report:
    """Look at everything; nothing is changed, downloaded or imported that takes long."""
    return Report(
        {
            "versions": tuple(versions()),
            "extras": tuple(extras()),
            "data": tuple(data()),
            "machine": tuple(machine()),
            "plugins": tuple(plugins()),
        }
    )
