"""The designs ``suc``: each leaves out the one part that its name says, and nothing else."""

from __future__ import annotations

import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import RecipeError
from torr_plugin.papers.suc.designs import BEGIN, END, ROLE
from torr_plugin.prompts import PromptBuilder, designs
from torr_plugin.recipes import Configuration
from torr_plugin.tables import Table, serializers
from torr_plugin.tables.serializers import Serializer

ALL = [name for name in designs.names() if name.startswith("suc")]
CARDS = ("suc.table_partition", "suc.row_retrieval", "bundled.fact_verification", "bundled.aggregation")


def asked(card_name: str, design: str, serializer: str = "html") -> str:
    card = load_card(card_name)
    builder = PromptBuilder(card, read_examples(card, card.demo_split), seed=0, shots=1)
    example = read_examples(card, card.test_split)[3]
    (message,) = builder.build(example, Configuration(serializer, "none", design))
    return message.content


def parts(text: str) -> dict[str, bool]:
    last = text.rindex("<table>") if "<table>" in text else text.rindex("Table:")
    return {
        "role": ROLE in text,
        "explanation": "How the table is written: " in text,
        "marks": f"{BEGIN}\n<table>" in text and f"</table>\n{END}" in text,
        "question first": max(text.rfind("Question: "), text.rfind("Statement: ", 0, last)) < last,
        "demonstration": text.count("Answer: ") + text.count("Label: ") == 2,
    }


LEFT_OUT = {
    "suc": None,
    "suc_no_role": "role",
    "suc_no_explanation": "explanation",
    "suc_no_marks": "marks",
    "suc_question_last": "question first",
    "suc_no_demonstration": "demonstration",
}


@pytest.mark.full
@pytest.mark.parametrize(("design", "missing"), LEFT_OUT.items())
def test_a_design_leaves_out_what_its_name_says(design: str, missing: str | None) -> None:
    found = parts(asked("suc.row_retrieval", design))
    assert [part for part, there in found.items() if not there] == ([missing] if missing else [])


def test_no_design_is_forgotten() -> None:
    assert sorted(LEFT_OUT) == ALL


@pytest.mark.full
@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("design", ALL)
def test_every_card_can_be_asked_so(card: str, design: str) -> None:
    text = asked(card, design)
    assert text.endswith(load_card(card).template.target_prefix)
    assert "{" not in text.replace("{table}", "")
    assert "\n\n\n" not in text


@pytest.mark.full
def test_the_table_of_partition_stays_among_its_text() -> None:
    text = asked("suc.table_partition", "suc")
    places = [text.rindex(part) for part in ("Question: ", "Description: ", BEGIN, END, "Statement: ")]
    assert places == sorted(places)


@pytest.mark.parametrize("name", [name for name in serializers.text_names() if "test" not in name])
def test_every_format_is_explained(name: str) -> None:
    assert serializers.get(name).explanation.endswith(".")
    card = load_card("suc.row_retrieval")
    designs.get("suc").check(card, Configuration(name, "none", "suc"))


def test_a_format_without_words_is_refused_and_a_serializer_may_bring_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Odd(Serializer):
        name = "odd"

        def serialize(self, table: Table) -> str:
            return "odd"

    card, configuration = load_card("suc.row_retrieval"), Configuration("odd", "none", "suc")
    odd = Odd()
    own = serializers.registry.get
    monkeypatch.setattr(serializers, "get", lambda name: odd if name == "odd" else own(name))
    with pytest.raises(
        RecipeError, match=r"^configuration odd/none/suc: design 'suc' explains formats, and has no"
    ):
        designs.get("suc").check(card, configuration)
    designs.get("suc_no_explanation").check(card, configuration)
    odd.explanation = "Odd words."  # type: ignore[attr-defined]
    designs.get("suc").check(card, configuration)
    assert serializers.get("odd").explanation == "Odd words."
