"""What is installed here, what is missing, and how to get it; without a network."""

from __future__ import annotations

from .finding import Finding, Report
from .report import diagnose

__all__ = ["Finding", "Report", "diagnose"]
