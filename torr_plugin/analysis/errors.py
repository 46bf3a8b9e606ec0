"""What can be wrong with scores."""

from __future__ import annotations

from ..core.errors import InputError


class AnalysisError(InputError):
    """Scores that cannot be analysed; the message is one line: what was found and what is expected."""
