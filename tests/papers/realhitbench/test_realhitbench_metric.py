"""RealHiTBench's scorer: its rules by hand, against a plain reference, and on the benchmark's own answers."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.papers.realhitbench.metrics import corpus_scores, normalized
from torr_plugin.scoring import metrics

from ...catalog.realhitbench import questions

METRIC = metrics.get("realhitbench")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The  Total,\tMen", "total men"),
        ("55.12%", "551"),
        ("2.50 and 2.04", "25 and 20"),
        ("1,234.56", "12346"),
        ("-5.8", "58"),
        ("0.25 0.35", "02 03"),  # as binary fractions are rounded: 0.25 to even, 0.35 is a little less
        ("7.", "7"),
        (".55", "55"),
        ("1.10.26", "1126"),
        ("v2.55", "v255"),  # a letter before it: no number of its own
        ("A an THE theme", "theme"),
        ("it's", "its"),
        ("“12”", "“12”"),  # only ASCII's punctuation goes
        ("-", "-"),
        ("A", "a"),
        ("the “", "“"),
        ("٣.١٤", "31"),
        ("9" * 400 + ".5", "inf"),
    ],
)
def test_a_text_is_normalized(text: str, plain: str) -> None:
    assert normalized(text) == plain


@pytest.mark.parametrize(
    ("answer", "reference", "f1", "exact"),
    [
        ("1955, 62170", "1955, 62170", 1, 1),
        ("1955 62170", "1955, 62170", 1, 1),
        ("1955,62170", "1955, 62170", 0, 0),  # without its comma one word
        ("62170, 1955", "1955, 62170", 1, 0),
        ("35 to 44 years", "35 to 39 years", 3 / 4, 0),
        ("Yes, in 1955", "yes", 1 / 2, 0),
        ("no no", "no", 2 / 3, 0),
        ("", "5", 0, 0),
        ("", "", 0, 0),
        ("", "#", 0, 0),
        ("A", "a", 1, 1),
        ("5", "A", 0, 0),
    ],
)
def test_answers_are_rated(answer: str, reference: str, f1: float, exact: float) -> None:
    assert METRIC.scores(answer, [reference]) == pytest.approx({"f1": f1, "exact_match": exact})


def test_the_best_of_several_references_counts() -> None:
    assert METRIC.scores("Peru", ["Chile", "Peru and Chile", "peru"]) == {"f1": 1, "exact_match": 1}


def plainly(answer: str, reference: str) -> dict[str, float]:
    """Both scores by the rules' description, a character and a word at a time."""
    given_words, right_words = words(answer) or [None], words(reference)
    left, shared = list(right_words), 0
    for word in given_words:
        if word in left:
            left.remove(word)
            shared += 1
    f1 = 2 * shared / (len(given_words) + len(right_words))
    return {"f1": f1, "exact_match": float(given_words == right_words)}


def words(text: str) -> list[str]:
    made, at = "", 0
    while at < len(text):
        number, after = number_at(text, at)
        made += number or text[at]
        at = after
    lower = made.lower()
    kept = "".join(character for character in lower if character not in string.punctuation)
    return next((found for text in (without_articles(kept), kept, lower) if (found := text.split())), [])


def number_at(text: str, at: int) -> tuple[str, int]:
    """The rounded number that begins there, and the place behind it; "" and the next place without one."""
    parts: list[str] = []
    end = at
    for mark in (".", ""):
        start = end
        while end < len(text) and text[end].isdecimal():
            end += 1
        if end == start:
            return "", at + 1
        parts.append(text[start:end])
        if mark:
            if text[end : end + 1] != mark:
                return "", at + 1
            end += 1
    if is_word(text[at - 1 : at]) or is_word(text[end : end + 1]):
        return "", at + 1
    return str(round(float(".".join(parts)), 1)), end


def is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def without_articles(text: str) -> str:
    made, word = "", ""
    for character in [*text, " "]:
        if is_word(character):
            word += character
            continue
        made += (" " if word in ("a", "an", "the") else word) + character
        word = ""
    return made


