"""TreeThinker end to end: stopped in each stage and resumed, and its trees and answers scored."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import ClassVar

import pytest

from tests.running.asked_models import Echo
from tests.running.made import entry
from torr_plugin.papers.realhitbench.tree_thinker import TREE_TASK
from torr_plugin.recipes import Recipe, plan
from torr_plugin.running import Run, add_model, execute
from torr_plugin.scoring import score_run
from torr_plugin.tables import serializers
from torr_plugin.tables.header_tuples import header_tuples, tree_text

RECIPE = {
    "name": "trees",
    "cards": [{"card": "cards.bundled.cell_lookup", "metrics": ["exact_match", "header_tree"]}],
    "configurations": {
        "serializers": "html",
        "designs": ["default", "tree_thinker", "tree_thinker_no_reasoning", "tree_thinker_gold"],
    },
    "examples": {"count": 30},
}


class Scripted(Echo):
    """Writes the table's own tree, and reasons to 7; is stopped at the prompts of those numbers."""

    asked: ClassVar[Counter[str]] = Counter()
    stops: ClassVar[tuple[int, ...]] = ()

    def answer(self, context: str) -> str:
        text = str(context)
        if sum(self.asked.values()) in self.stops:
            type(self).stops = self.stops[1:]
            raise KeyboardInterrupt
        self.asked[text] += 1
        if TREE_TASK in text:
            table = text[text.index("<table") : text.rindex("</table>") + len("</table>")]
            return tree_text(header_tuples(serializers.get("html").parse(table)))
        return "Thought: easy.\nFinal Answer: 7"


add_model("test-scripted", f"{__name__}:Scripted", origin="the tests")


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> type[Scripted]:
    monkeypatch.setattr(Scripted, "asked", Counter())
    monkeypatch.setattr(Scripted, "stops", ())
    return Scripted


@pytest.mark.full
def test_a_tree_is_asked_once_for_all_questions_and_both_designs(
    scripted: type[Scripted], tmp_path: Path
) -> None:
    planned = plan(Recipe.model_validate(RECIPE))
    ((_, examples),) = planned.examples.items()
    tables = {each.table for each in examples}
    summary = execute(planned, [entry("test-scripted")], tmp_path / "run")
    trees = [text for text in scripted.asked if TREE_TASK in text]
    assert len(trees) == len(tables) < len(examples)
    assert summary.answered == sum(scripted.asked.values()) == len(tables) + 4 * len(examples)
    scores = score_run(Run.open(tmp_path / "run"))
    of_steps = scores[~scores["main"] & ~scores["metric"].astype(str).str.endswith(".lenient")]
    rated = of_steps.pivot_table("score", "design", "metric", observed=True)
    assert set(rated.index) == {"tree_thinker", "tree_thinker_no_reasoning"}
    assert (rated == 1).all(axis=None)
    right = {each.id for each in examples if each.references == ("7",)}
    main = scores[scores["main"]].set_index(["design", "example"])["score"]
    assert all(main["tree_thinker", each.id] == (each.id in right) for each in examples)
    assert main["default"].sum() == 0  # which was not asked to reason


@pytest.mark.full
@pytest.mark.parametrize("stops", [(3, 9), (40, 60)], ids=["in trees", "between and in answers"])
def test_stopped_and_resumed_nothing_is_asked_twice(
    scripted: type[Scripted], tmp_path: Path, stops: tuple[int, ...]
) -> None:
    planned = plan(Recipe.model_validate(RECIPE))
    scripted.stops = stops
    for _ in stops:
        with pytest.raises(KeyboardInterrupt):
            execute(planned, [entry("test-scripted")], tmp_path / "run")
    summary = execute(planned, [entry("test-scripted")], tmp_path / "run")
    assert not scripted.stops
    assert summary.answered == summary.requests
    assert max(scripted.asked.values()) == 1
