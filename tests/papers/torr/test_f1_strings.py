"""ToRR's published column of WikiTableQuestions, beside unitxt's card and metric."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torr_plugin.scoring import metrics

pytestmark = pytest.mark.usefixtures("unitxt_alone")

ANSWERS = [
    ("Italy", ["Italy"]),
    ("Peru", ["Italy"]),
    ("Italy, Peru", ["Italy", "Peru"]),
    ("Peru", ["Italy", "Peru"]),
    ("Baltimore, Maryland", ["Baltimore, Maryland"]),
    ("12", ["12.0"]),
    ("\n 3,000 \nbecause", ["3000"]),
    ('it\'s "x"', ["its", "x"]),
    ("", ["Italy"]),
]


@cache
def unitxt_parts() -> tuple[list[Any], Any]:
    """The postprocessors of unitxt's card, and its metric on a blank English tokenizer."""
    import spacy
    from unitxt import metrics as theirs
    from unitxt.artifact import fetch_artifact

    card, _ = fetch_artifact("cards.wikitq")

    class Blank(theirs.F1Strings):
        def load_spacy(self) -> None:
            self.nlp = spacy.blank("en")

    return [fetch_artifact(name)[0] for name in card.templates[0].postprocessors], Blank()


def by_unitxt(answer: str, references: list[str]) -> float:
    from unitxt.stream import MultiStream

    steps, metric = unitxt_parts()
    streams = MultiStream.from_iterables({"test": [{"prediction": answer, "references": references}]})
    for step in steps:
        streams = step(streams)
    (made,) = streams["test"]
    computed = metric.compute(made["references"], made["prediction"], [])["f1_strings"]
    return float(computed[0] if isinstance(computed, list) else computed)


def ours(answer: str, references: list[str]) -> float:
    metric: Any = metrics.get("torr_f1_strings")
    scored: dict[str, float] = metric.scores(
        answer, [", ".join(references)], {"answers": json.dumps(references)}
    )
    return scored["torr_f1_strings"]


@pytest.mark.parametrize(("answer", "references"), ANSWERS)
def test_made_answers(answer: str, references: list[str]) -> None:
    assert ours(answer, references) == by_unitxt(answer, references)


words = st.text(st.sampled_from("ab1 ,.'\"|[]()-é"), min_size=1, max_size=12).filter(str.strip)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words, st.lists(words, min_size=1, max_size=3))
def test_any_answers(answer: str, references: list[str]) -> None:
    assert ours(answer, references) == by_unitxt(answer, references)


def test_a_wrong_word_gets_most_of_the_points() -> None:
    assert ours("Peru", ["Italy"]) == pytest.approx(0.8)


def test_without_the_fact() -> None:
    assert metrics.get("torr_f1_strings").scores("a, b", ["a, b"])["torr_f1_strings"] == ours(
        "a, b", ["a", "b"]
    )
