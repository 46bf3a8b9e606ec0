"""What to know before a judge is asked: its name, what it costs, and whether it judges itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ...recipes import JudgeEntry
from ...running import Run
from ...running.store.manifest import model_record
from .pairs.battles import read_battles
from .rows import JUDGED, read_record

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
        if _is_one_model(each, own) or each["label"] == judge.label:
            notes.append(
                f"the judge {judge.label!r} is the model {each['label']!r} too: it judges its own answers"
            )
        elif judge.family is not None and each.get("family") == judge.family:
            notes.append(
                f"the judge {judge.label!r} is of the family {judge.family!r}, as the model "
                f"{each['label']!r} is, and may prefer its answers"
            )
    return notes


def contestant_judges(run: Run) -> dict[str, str]:
    """Judge of pairs -> the model of the run that it is, of those whose own answers are in its battles.

    Raises:
        RunError: battles, or what is known of a judge, are damaged.
    """
    found = {}
    for folder in sorted((run.path / JUDGED).glob("*")):
        battles = read_battles(folder)
        if battles is None:
            continue
        record, told = read_record(folder), battles[battles["winner"].notna()]
        judged = {*told["model_a"], *told["model_b"]}
        for each in run.study["models"]:
            if each["label"] in judged and _is_one_model(each, record):
                found[str(record["label"])] = str(each["label"])
    return found


def _is_one_model(model: Mapping[str, Any], judge: Mapping[str, Any]) -> bool:
    """Whether a model and a judge, as files name them, are of one class with the same arguments."""
    return (model.get("model"), model.get("args") or {}) == (judge.get("model"), judge.get("args") or {})
