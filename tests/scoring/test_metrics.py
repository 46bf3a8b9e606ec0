"""Metrics against references of their own: exact matches, overlaps, lists; and the registry."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from torr_plugin.core.errors import InputError, UnknownNameError
from torr_plugin.scoring import Metric, metrics
from torr_plugin.scoring.metrics.exact_match import normalize
from torr_plugin.scoring.metrics.rouge import common_subsequence

TEXT = st.text(max_size=40)
REFERENCES = st.lists(TEXT, min_size=1, max_size=3)


@pytest.mark.parametrize("name", sorted({*metrics.names()} - {"charts"}))  # which runs programs: test_charts
@settings(deadline=None, max_examples=20)  # the first use loads a tokenizer
@given(prediction=TEXT, references=REFERENCES)
def test_scores_lie_between_0_and_1_under_the_same_names(
    name: str, prediction: str, references: list[str]
) -> None:
    metric = metrics.get(name)
    scores = metric.scores(prediction, references)
    assert list(scores) == list(metric.scores("", [""]))
    assert metric.main in scores
    assert all(isinstance(value, float) and 0 <= value <= 1 for value in scores.values())


@pytest.mark.parametrize(
    "name", sorted({*metrics.names()} - {"finqa", "charts", "feverous"})
)  # which rate programs and labels, no words
@settings(deadline=None, max_examples=15)
@given(words=st.lists(st.sampled_from(["ab", "1.50", "C", "of", "2,000"]), min_size=2, max_size=6))
def test_a_perfect_answer_scores_1(name: str, words: list[str]) -> None:
    text = " ".join(words)
    answer = json.dumps({"answer": text}) if name.startswith("tablequest") else text
    assert set(metrics.get(name).scores(answer, [text]).values()) == {1.0}


@settings(deadline=None)
@given(words=st.lists(st.sampled_from(["ab", "cd", "ef", "gh"]), min_size=1, max_size=6), random=st.randoms())
def test_word_order_matters_to_rouge_2_and_l_alone(words: list[str], random: object) -> None:
    shuffled = list(words)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert metrics.get("f1_strings").scores(" ".join(shuffled), [" ".join(words)]) == {"f1_strings": 1.0}
    assert metrics.get("rouge").scores(" ".join(shuffled), [" ".join(words)])["rouge1"] == 1.0


def test_accuracy_is_equality_to_the_letter_with_any_reference() -> None:
    accuracy = metrics.get("accuracy")
    assert accuracy.scores("refuted", ["entailed", "refuted"]) == {"accuracy": 1.0}
    assert accuracy.scores("Refuted", ["refuted"]) == {"accuracy": 0.0}
    assert accuracy.scores("refuted.", ["refuted"]) == {"accuracy": 0.0}


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  New   York ", "new york"),
        ("Straße", "strasse"),
        ("Yes.", "yes"),
        ("Yes .", "yes"),
        ("1,234,567", "1234567"),
        ("$1,200.50", "$1200.5"),
        ("1,23", "1,23"),
        ("1,2345", "1,2345"),
        ("12,345", "12345"),
        ("1234,567", "1234,567"),
        ("26.0", "26"),
        ("2.50 and 3.00", "2.5 and 3"),
        ("200", "200"),
        ("0.005", "0.005"),
        ("1.10.0", "1.10.0"),
        ("26.", "26"),
        ("", ""),
    ],
)
def test_exact_match_normalizes(text: str, normal: str) -> None:
    assert normalize(text) == normal


@given(text=st.text(alphabet="aB .,0125\n", max_size=20))
def test_a_normal_form_but_for_its_full_stop_is_final(text: str) -> None:
    assume(not ("," in text and "." in text))  # of 0.0,000 the zeros go first, and then its comma
    normal = normalize(text)
    assert normal.endswith(".") or normalize(normal) == normal


def test_exact_match_takes_any_reference() -> None:
    exact = metrics.get("exact_match")
    assert exact.scores("1,200.0", ["12", "1200"]) == {"exact_match": 1.0}
    assert exact.scores("1200 km", ["1200"]) == {"exact_match": 0.0}


def test_f1_strings_counts_tokens_of_all_references_together() -> None:
    f1 = metrics.get("f1_strings")
    # "one", "two" against "two", "three", "three": one shared; precision 1/2, recall 1/3
    assert f1.scores("One two", ["two three", "three"])["f1_strings"] == pytest.approx(0.4)
    # the tokenizer takes punctuation and clitics apart: "don't." is "do", "n't", "."
    assert f1.scores("do", ["don't."])["f1_strings"] == pytest.approx(0.5)
    assert f1.scores("", [""]) == {"f1_strings": 0.0}


def test_f1_strings_reads_text_with_a_lone_surrogate() -> None:
    assert metrics.get("f1_strings").scores("ab \ud83d", ["ab"])["f1_strings"] == pytest.approx(2 / 3)


def test_rouge_takes_the_best_reference_of_each_score() -> None:
    scores = metrics.get("rouge").scores("The cat sat", ["a dog", "the cat ran", "sat the mat on cat"])
    # "the cat ran" shares 2 of 3 words, 1 of 2 pairs, subsequence "the cat"; the last has all three of 5
    assert scores == pytest.approx({"rouge1": 0.75, "rouge2": 0.5, "rougeL": 2 / 3})


def test_rouge_of_nothing_is_0() -> None:
    nothing = {"rouge1": 0.0, "rouge2": 0.0, "rougeL": 0.0}
    assert metrics.get("rouge").scores("", ["a b"]) == nothing
    assert metrics.get("rouge").scores("表", ["表"]) == nothing
    assert metrics.get("rouge").scores("a", ["a"]) == {"rouge1": 1.0, "rouge2": 0.0, "rougeL": 1.0}


@given(
    one=st.lists(st.sampled_from("abcd"), max_size=12), other=st.lists(st.sampled_from("abcd"), max_size=12)
)
def test_the_subsequence_is_as_long_as_the_textbook_says(one: list[str], other: list[str]) -> None:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, mine in enumerate(one):
        for j, theirs in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if mine == theirs else max(table[i][j + 1], table[i + 1][j])
    assert common_subsequence(one, other) == table[-1][-1]


def test_a_metric_is_found_under_its_name_in_cards_too() -> None:
    assert metrics.get("metrics.rouge") is metrics.get("rouge")


def test_an_unknown_metric_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown metric 'rogue'; did you mean 'rouge'"):
        metrics.get("rogue")


def test_a_plugin_cannot_take_a_name_that_is_taken() -> None:
    class Mine(Metric):
        name = "rouge"
        main = "rouge"

        def scores(self, prediction: str, references: object) -> dict[str, float]:
            return {"rouge": 1.0}

    with pytest.raises(
        InputError, match="two metrics are called 'rouge': one from torr-plugin, one from mine"
    ):
        metrics.register("rouge", Mine(), origin="mine")
