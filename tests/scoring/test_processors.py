"""Every postprocessor does what unitxt's operator of that name does."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog.folders import ARTIFACTS
from torr_plugin.core.errors import CardError, UnknownNameError
from torr_plugin.scoring.processors import postprocess, processors

TEXT = st.one_of(
    st.text(max_size=20),
    st.lists(
        st.sampled_from(
            [
                "yes",
                "no",
                "the",
                "a",
                "An",
                " ",
                "\n",
                ", ",
                ",",
                ".",
                ":",
                "Final Answer:",
                "--1.5",
                "-",
                "7",
                "[[",
                "]]",
                "B",
                "nan",
                "é",
                "_",
            ]
        ),
        max_size=8,
    ).map("".join),
)


@cache
def theirs(name: str) -> Any:
    from unitxt.artifact import Artifact, fetch_artifact

    if name.startswith("torr."):  # our own artifact, by unitxt's operators
        import torr_plugin.integrations.unitxt.artifacts  # noqa: F401 (some are operators of our own)

        file = ARTIFACTS.joinpath("processors", *name.split(".")).with_suffix(".json")
        return Artifact.from_dict(json.loads(file.read_text()))
    return fetch_artifact(f"processors.{name}")[0]


@pytest.mark.parametrize("name", processors.names())
@settings(deadline=None)  # the first use imports unitxt
@given(text=TEXT)
def test_as_unitxt_does(name: str, text: str) -> None:
    assert processors.get(name)(text) == theirs(name).operator.process_value(text)


@pytest.mark.parametrize("name", processors.names())
def test_applied_to_what_unitxt_applies_it_to(name: str) -> None:
    step = processors.get(name)
    assert theirs(name).process_prediction
    assert step.references == theirs(name).process_references


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("12", "12"),
        ("Final Answer: 12", " 12"),
        ("I think [Final Answer]: 1\nNo:\nfinal answer :12\n", "12\n"),
        ("**Final Answer:** 12", "** 12"),
        ("The final answer is 12", "The final answer is 12"),
        ("", ""),
    ],
)
def test_what_follows_the_last_final_answer(text: str, answer: str) -> None:
    assert processors.get("torr.final_answer")(text) == answer


CARDS = {  # the postprocessors of unitxt's own table cards
    "wikitq": ["take_first_non_empty_line", "to_list_by_comma_space", "str_to_float_format"],
    "tab_fact": ["take_first_non_empty_line", "lower_case_till_punc"],
    "scigen": ["lower_case"],
    "tablebench": [
        "take_first_non_empty_line",
        "lower_case",
        "remove_punctuations",
        "remove_articles",
        "fix_whitespace",
    ],
}


@pytest.mark.parametrize("card", CARDS)
@settings(deadline=None)  # the first use imports unitxt
@given(text=TEXT, references=st.lists(TEXT, min_size=1, max_size=3))
def test_chains_of_unitxts_cards(card: str, text: str, references: list[str]) -> None:
    from unitxt.operator import SequentialOperator
    from unitxt.stream import MultiStream

    chain = SequentialOperator(steps=[theirs(name) for name in CARDS[card]])
    stream = MultiStream.from_iterables(
        {"test": [{"prediction": text, "references": list(references)}]}, copying=True
    )
    expected = next(iter(chain(stream)["test"]))
    given_names = [f"processors.{name}" for name in CARDS[card]]
    assert postprocess(text, references, given_names) == (expected["prediction"], expected["references"])


def test_by_hand() -> None:
    assert postprocess(" \n Yes, it is.\nBut", ["Yes"], CARDS["tab_fact"]) == ("yes", ["yes"])
    assert postprocess("b, a", ["a, b"], CARDS["wikitq"]) == ("['b', 'a']", ["['a', 'b']"])
    assert postprocess("it is [[yes]]", ["yes"], ["extract_from_double_brackets"]) == ("yes", ["yes"])
    assert postprocess("The U.S.A.", ["x"], []) == ("The U.S.A.", ["x"])


def test_an_unknown_step_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown processor 'lowercase'; did you mean 'lower_case'"):
        processors.get("processors.lowercase")
    with pytest.raises(CardError, match=r"^cards.x: postprocessors: unknown processor 'lowercase'"):
        postprocess("a", ["a"], ["lowercase"], where="cards.x: postprocessors")


def test_a_list_must_become_text_again() -> None:
    with pytest.raises(
        CardError, match=r"the last step makes a list, but metrics take text; a list goes to one of: convert"
    ):
        postprocess("a, b", ["a"], ["to_list_by_comma"])
    with pytest.raises(CardError, match="'lower_case' takes text, but the step before it makes a list"):
        postprocess("a, b", ["a"], ["to_list_by_comma", "lower_case"])
