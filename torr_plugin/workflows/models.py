"""The models that can be named, for ``torr models``: what is installed, what is missing, how to get it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..running.availability import Available

KINDS = {
    "in process": "In process: their weights are loaded here, or on Ray",
    "server": "Servers, asked over the network",
    "baseline": "Embedded baselines",
    "plugin": "Of plugins",
}
"""The kinds of models, in the order in which they are shown, with what they are."""

_ORDER = list(KINDS)


def model_rows() -> list[dict[str, Any]]:
    """A row a model: engines, then servers, baselines and plugins' models; of each the installed ones first.

    Each has ``name``, ``kind``, ``installed``, ``missing`` (packages), ``install`` (the command; null where
    nothing is missing or lm-eval's documentation has to be read), ``key`` (the environment variable with the
    key of a server), ``origin``, and ``about`` and ``arguments`` of the embedded baselines.

    Raises:
        ModelError: a plugin's model has the name of one of lm-eval's.
    """
    from ..running.availability import availability

    found = sorted(availability(), key=lambda each: (_ORDER.index(each.kind), not each.installed, each.name))
    return [_row(each) for each in found]


def _row(each: Available) -> dict[str, Any]:
    row = {
        "name": each.name,
        "kind": each.kind,
        "installed": each.installed,
        "missing": list(each.missing),
        "install": each.install,
        "key": each.key,
        "origin": each.origin,
    }
    return row | (_baseline(each.name) if each.kind == "baseline" else {"about": None, "arguments": None})


def _baseline(name: str) -> dict[str, Any]:
    """What an embedded baseline does, and what it can be told."""
    from ..running.registry import model_class

    found = model_class(name)
    about = (inspect.getdoc(found) or "").partition("\n")[0].partition(": ")[2].rstrip(".")
    parameters = inspect.signature(found).parameters.values()
    return {"about": about, "arguments": {each.name: each.default for each in parameters}}


def advice(row: dict[str, Any]) -> str:
    """What a person should know of a model, in a few words."""
    if not row["installed"]:
        told = (
            "to be installed beside its plugin"
            if row["kind"] == "plugin"
            else "see lm-eval's documentation of it"
        )
        return str(row["install"] or f"needs {', '.join(row['missing'])}: {told}")
    if row["key"]:
        return f"reads its key from {row['key']}"
    if row["about"] is None:
        return "" if row["origin"] == "lm-eval" else f"from {row['origin']}"
    arguments = ", ".join(f"{name}={value!r}" for name, value in row["arguments"].items())
    return f"{row['about']}{f' ({arguments})' if arguments else ''}"
