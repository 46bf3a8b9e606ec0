"""The Hugging Face hub: ``.eval_results/*.yaml`` for a model's page, and its card's ``model-index``.

The fields are those of huggingface/hub-docs, ``docs/hub/eval-results.md`` and ``modelcard.md``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from ...analysis.number_format import format_names
from ...core.errors import counted
from ...running.store.shards import folder_name
from .exporter import Attribution, Exporter
from .results import ExportedDataset, ExportedRun, ModelScore

_TASK = "table-question-answering"


def _write(results: ExportedRun, folder: Path, attribution: Attribution) -> list[str]:
    left = dict[str, None]()
    for model in results.models:
        scores = results.scores(model)
        place = folder / str(results.record(model)["folder"])
        place.mkdir()
        for score in scores:
            entry = _entry(results, score, attribution)
            if entry is None:
                left[score.dataset.name] = None
                continue
            file = place / ".eval_results" / f"{folder_name(score.dataset.name)}.yaml"
            file.parent.mkdir(exist_ok=True)
            file.write_text(_yaml([entry]), encoding="utf-8")
        index = {"name": model, "results": [_indexed(results, score, attribution) for score in scores]}
        card = f"---\n{_yaml({'model-index': [index]})}---\n"
        (place / "README.md").write_text(card, encoding="utf-8")
    if not left:
        return []
    return [
        f"no .eval_results for {format_names(list(left))}, whose data are not on the hub; --benchmark names "
        "a data set there"
    ]


def _yaml(value: Any) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110)


def _source(results: ExportedRun, attribution: Attribution) -> dict[str, Any]:
    """Where a result is from; the hub wants an address, or no source at all."""
    return {"source": {"url": attribution.url, "name": results.name}} if attribution.url else {}


def _entry(results: ExportedRun, score: ModelScore, attribution: Attribution) -> dict[str, Any] | None:
    """An entry of ``.eval_results``; None where no data set on the hub is known."""
    dataset, hub = score.dataset, score.dataset.hub
    benchmark = attribution.benchmark or (hub and hub.path)
    if not benchmark:
        return None
    # of the card's data, not of another benchmark
    revision = {} if attribution.benchmark else _revision(score.dataset)
    return {
        "dataset": {"id": benchmark, "task_id": dataset.name, **revision},
        "value": score.value,
        "date": results.created.isoformat(),
        **_source(results, attribution),
        "notes": _notes(results, score),
    }


def _revision(dataset: ExportedDataset) -> dict[str, str]:
    """The commit of a card's data; a branch is none."""
    found = dataset.hub.revision if dataset.hub else None
    return {"revision": found} if found and re.fullmatch(r"[0-9a-f]{7,40}", found) else {}


def _notes(results: ExportedRun, score: ModelScore) -> str:
    interval = ""
    if score.low is not None and score.high is not None:
        interval = f" {results.level:.0%} interval {score.low:.3f} to {score.high:.3f};"
    missing = f" {counted(score.missing, 'answer')} missing;" if score.missing else ""
    examples = counted(score.dataset.examples, "example")
    return (
        f"{score.dataset.metric}, mean over {counted(len(score.configurations), 'configuration')} of "
        f"{examples};{interval}{missing} torr-plugin {results.version}"
    )


def _indexed(results: ExportedRun, score: ModelScore, attribution: Attribution) -> dict[str, Any]:
    """A result of a model card's ``model-index``."""
    dataset, hub = score.dataset, score.dataset.hub
    where = {"type": hub.path, "split": hub.split} if hub else {"type": dataset.name}
    bounds = {"low": score.low, "high": score.high, "level": results.level}
    arguments = {"n": dataset.examples, "configurations": len(score.configurations), "missing": score.missing}
    return {
        "task": {"type": dataset.task or _TASK},
        "dataset": {"name": dataset.name, **where, **_revision(dataset)},
        "metrics": [
            {
                "type": dataset.metric,
                "name": f"{dataset.metric}, mean over configurations",
                "value": score.value,
                "args": {**bounds, **arguments},
            }
        ],
        **_source(results, attribution),
    }


HUB = Exporter("hub", _write)
