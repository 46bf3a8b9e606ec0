"""The recipes of SUC's designs: what they ask, and what each design of them is compared with."""

from __future__ import annotations

from torr_plugin.prompts import designs
from torr_plugin.recipes import load, plan


def test_every_design_in_every_format_is_asked_of_the_tasks_of_suc() -> None:
    crossed, suc = load("suc_designs"), load("suc")
    configurations = crossed.expanded()
    assert len(configurations) == len({each.id for each in configurations}) == 30
    assert {each.serializer for each in configurations} == {"nl_sep", "markdown", "json", "xml", "html"}
    assert {each.design for each in configurations} == {name for name in designs.names() if name[:3] == "suc"}
    assert {*suc.expanded()} < {*configurations}
    assert [each.card for each in crossed.cards] == [each.card for each in suc.cards]


def test_what_the_paper_leaves_out_or_adds_is_compared_with_its_one_shot_prompt() -> None:
    planned = plan(load("suc_self_augmented"), limit=1)
    bases = planned.record()["design_bases"]
    assert bases.pop("table_size+suc") == "suc"
    assert bases.pop("suc") == "default"  # which the study does not have
    assert {*bases.values()} == {"table_size+suc"}
    assert len(bases) == 8
    assert planned.later == 3 * 4  # the three kinds of notes, and all of them
