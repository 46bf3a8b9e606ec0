"""HCT-QA's table properties from a Table: in goes a table, out come names and booleans."""

from __future__ import annotations

from .agreement import Agreement, agreement
from .detection import detect
from .names import ALL, DETECTED, NEEDS_PICTURE

__all__ = ["ALL", "DETECTED", "NEEDS_PICTURE", "Agreement", "agreement", "detect"]
