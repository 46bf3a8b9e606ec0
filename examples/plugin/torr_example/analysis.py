"""A figure of its own: how often a model scores the same in all configurations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from torr_plugin.analysis import Analysis


class Unanimous(Analysis):
    """The share of examples on which all configurations of a model score the same."""

    name = "unanimous"

    def compute(self, scores: Any, options: Any) -> Any:
        """Model -> data set -> share; null where nothing is scored."""
        known = scores.dropna(subset=["score"])
        ranges = known.groupby(["model", "dataset", "example"], observed=True)["score"].agg(["min", "max"])
        same = (ranges["min"] == ranges["max"]).groupby(["model", "dataset"], observed=True).mean()
        found: dict[str, dict[str, float]] = {}
        for (model, dataset), share in same.items():
            found.setdefault(model, {})[dataset] = float(share)
        return found or None

    def line(self, found: Any) -> str:
        """The model that changes its mind least."""
        means = {model: sum(shares.values()) / len(shares) for model, shares in found.items()}
        model = max(means, key=means.__getitem__)
        return f"the same in all configurations most often: {model}, {means[model]:.0%} of examples"

    def table(self, found: Any) -> tuple[Sequence[str], Iterable[Sequence[object]]]:
        """A row a model and data set."""
        rows = [(model, name, share) for model, shares in found.items() for name, share in shares.items()]
        return ("model", "dataset", "share"), rows
