"""The default design loses nothing; the design torr is unitxt's own format, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from torr_plugin.prompts.design import DefaultDesign, Shown, TorrDesign

# texts rich in what unitxt's line-break rule treats in its own way
texts = st.text(alphabet=st.sampled_from("ab\n()N\\ .{}é|"), max_size=12)
shown = st.builds(Shown, instruction=texts, source=texts, target_prefix=texts, target=texts)


def unitxt_layout(asked: Shown, demonstrations: list[Shown]) -> str:
    from unitxt.formats import SystemFormat

    instance = {
        "source": asked.source,
        "target": asked.target,
        "references": [asked.target],
        "instruction": asked.instruction,
        "target_prefix": asked.target_prefix,
        "system_prompt": "",
        "input_fields": {},
        "reference_fields": {},
        "demos": [
            {"source": each.source, "target": each.target, "target_prefix": each.target_prefix}
            for each in demonstrations
        ],
    }
    return SystemFormat().process(instance)["source"]


@pytest.mark.full
@settings(deadline=None, max_examples=150)
@given(shown, st.lists(shown, max_size=3))
@example(Shown("N", "", "", ""), [])
def test_torr_equals_unitxt(asked: Shown, demonstrations: list[Shown]) -> None:
    (message,) = TorrDesign().compose(asked, demonstrations)
    assert message.role == "user"
    assert message.content == unitxt_layout(asked, demonstrations)


def test_default_reads_as_a_person_would_write_it() -> None:
    asked = Shown("Answer.", "Table: t\nQuestion: q?", "Answer: ", "yes")
    demonstration = Shown("Answer.", "Table: u\nQuestion: r?", "Answer: ", "no")
    (message,) = DefaultDesign().compose(asked, [demonstration])
    assert message.content == (
        "Answer.\nTable: u\nQuestion: r?\nAnswer: no\n\nTable: t\nQuestion: q?\nAnswer: "
    )


def test_no_break_where_nothing_precedes() -> None:
    (message,) = DefaultDesign().compose(Shown("", "q", "A:", ""), [])
    assert message.content == "q\nA:"


def test_torr_cuts_what_unitxt_cuts_and_default_does_not() -> None:
    asked = Shown("", "who won in (2004)", "Answer:", "")
    assert TorrDesign().compose(asked, [])[0].content == "who won in (2004\nAnswer:"
    assert DefaultDesign().compose(asked, [])[0].content == "who won in (2004)\nAnswer:"


@settings(deadline=None)
@given(shown, st.lists(shown, max_size=3))
def test_default_keeps_every_part_in_order(asked: Shown, demonstrations: list[Shown]) -> None:
    (message,) = DefaultDesign().compose(asked, demonstrations)
    at = 0
    parts = [asked.instruction]
    parts += [part for each in demonstrations for part in (each.source, each.target_prefix, each.target)]
    parts += [asked.source, asked.target_prefix]
    for part in parts:
        found = message.content.find(part, at)
        assert found >= 0
        at = found + len(part)
