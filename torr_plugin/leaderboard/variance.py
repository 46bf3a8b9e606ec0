"""Where the variance of scores comes from, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping

from ..analysis import format_interval
from . import schema
from .figures import percent
from .views import View, ViewCell, figure_cell

WORDS: Mapping[str, str] = {
    "model": "Models",
    "configuration": "Configurations",
    "example": "Examples",
    "model:configuration": "Models \N{MULTIPLICATION SIGN} configurations",
    "model:example": "Models \N{MULTIPLICATION SIGN} examples",
    "configuration:example": "Configurations \N{MULTIPLICATION SIGN} examples",
    "residual": "All three, and chance",
}
MEANINGS: Mapping[str, str] = {
    "model": "what a ranking is to show",
    "configuration": "some are harder for every model",
    "example": "some are harder for every model",
    "model:configuration": "a format that suits one model and not another; more of them average it out",
    "model:example": "an example that suits one model and not another; more of them average it out",
    "configuration:example": "an example that is harder in some formats",
    "residual": "what is left; more of either averages it out",
}

_BLURS: Mapping[str, str] = {
    "model:configuration": "formats that suit one model and not another ({}): more configurations help most",
    "model:example": "examples that suit one model and not another ({}): more examples help most",
    "residual": "what neither explains alone ({}): more examples or more configurations help alike",
}


def variance_view(found: schema.Generalizability) -> View:
    """Components with their shares."""
    rows = tuple(
        (
            ViewCell(WORDS.get(name, name), MEANINGS.get(name, "")),
            ViewCell(percent(one.share), style="num"),
            figure_cell(one),
        )
        for name, one in found.components.items()
    )
    return View(("Source", "Share", "Variance"), rows, _lines(found))


def _lines(found: schema.Generalizability) -> tuple[str, ...]:
    own = found.coefficient
    if own.value is None:
        return tuple(f"{note[:1].upper()}{note[1:]}." for note in found.notes)
    shares = {name: one.share or 0.0 for name, one in found.components.items()}
    twisted = {name: shares.get(name, 0.0) for name in ("model:configuration", "model:example", "residual")}
    worst = max(twisted, key=lambda name: twisted[name])
    return (
        f"Of the variance of a single score {percent(shares.get('model'))} lies between models. "
        f"Their ranking is blurred most by {_BLURS[worst].format(percent(twisted[worst]))}.",
        f"With this study\N{RIGHT SINGLE QUOTATION MARK}s {found.configurations} configurations and "
        f"{found.examples:g} examples the generalizability coefficient of the ranking is "
        f"{format_interval(own.value, own.low, own.high)}; 1: another such study would find the same.",
        *(f"{note[:1].upper()}{note[1:]}." for note in found.notes),
    )
