"""What can be wrong with scores."""

from __future__ import annotations


class AnalysisError(ValueError):
    """Scores that cannot be analysed; the message is one line: what was found and what is expected."""
