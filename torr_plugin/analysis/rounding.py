"""How exactly figures are compared."""

from __future__ import annotations

ROUNDING = 12
"""Decimals of all figures and bounds: what lies below is rounding error, and must not tell models apart."""
