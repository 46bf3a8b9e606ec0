"""What to know before a judge is asked: its name, what it costs, and whether it judges itself."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ...recipes import JudgeEntry
from ...running import Run
from ...running.store.manifest import model_record

if TYPE_CHECKING:
    from ...recipes import ModelEntry


def named_judge(judge: ModelEntry, kind: str) -> ModelEntry:
    """A judge under its name in results: its own, or ``<model>-<kind>`` unless it says yes or no."""
    own = judge.name is not None or isinstance(judge, JudgeEntry) or kind == "yes-no"
    return judge.model_copy(update={"name": judge.label if own else f"{judge.label}-{kind}"})


def in_dollars(cost: float | None) -> str:
    """An amount behind a number of tokens; no text where it is not known."""
    return "" if cost is None else f", some ${cost:,.2f}"


def contestant_notes(run: Run, judge: ModelEntry, models: Collection[str]) -> list[str]:
    """Say where a judge judges its own answers, or those of a model of its family.

    Args:
        run: whose models.
        judge: who judges.
        models: the labels of those that are judged.
    """
    own = model_record(judge, "")
    notes = []
    for each in run.study["models"]:
        if each["label"] not in models:
            continue
        same = (each.get("model"), each.get("args") or {}) == (own["model"], own["args"])
        if same or each["label"] == judge.label:
            notes.append(
                f"the judge {judge.label!r} is the model {each['label']!r} too: it judges its own answers"
            )
        elif judge.family is not None and each.get("family") == judge.family:
            notes.append(
                f"the judge {judge.label!r} is of the family {judge.family!r}, as the model "
                f"{each['label']!r} is, and may prefer its answers"
            )
    return notes
