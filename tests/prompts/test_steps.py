"""Steps of a strategy: which graphs are taken, and what can be asked when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.core.errors import RecipeError
from torr_plugin.prompts import Message, Step, check_steps, designs, first_steps
from torr_plugin.prompts.design import DefaultDesign, Shown
from torr_plugin.running.rounds import rounds_of


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((), "design 'mine' has no steps; expected at least one"),
        (
            (Step("a"), Step("a", after=("a",))),
            "found a step called 'a', which is empty or the name of another",
        ),
        ((Step(""),), "found a step called ''"),
        ((Step("a", after=("a",)),), "'a' comes after 'a', which is not before it"),
        (
            (Step("a", after=("b",)), Step("b", after=("a",))),
            "'a' comes after 'b', which is not before it",
        ),
        ((Step("a"), Step("b")), "no step comes after 'a', and it is not the last; expected .* 'b'"),
        ((Step("a", max_tokens=0),), "max_tokens 0; expected at least 1"),
    ],
)
def test_what_is_no_graph_with_one_end_is_refused(steps: tuple[Step, ...], said: str) -> None:
    with pytest.raises(RecipeError, match=said):
        check_steps("mine", steps)


@pytest.mark.parametrize("name", designs.names())
def test_the_shipped_designs_are_graphs(name: str) -> None:
    check_steps(name, designs.get(name).steps)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Step, ...]:
    names = [f"s{number}" for number in range(draw(st.integers(1, 6)))]
    return tuple(
        Step(name, tuple(draw(st.lists(st.sampled_from(names[:at]), unique=True)) if at else ()))
        for at, name in enumerate(names)
    )


@given(graphs())
def test_every_step_is_asked_in_the_round_behind_the_last_it_follows(steps: tuple[Step, ...]) -> None:
    rounds = rounds_of(steps)
    assert sorted(stage for each in rounds for stage in each) == list(range(len(steps)))
    assert rounds[0] == first_steps(steps)
    at = {steps[stage].name: number for number, each in enumerate(rounds) for stage in each}
    assert all(at[step.name] == 1 + max(at[name] for name in step.after) for step in steps if step.after)


def test_a_step_changes_only_what_differs() -> None:
    study = {"max_tokens": 100, "temperature": 0.0, "until": ["\n"]}
    assert Step("a").changes(study) is None
    assert Step("a", max_tokens=100).changes(study) is None
    assert Step("a", max_tokens=400).changes(study) == {"max_tokens": 400}
    assert (
        Step("a", max_tokens=400).changes({**study, "max_tokens": 4000}) is None
    )  # a model that thinks aloud
    assert Step("a", max_tokens=400, until=()).changes(study) == {"max_tokens": 400, "until": []}
    assert Step("a", until=()).changes({**study, "until": []}) is None


def test_a_design_of_one_call_has_nothing_to_follow() -> None:
    shown = Shown("i", "s", "p", "t")
    with pytest.raises(RecipeError, match=r"design 'default' asks once; it has no prompt for step 'more'"):
        DefaultDesign().follow(Step("more"), shown, [], {})


def test_the_design_of_the_docs_works() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "plugins.md").read_text(encoding="utf-8")
    (code,) = [block.split("```")[0] for block in text.split("```python\n")[1:] if "class TwoLooks" in block]
    names: dict[str, Any] = {}
    exec(code, names)
    design = names["TwoLooks"]()
    check_steps(design.name, design.steps)
    shown = Shown("Answer.", "Table: t", "Answer: ", "")
    first = DefaultDesign().compose(shown, [])
    assert design.begin(design.steps[0], shown, []) == first
    *before, said, again = design.follow(design.steps[1], shown, [], {"draft": "7"})
    assert tuple(before) == first
    assert (said, again.role) == (Message("assistant", "7"), "user")