PIECES = [
    "the",
    "a",
    " ",
    "  ",
    ",",
    ".",
    "5",
    "0.25",
    "12.349",
    "1,234.5",
    "%",
    "-",
    "Yes",
    "x",
    "“",
    "_",
    "\n",
]


@given(
    answer=st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    reference=st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
)
def test_the_scores_are_those_of_a_plain_reference(answer: str, reference: str) -> None:
    assert METRIC.scores(answer, [reference]) == pytest.approx(plainly(answer, reference))


@given(st.lists(st.tuples(*[st.sampled_from(["a b", "1.25", "no", "x y z", "", "no x"])] * 2), min_size=1))
def test_over_a_corpus_words_are_pooled(pairs: list[tuple[str, str]]) -> None:
    found = corpus_scores(pairs)
    given_words, right_words = ([words(pair[side]) for pair in pairs] for side in (0, 1))
    shared = sum(
        len(one) + len(other) - _apart(one, other)
        for one, other in zip(given_words, right_words, strict=True)
    )
    total = sum(len(each) or 1 for each in given_words) + sum(map(len, right_words))
    assert found["f1"] == pytest.approx(shared / total)
    exact = [METRIC.scores(answer, [reference])["exact_match"] for answer, reference in pairs]
    assert found["exact_match"] == pytest.approx(sum(exact) / len(exact))


def _apart(one: list[str], other: list[str]) -> int:
    """How many words of either text the other has not."""
    left = list(other)
    missing = [word for word in one if word not in left or left.remove(word)]
    return len(missing) + len(left)


def test_a_single_pair_is_its_own_corpus() -> None:
    assert corpus_scores([("no x", "x y")]) == METRIC.scores("no x", ["x y"])


MUTATIONS: dict[str, Callable[[str, random.Random], str]] = {
    "as it is": lambda text, _: text,
    "upper case": lambda text, _: text.upper(),
    "without marks": lambda text, _: text.replace(",", "").replace(".", ""),
    "more decimals": lambda text, chance: text.replace(".", f".{chance.randrange(10)}"),
    "a word less": lambda text, _: " ".join(text.split()[1:]),
    "shuffled": lambda text, chance: " ".join(chance.sample(text.split(), len(text.split()))),
    "in a sentence": lambda text, _: f"The answer is {text}.",
    "digits changed": lambda text, chance: "".join(
        str(chance.randrange(10)) if each.isdigit() else each for each in text
    ),
}


def mutated(references: Iterable[str], seed: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(seed)
    names = list(MUTATIONS)
    for number, reference in enumerate(references):
        yield MUTATIONS[names[number % len(names)]](reference, chance), reference


RATED = ("Fact Checking", "Numerical Reasoning", "Data Analysis")


@pytest.mark.full
def test_published_answers_are_right_and_changed_ones_rated_as_plainly(shared_data: Path) -> None:
    answers = [row["FinalAnswer"] for row in questions(shared_data) if row["QuestionType"] in RATED]
    assert len(answers) > 2_000
    wrong = [text for text in answers if METRIC.scores(text, [text]) != {"f1": 1, "exact_match": 1}]
    assert wrong == []
    for answer, reference in mutated(answers, seed=1):
        assert METRIC.scores(answer, [reference]) == pytest.approx(plainly(answer, reference)), answer


def test_a_pairs_answers_are_rated_against_each_other() -> None:
    metric = metrics.get("realhitbench_consistency")
    assert metric.pairs  # type: ignore[attr-defined]
    assert metric.scores("12 boats", ["12.0, boats"]) == {"consistency_f1": 0.5, "consistency": 0}
    assert metric.scores("Yes.", ["yes"]) == {"consistency_f1": 1, "consistency": 1}
    assert metric.scores("", [""]) == {"consistency_f1": 0, "consistency": 0}


def test_rouge_is_of_normalized_words() -> None:
    rouge = metrics.get("realhitbench_rouge")
    assert rouge.scores("The mean is 5.81", ["a mean of 5.8"]) == {"rougeL": pytest.approx(2 / 3)}
    assert rouge.scores("", ["x"]) == {"rougeL": 0}
