"""The options of an analysis, and the error of scores that cannot be analysed."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.errors import InputError


class AnalysisError(InputError):
    """Scores that cannot be analysed; the message is one line: what was found and what is expected."""


@dataclass(frozen=True)
class Options:
    """How intervals are made; see :func:`torr_plugin.analysis.analyse`."""

    resamples: int = 1000
    level: float = 0.95
    two_way: bool = False
    seed: int = 0
    rankings: int = 10
    repeats: int = 100

    def __post_init__(self) -> None:
        """Refuse options that give no interval."""
        if isinstance(self.resamples, bool) or not isinstance(self.resamples, int) or self.resamples < 1:
            raise AnalysisError(f"resamples: found {self.resamples!r}; expected a whole number from 1 on")
        if not 0 < self.level < 1:
            raise AnalysisError(f"level: found {self.level!r}; expected a number between 0 and 1, e.g. 0.95")
        for name, least in (("rankings", 2), ("repeats", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise AnalysisError(f"{name}: found {value!r}; expected a whole number from {least} on")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise AnalysisError(f"seed: found {self.seed!r}; expected a whole number")
