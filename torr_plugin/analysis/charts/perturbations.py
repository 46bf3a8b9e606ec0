"""What perturbations do to scores (ToRR, Fig. 12, 13 and 14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .drawing import Drawing
from .names import labels
from .panels import Layout, dots, panel_labels
from .study import Analysis, Row, basis, dataset_labels, intervals, known, model_labels, needed, unnamed

_WIDTH = 110
_NONE = "no perturbed configuration has an unperturbed one beside it"


def differences(analysis: Analysis) -> Drawing:
    """Mean change of the score per model and perturbation, over all data sets (Fig. 12)."""
    found = _compared(analysis, "differences", "overall")
    meaning = "Score with the perturbation less that without, same serializer and example; dashed: no change"
    return _chart(
        analysis,
        found,
        model_labels(analysis),
        ("change of the score", "Mean change of the score under each perturbation", meaning),
        0.0,
    )


def impact_by_dataset(analysis: Analysis) -> Drawing:
    """Mean absolute change per data set and perturbation (Fig. 13)."""
    found = _compared(analysis, "absolute_impact", "datasets")
    return _chart(analysis, found, dataset_labels(analysis), _impact("data set"))


def impact_by_model(analysis: Analysis) -> Drawing:
    """Mean absolute change per model and perturbation (Fig. 14)."""
    found = _compared(analysis, "absolute_impact", "models")
    return _chart(analysis, found, model_labels(analysis), _impact("model"))


def _compared(analysis: Analysis, *path: str) -> Any:
    needed(analysis, "perturbations", why=unnamed("perturbations"))
    return needed(analysis, "perturbations", *path, why=_NONE)


def _impact(row: str) -> tuple[str, str, str]:
    return (
        "mean absolute change",
        f"Mean absolute change of the score under each perturbation, per {row}",
        "Absolute difference of the scores with and without the perturbation, same serializer and example",
    )


def _chart(
    analysis: Analysis,
    found: Mapping[str, Mapping[str, Any]],
    rows_of: Mapping[str, str],
    texts: tuple[str, str, str],
    reference: float | None = None,
) -> Drawing:
    """A row a model or data set, a panel a perturbation."""
    x, title, meaning = texts
    names = labels(dict.fromkeys(name for entry in found.values() for name in entry), panel_labels(_WIDTH))
    mark: Row = {} if reference is None else {"reference": reference}
    rows = [
        {"row": label, "panel": names[name], **mark, **figure}
        for row, label in rows_of.items()
        for name, entry in found.get(row, {}).items()
        if (figure := known(entry))
    ]
    layout = Layout(
        rows=list(rows_of.values()),
        panels=list(names.values()),
        x=x,
        width=_WIDTH,
        columns=4 if len(names) == 4 else 5,
    )
    return dots(rows, layout, title, [f"{basis(analysis)}. {meaning}", intervals(analysis)])
