"""TreeThinker: the prompts of both calls, what a model's tree may do to them, and where the answer is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.prompts.made import MadeCard, made_example
from torr_plugin.papers.realhitbench.tree_thinker import LONGEST_TREE, MODEL_TREE, REASONING, TREE_REASONING
from torr_plugin.prompts import IMAGE, PromptBuilder, designs, images_of
from torr_plugin.prompts.design import DefaultDesign, Shown
from torr_plugin.recipes import Configuration
from torr_plugin.tables import Cell, Table
from torr_plugin.testing import check_design

NAMES = ("tree_thinker", "tree_thinker_no_tree", "tree_thinker_no_reasoning", "tree_thinker_gold")
OF_TWO_CALLS = ("tree_thinker", "tree_thinker_no_reasoning")
TABLE = Table(((Cell("City"), Cell("Size")), (Cell(IMAGE), Cell("1"))), header_columns=1)
ASKED = Shown("Answer.", "Table: t\nQuestion: q?", "Answer: ", "yes", written="t", table=TABLE)
OTHER = Shown("Answer.", "Table: u\nQuestion: r?", "Answer: ", "no", written="u", table=TABLE)


def second(name: str, tree: str, *demonstrations: Shown) -> str:
    (message,) = designs.get(name).follow(designs.get(name).steps[-1], ASKED, demonstrations, {"tree": tree})
    return message.content


@pytest.mark.parametrize("name", NAMES)
def test_they_keep_the_rules_of_designs(name: str) -> None:
    check_design(designs.get(name))


@pytest.mark.parametrize("name", OF_TWO_CALLS)
def test_the_first_call_is_about_the_table_alone(name: str) -> None:
    ours = designs.get(name)
    (message,) = ours.begin(ours.steps[0], ASKED, [OTHER])
    (again,) = ours.begin(ours.steps[0], replace(ASKED, source="Table: t\nQuestion: other?"), [])
    assert message == again
    assert "\n\nTable:\nt\n\n" in message.content
    assert "(R0, 1, 2, City)" in message.content
    assert [step.name for step in ours.steps] == ["tree", "answer"]
    assert ours.steps[0].changes({"max_tokens": 5, "until": ["\n"]}) == {"max_tokens": 4096, "until": []}


def test_the_second_call_as_a_person_reads_it() -> None:
    begin = "You analyse tables whose headers stand on several levels.\n\nAnswer.\n\n"
    shown = "Table: u\nQuestion: r?\n\nFinal Answer: no\n\n"
    tree = "Table: t\nQuestion: q?\n\n" + MODEL_TREE + "\n(C0, 1, 1, Size)\n\n" + TREE_REASONING
    assert second("tree_thinker", " (C0, 1, 1, Size)\n", OTHER) == begin + shown + tree
    assert TREE_REASONING.startswith("Work in this order:\nKeywords: ")
    assert "\nFinal Answer: " in TREE_REASONING
    assert "tree" not in REASONING


def test_without_reasoning_the_question_is_asked_as_by_default() -> None:
    direct = DefaultDesign().compose(ASKED, [OTHER])[0].content
    content = second("tree_thinker_no_reasoning", "(C0, 1, 1, Size)", OTHER)
    assert content.replace(f"\n\n{MODEL_TREE}\n(C0, 1, 1, Size)\n", "") == direct.replace("q?\n", "q?")
    assert second("tree_thinker_no_reasoning", " \n", OTHER) == direct


def test_an_empty_tree_leaves_the_prompt_without_a_tree() -> None:
    (plain,) = designs.get("tree_thinker_no_tree").compose(ASKED, [OTHER])
    assert second("tree_thinker", "\n ", OTHER) == plain.content
    assert designs.get("tree_thinker_no_tree").steps[-1].changes({}) == designs.get("tree_thinker").steps[
        -1
    ].changes({})


@pytest.mark.parametrize("name", OF_TWO_CALLS)
@settings(max_examples=20)
@given(tree=st.text(max_size=30))
def test_a_model_s_tree_is_text_whatever_it_holds(name: str, tree: str) -> None:
    assert tree.strip() in second(name, tree + "{table} {0} %s")


@pytest.mark.parametrize("name", OF_TWO_CALLS)
def test_an_endless_tree_is_cut(name: str) -> None:
    assert len(second(name, "x" * 10**6)) < LONGEST_TREE + 5_000


def test_the_gold_tree_is_that_of_the_table_as_it_is_shown() -> None:
    gold = designs.get("tree_thinker_gold")
    content = gold.compose(ASKED, [])[0].content
    assert "below ROOT:\n- (C0, 1, 1, Size)\nRow headers, below ROOT:\n- (R0, 1, 1, <image>)\n\n" in content
    shown = gold.compose(replace(ASKED, images=(b"png",)), [])[0].content
    assert "(R0, 1, 1, <image >)" in shown
    example = made_example(1)
    builder = PromptBuilder(MadeCard(), [], shots=0)  # type: ignore[arg-type]
    content = builder.build(example, Configuration("csv", "transpose", "tree_thinker_gold"))[0].content
    assert "Row headers, below ROOT:\n- (R0, 0, 0, name)" in content


@pytest.mark.parametrize("name", NAMES)
def test_pictures_are_passed_on(name: str) -> None:
    ours, example = designs.get(name), made_example(1)
    pool = [made_example(number, prefix="p") for number in range(4)]
    builder = PromptBuilder(MadeCard(), pool, shots=2)  # type: ignore[arg-type]
    for step in ours.steps:
        answers = {"tree": f"as {IMAGE} shows"} if step.after else None
        prompt = builder.build(example, Configuration("image", "none", name), step, answers)
        assert len(images_of(prompt)) == prompt[0].content.count(IMAGE) == (1 if step.name == "tree" else 3)


@pytest.mark.parametrize(
    ("answer", "final"),
    [
        ("Thought: ...\nFinal Answer: 42", "42"),
        ("Final Answer: 1\nThought: no.\nfinal answer : 42\n", "42"),
        ("**Final Answer:** 42", "42"),
        ("**Final Answer: 42**", "42"),
        ("### Final Answer\uff1a42", "42"),
        ("### Final Answer\n\n42", "42"),
        ("Thought: ...\n**Final Answer**  \n42", "42"),
        ("So the final answer is: 42", "42"),
        ("Final Answer:\n```python\nplt.title('Final Answer: x')\nplt.show()\n```", None),
        ("Final Answer: Doha, 42\nAl Khor, 43", "Doha, 42\nAl Khor, 43"),
        ("Final Answer: **42**", "**42**"),
        ("Final Answer:", ""),
        ("42", "42"),
        (" no mark \n", " no mark \n"),
        ("", ""),
    ],
)
def test_where_the_answer_is(answer: str, final: str | None) -> None:
    expected = "```python\nplt.title('Final Answer: x')\nplt.show()\n```" if final is None else final
    for name in ("tree_thinker", "tree_thinker_no_tree", "tree_thinker_gold"):
        assert designs.get(name).final_answer(answer) == expected
    assert designs.get("tree_thinker_no_reasoning").final_answer(answer) == answer
    assert designs.get("default").final_answer(answer) == answer


@settings(max_examples=40)
@given(st.text(max_size=20))
def test_any_answer_has_a_final_part(answer: str) -> None:
    assert designs.get("tree_thinker").final_answer(answer) in answer
