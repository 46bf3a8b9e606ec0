"""The lenient score: right answers in any wrapping, no wrong one, never less than the faithful score."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.catalog import card_names, load_card
from torr_plugin.core.errors import CardError
from torr_plugin.scoring import card_score_names, check_main_score, metrics, score_example
from torr_plugin.scoring.answers import final_readings, label_of

from ..timing import quickly
from .made import FakeCard
from .styled_answers import CARDS, STYLES, as_wanted, right_answers, styles_of, wrong_answers

QUICK = ("bundled.cell_lookup", "finqa", "hctqa.real", "tab_fact", "wikitq")
PLAIN = st.text("abcXYZ019 ,%-", min_size=1).map(str.strip).filter(bool)


def lenient(name: str, text: str, reference: str) -> float:
    card = load_card(name)
    scores = score_example(card, text, [reference], {"answers": f'["{reference}"]'})
    return scores[f"{card.main_metric}.lenient"]


# -- styles and cards ------------------------------------------------------------------------------------


def assert_styles(name: str, count: int, shared_data: Path, made: Path, patch: pytest.MonkeyPatch) -> None:
    card, right = right_answers(name, count, shared_data, made, patch)
    main = card.main_metric
    for style, write in styles_of(card).items():
        found = [score_example(card, write(each.text), each.references, each.facts) for each in right]
        mean = sum(each[f"{main}.lenient"] for each in found) / len(found)
        assert mean >= 0.95, (style, mean)
    for seed, each in enumerate(right):
        for wrong in wrong_answers(each, right, seed):
            if score_example(card, as_wanted(card, wrong), each.references, each.facts)[main] >= 1:
                continue  # another right answer, or one that the publisher's metric takes for right
            for style, write in STYLES.items():
                scores = score_example(card, write(wrong), each.references, each.facts)
                assert scores[main] <= scores[f"{main}.lenient"]
                assert max(scores[main], scores[f"{main}.lenient"]) < 1, (style, wrong, each.references)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.full) for name in CARDS]
)
def test_right_answers_of_any_style_and_no_wrong_ones(
    name: str, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_styles(name, 3, shared_data, tmp_path / "data", monkeypatch)


@pytest.mark.release
@pytest.mark.parametrize("name", CARDS)
def test_two_hundred_wrong_answers_a_card(
    name: str, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_styles(name, 60, shared_data, tmp_path / "data", monkeypatch)


# -- readings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<think>41? No, 42.</think>\n42", "42"),
        ("Row 3 <b>x</b>, so 41.</think>The answer is 42.", "42"),
        ("2021\n\nThe answer is: 2021", "2021"),
        ("So the answer is: **Tern**", "Tern"),
        ("Based on the table, the answer is 42.", "42"),
        ("## Answer\n\n42", "42"),
        ("**Answer: 42**", "42"),
        ("Answer: 41\nThat was the wrong row.\nAnswer: 42", "42"),
        ("The answer is 42. This is because row 3 has it.", "42"),
        ("Thus, the final answer is $42$.", "42"),
        (r"\[ \boxed{\text{Tern, Gull}} \]", "Tern, Gull"),
        (r"So 12.5\%, i.e. $\boxed{12.5\%}$", "12.5%"),
        ('{"steps": "Row 3. The answer is 41.", "Answer": 42}', "42"),
        ('Here it is: {"answer": true}', "true"),
        ("```\n41\n```\nor rather\n```text\n42\n```", "42"),
        ("The number of loans of Botany books to Adults in 2021 is 1570.", "1570"),
        ("The number of visitors to the Maritime Museum in July is 419.", "419"),
        ("The number of visitors in May is 419.", "419"),
        ("The winner of the U.S. Open was **Bob Smith**.", "Bob Smith"),
        ("419\nQuestion: How many in May?\nAnswer: 12", "419"),
        ('"Tern".', "Tern"),
        ("Refuted.", "Refuted"),
        # what only looks like a wrapping
        ("2*3*4", "2*3*4"),
        ("- 5", "- 5"),
        ("snake_case_name", "snake_case_name"),
        ("St. Louis", "St. Louis"),
        ("$5", "$5"),
        ("", ""),
    ],
)
def test_the_final_answer_of_a_reply(reply: str, answer: str) -> None:
    assert final_readings(reply)[-1] == answer


def test_values_of_a_json_list_are_read_with_each_mark() -> None:
    assert final_readings('{"answer": ["a", "b"]}') == ["a, b", "a | b", "a || b"]
    assert lenient("hctqa.real", '```json\n{"answer": ["5", "6"]}\n```', "{5} || {6}") == 1
    assert lenient("wikitq", '{"answer": ["Tern", "Gull"]}', "Tern, Gull") == 1
    assert lenient("hitab.test", '{"answer": ["Tern", "Gull"]}', "Tern | Gull") == 1


@pytest.mark.parametrize(
    "reply",
    [
        r"\boxed{41} or \boxed{42}",
        r"First \boxed{41}, then \boxed{42}.",
        '{"answer": 42} or {"answer": 41}',
        "The answer is not 42",
        "The answer is not 42.",
        "This is not the answer: 42",
        "The answer is either 41 or 42.",
        "Answer: 42\nWait, that is wrong: it is 41.",
        "The answer is 42. No, it is 41.",
        "Answer: 42\n\nAnswer: 41",
        "The number is **42**.\nAnswer: 41",
        "It is false that the number is 42.",
        "The number is not 41, and it would be 42.",
        "If row 3 counts, the number is 42.",
        "Is the number 42?",
        "In 2020 the number was 41, in 2021 it was 42.",
        "The number in 2020 is 41. The number in 2021 is 42.",
        "The winner is 41 and the loser is 42.",
        "The number is not 42.",
        "The number is greater than 42.",
        "I doubt that it is 42.",
        "The first has 41 and the second is 42.",
        "Nothing shows that it is 42.",
        "```\n42\n```\nNo, that is the wrong row.",
        r"\boxed{42}. Wait, I counted the header.",
        '{"answer": 42} is wrong',
    ],
)
@pytest.mark.parametrize("name", ["wikitq", "hctqa.real", "hitab.test", "bundled.aggregation"])
def test_no_answer_that_is_denied_or_left_open(name: str, reply: str) -> None:
    assert lenient(name, reply, "42") < 1


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("Refuted.", "refuted"),
        ("False", "refuted"),
        ("**False**\n\nThe table has 41.", "refuted"),
        ("The statement is not true.", "refuted"),
        ("The statement is not supported by the table.", "refuted"),
        ("The statement is false.", "refuted"),
        ("No", "refuted"),
        ("The statement is refuted by the table.", "refuted"),
        ("The answer is: True", "entailed"),
        ("Yes.", "entailed"),
        (r"\boxed{\text{Supported}}", "entailed"),
        ("The statement is entailed.", "entailed"),
        ("not entailed", ""),
        ("either entailed or refuted", ""),
        ("The answer is either entailed or refuted.", ""),
        ("Is the statement true?", ""),
        ("It is not the case that the statement is true.", ""),
        ("The statement is neither true nor false.", ""),
        ("If row 3 counts, the statement is true.", ""),
        ("No doubt, the statement is true.", ""),
        ("Trueness", ""),
        ("Someone claims the statement is true.", ""),
        ("The table fails to show that the statement is true.", ""),
        ("The statement is only partly true.", ""),
        ("It is wrong to say that the statement is true.", ""),
        ("I cannot say whether it is true", ""),
    ],
)
def test_labels_in_other_words(reply: str, label: str) -> None:
    for name in ("tab_fact", "bundled.fact_verification"):
        assert {each for each in ("entailed", "refuted") if lenient(name, reply, each) == 1} == (
            {label} if label else set()
        )


def test_verdicts_of_three_labels() -> None:
    card = load_card("feverous")
    for reply, label in (("The claim is supported.", "SUPPORTS"), ("Not enough evidence", "NOT ENOUGH INFO")):
        scores = score_example(card, reply, [label])
        assert (scores["label_accuracy"], scores["label_accuracy.lenient"]) == (0, 1)


def test_a_label_is_the_whole_line() -> None:
    spellings = {"yes": ["true"], "no": ["false"]}
    assert [label_of(text, spellings) for text in ("TRUE.", " no\nmore", "true or false", "")] == [
        "yes",
        "no",
        "true or false",
        "",
    ]


# -- scores ----------------------------------------------------------------------------------------------


def test_a_json_card_takes_answers_in_other_forms() -> None:
    card = load_card("bundled.filings_extraction")
    facts = {"question": "How high was the revenue in 2021, in thousands?"}
    for reply, scored in (
        ("$721 thousand", 1),
        ("The revenue in 2021 was **$721 thousand**.", 1),
        ("Answer: 721", 1),
        ("Answer: 722", 0),
        ('{"answer": "722"}\nAnswer: 721', 0),  # it has the form that was asked for
        ("It was 700 in 2020.\nIt was 721 in 2021.", 0),
    ):
        scores = score_example(card, reply, ["$721 thousand"], facts)
        assert scores["accuracy.lenient"] == scored, reply


def test_spellings_change_no_fingerprint(tmp_path: Path) -> None:
    card = load_card("tab_fact")
    document = json.loads(card.path.read_text(encoding="utf-8"))
    assert document.pop("spellings")
    (tmp_path / "tab_fact.json").write_text(json.dumps(document), encoding="utf-8")
    without = load_card(tmp_path / "tab_fact.json")
    assert (without.spellings, without.fingerprint) == ({}, card.fingerprint)
    document["spellings"] = {"refuted": ["no"], "entailed": ["No"]}
    (tmp_path / "tab_fact.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(CardError, match=r"'No' is one of 'refuted' and of 'entailed'; expected one label"):
        load_card(tmp_path / "tab_fact.json")


@pytest.mark.full
def test_every_card_has_one_but_those_of_programs_and_pairs() -> None:
    cards = [load_card(name) for name in card_names()]
    without = {card.dataset for card in cards if f"{card.main_metric}.lenient" not in card_score_names(card)}
    assert without == {"realhitbench.chart_generation"}
    for card in cards:
        check_main_score(card)


def test_a_card_may_name_it_as_its_main_score(card: FakeCard) -> None:
    asked: Any = replace(card, main_metric="exact_match.lenient")
    check_main_score(asked)
    assert card_score_names(asked)[0] == "exact_match.lenient"
    assert score_example(asked, "The answer is apple.", ["apple"])["exact_match.lenient"] == 1
    with pytest.raises(CardError, match=r"no metric gives its main score 'exact\.lenient'"):
        check_main_score(replace(asked, main_metric="exact.lenient"))


def test_the_answer_is_rated_once_where_its_reading_is_the_same(
    card: FakeCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    rated: list[str] = []
    real = metrics.get("exact_match")
    monkeypatch.setattr(
        type(real),
        "scores",
        lambda self, text, right: rated.append(text) or {"exact_match": float(text in right)},
    )
    fruit: Any = card
    for text in ("apple", "fig", " fig \nand more", "apple."):
        score_example(fruit, text, ["apple"])
    assert rated == ["apple", "fig", "fig", "apple.", "apple"]


# -- properties ------------------------------------------------------------------------------------------


def test_json_without_its_end() -> None:
    assert final_readings('{"answer": "42"') == ["42"]
    assert final_readings('{"answer": "42"\nThe answer is 41')[-1] == "41"


@given(PLAIN)
def test_a_plain_answer_is_its_own_reading(text: str) -> None:
    assert final_readings(text) == [text]


@given(PLAIN, st.sampled_from(sorted(STYLES)))
def test_every_style_is_read_and_read_again(text: str, style: str) -> None:
    read = final_readings(STYLES[style](text))
    assert text.casefold() in map(str.casefold, read)
    assert final_readings(read[-1])[-1] == read[-1]


@given(
    st.lists(
        st.sampled_from(
            [
                "42",
                "41",
                " is ",
                "The answer is ",
                "**",
                "`",
                "```\n",
                "\n",
                "{",
                "}",
                '"answer": ',
                r"\boxed{",
                "$",
                ". ",
                "not ",
                "</think>",
                "Answer: ",
                "#",
                "_",
                "é",
                "\0",
            ]
        )
        | st.text(max_size=3),
        max_size=25,
    ).map("".join)
)
def test_it_is_never_lower_and_nothing_fails(text: str) -> None:
    assert final_readings(text)
    for name in ("wikitq", "hctqa.real", "tab_fact", "suc.size_detection", "bundled.filings_extraction"):
        card = load_card(name)
        scores = score_example(card, text, ["42"], {"answers": '["42"]'})
        assert scores[card.main_metric] <= scores[f"{card.main_metric}.lenient"] <= 1


HOSTILE = (
    "*a ", "**", "__a", "`", "```\n", "# ", "\\boxed{", "\\boxed{{a}", "{", '{"answer": ', '{"answer": 1}',
    "$", "$a ",
    "answer: ", "The answer is ", "\nAnswer: ", ". A", "abc. A", " is ", " is is", "is:", "not ", '"',
    "</think>",
    "\nQuestion: ", " ", "\n", "1. ", ", the answer", "\\text{",
)  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("unit", HOSTILE)
def test_long_replies_take_no_long_time(unit: str) -> None:
    quickly(lambda: final_readings((unit * 100_000)[:100_000]))
    quickly(lambda: final_readings(f"The answer is {unit}" + "a" * 100_000 + unit * 1000))
    quickly(lambda: label_of((unit * 100_000)[:100_000], {"yes": ["true"]}))


def test_of_a_very_long_reply_the_end_is_read() -> None:
    assert final_readings("So it goes. " * 20_000 + "\nAnswer: 42")[-1] == "42"
