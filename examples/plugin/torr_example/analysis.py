"""A figure of its own: how often a model scores the same in all configurations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from torr_plugin.analysis import Figure, FigureTable

Shares = dict[str, dict[str, float]]


def rows(found: Mapping[str, Mapping[str, float]]) -> Iterator[Sequence[object]]:
    """A row a model and data set."""
    for model, shares in found.items():
        for name, share in shares.items():
            yield model, name, share


class Unanimous(Figure[Shares]):
    """The share of examples on which all configurations of a model score the same."""

    key = "unanimous"
    tables = (
        FigureTable(
            "unanimous",
            ("model", "dataset", "share"),
            rows,
            "share of examples with the same score in all configurations",
        ),
    )

    def compute(self, study):
        """Model -> data set -> share; None where nothing is scored."""
        known = study.rows.dropna(subset=["score"])
        ranges = known.groupby(["model", "dataset", "example"], observed=True)["score"].agg(["min", "max"])
        same = (ranges["min"] == ranges["max"]).groupby(["model", "dataset"], observed=True).mean()
        found: Shares = {}
        for (model, dataset), share in same.items():
            found.setdefault(model, {})[dataset] = float(share)
        return found or None

    def lines(self, result):
        """The model that changes its mind least."""
        means = {model: sum(shares.values()) / len(shares) for model, shares in result.items()}
        model = max(means, key=means.__getitem__)
        return [f"the same in all configurations most often: {model}, {means[model]:.0%} of examples"]
