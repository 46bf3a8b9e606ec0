"""BLEU, HybridQA's, SQA's and FEVEROUS's scores against the publishers' definitions, written out here."""

from __future__ import annotations

import json
import math
import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import partial

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from tests.timing import quickly
from torr_plugin.papers.suc.metrics.feverous import has_complete_set
from torr_plugin.scoring import metrics
from torr_plugin.scoring.metrics.bleu import corpus_bleu

BLEU, HYBRID_QA, SQA, FEVEROUS = (metrics.get(name) for name in ("bleu", "hybrid_qa", "sqa", "feverous"))

# answers and references of our own, tokens parted by single spaces, so that 13a's tokens are the words
ANSWERS = [
    ("ada rowe played miss taylor in emma", ["ada rowe played miss taylor in emma , a film of 1996"]),
    (
        "in 1996 rowe played taylor in the film emma",
        [
            "ada rowe played miss taylor in emma",
            "in 1996 rowe was miss taylor in the film emma",
            "rowe played in emma",
        ],
    ),
    (
        "the boat has twelve seats and the boat has a sail",
        ["the boat has twelve seats", "the boat has a sail"],
    ),
    ("a port", ["ostmouth is a port of the bay", "a port of the bay"]),
]


def plain_bleu(pairs: Sequence[tuple[str, Sequence[str]]], order: int) -> float:
    """Papineni et al., section 2: pooled clipped precisions and the brevity penalty, without smoothing."""
    hits, totals, length, nearest = [0] * order, [0] * order, 0, 0
    for answer, references in pairs:
        words = answer.split()
        length += len(words)
        nearest += min((abs(len(each.split()) - len(words)), len(each.split())) for each in references)[1]
        for n in range(1, order + 1):
            own = Counter(zip(*(words[k:] for k in range(n)), strict=False))
            best: Counter[tuple[str, ...]] = Counter()
            for each in references:
                best |= Counter(zip(*(each.split()[k:] for k in range(n)), strict=False))
            hits[n - 1] += (own & best).total()
            totals[n - 1] += own.total()
    if not all(hits):
        return 0.0
    penalty = min(1.0, math.exp(1 - nearest / length))
    return penalty * math.exp(sum(math.log(h / t) for h, t in zip(hits, totals, strict=True)) / order)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_corpus_bleu_is_the_papers_formula(order: int) -> None:
    assert corpus_bleu(ANSWERS, padded=False)[f"bleu{order}"] == pytest.approx(plain_bleu(ANSWERS, order))


def test_corpus_bleu_is_what_totto_s_script_gives() -> None:
    """Lower case, three references made up with <null>, and what sacreBLEU's command line computes."""
    pairs = [
        ("Ada Rowe played Miss Taylor in Emma.", ["Ada Rowe was Miss Taylor in Emma (1996)."]),
        (
            "Her first film, Emma, came out in 1996!",
            ["Rowe's first film came out in 1996.", "Emma came out in 1996."],
        ),
        ("", ["A port."]),
    ]
    answers = [answer.lower() or "<null>" for answer, _ in pairs]
    listed = [[*(each.lower() for each in texts), "<null>", "<null>"][:3] for _, texts in pairs]
    theirs = sacrebleu.corpus_bleu(answers, [list(stream) for stream in zip(*listed, strict=True)])
    assert corpus_bleu(pairs)["bleu4"] == pytest.approx(theirs.score / 100)
    assert corpus_bleu(pairs)["bleu4"] != pytest.approx(corpus_bleu(pairs, padded=False)["bleu4"])


@pytest.mark.parametrize(("answer", "references"), ANSWERS[:3])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_bleu_of_an_answer_is_nltk_s_and_sacrebleu_s(answer: str, references: list[str], order: int) -> None:
    scores = BLEU.scores(answer, references)
    weights = tuple(1 / order for _ in range(order))
    words = [each.split() for each in references]
    assert scores[f"bleu{order}"] == pytest.approx(sentence_bleu(words, answer.split(), weights))
    assert scores["bleu4"] == pytest.approx(sacrebleu.sentence_bleu(answer, references).score / 100)


def test_an_order_that_finds_nothing_is_smoothed() -> None:
    answer, reference = "a film of the bay", "the film of a port"
    scores = BLEU.scores(answer, [reference])
    ours = SmoothingFunction().method3  # NIST's geometric smoothing, sacreBLEU's "exp"
    expected = sentence_bleu([reference.split()], answer.split(), smoothing_function=ours)
    assert scores["bleu4"] == pytest.approx(expected)
    assert 0 < scores["bleu4"] < scores["bleu1"]


@given(st.text(max_size=200), st.lists(st.text(max_size=80), min_size=1, max_size=3))
@settings(max_examples=30, deadline=None)
def test_scores_are_shares_whatever_a_model_writes(answer: str, references: list[str]) -> None:
    for metric in (BLEU, HYBRID_QA, SQA, FEVEROUS):
        scores = metric.scores(answer, references)
        assert list(scores) == list(metric.score_names)
        assert all(0 <= each <= 1 for each in scores.values())
    assert corpus_bleu([(answer, references)])["bleu4"] <= 1


def squad(answer: str, gold: str) -> tuple[float, float]:
    """HybridQA's published evaluation, from its definition: SQuAD's normalization, equality, F1 of words."""

    def words(text: str) -> list[str]:
        text = "".join(each for each in text.lower() if each not in set(string.punctuation))
        return re.sub(r"\b(a|an|the)\b", " ", text).split()

    ours, theirs = words(answer), words(gold)
    same = sum((Counter(ours) & Counter(theirs)).values())
    if not ours or not theirs:
        return float(ours == theirs), float(ours == theirs)
    return float(ours == theirs), 2 * same / (len(ours) + len(theirs)) if same else 0.0


@given(
    st.lists(
        st.sampled_from(["The", "a", "Rome", "rome,", "1,205", "12", "U.S.", "an", "&", "bay"]), max_size=6
    ),
    st.lists(st.sampled_from(["the", "Rome", "1205", "12", "US", "bay."]), max_size=4),
)
@settings(max_examples=50, deadline=None)
def test_hybrid_qa_is_its_publishers(answer: list[str], gold: list[str]) -> None:
    scores = HYBRID_QA.scores(" ".join(answer), [" ".join(gold)])
    assert (scores["exact_match"], scores["f1"]) == pytest.approx(squad(" ".join(answer), " ".join(gold)))


@pytest.mark.parametrize(
    ("answer", "score"),
    [("It is Ostmouth.", 1.0), ("Ostmoth, in the bay", 1.0), ("ostmouth", 1.0), ("the bay", 0.0), ("", 0.0)],
)
def test_the_papers_accuracy_is_lenient(answer: str, score: float) -> None:
    assert HYBRID_QA.scores(answer, ["Ostmouth"])["suc_accuracy"] == score


@pytest.mark.parametrize(
    ("answer", "score", "contained"),
    [
        ("Gull | Auk", 1.0, 1.0),
        ("Auk | gull", 1.0, 0.5),
        ("Gull, Auk", 1.0, 1.0),
        ("Gull and Auk", 1.0, 1.0),
        ("Gull | Auk | Auk", 1.0, 1.0),
        ("Gull", 0.0, 0.5),
        ("Gull | Auk | Tern", 0.0, 1.0),
        ("", 0.0, 0.0),
    ],
)
def test_sqa_compares_sets_of_cells(answer: str, score: float, contained: float) -> None:
    scores = SQA.scores(answer, ["Gull | Auk"])
    assert (scores["denotation_accuracy"], scores["suc_accuracy"]) == (score, contained)


CELLS = [["Tern", "12"], ["Gull", "7"], ["Auk", "7"]]
PLACES = [(row, column) for row in range(3) for column in range(2)]


@given(st.sets(st.sampled_from(PLACES), min_size=1), st.sets(st.sampled_from(PLACES), min_size=1))
@settings(max_examples=50, deadline=None)
def test_sqa_is_its_script_but_for_cells_with_one_text(
    answered: set[tuple[int, int]], gold: set[tuple[int, int]]
) -> None:
    """The script is right where both name the same coordinates."""
    texts = [" | ".join(CELLS[row][column] for row, column in sorted(each)) for each in (answered, gold)]
    score = SQA.scores(texts[0], [texts[1]])["denotation_accuracy"]
    if answered == gold:
        assert score == 1
    elif {CELLS[r][c] for r, c in answered} != {CELLS[r][c] for r, c in gold}:
        assert score == 0


def test_the_sets_of_repeated_texts_are_read_in_any_form() -> None:
    for answer in ("12 | 7 | 7", "12 | 7", "12, 7", "12; 7; 7", "12\n7"):
        assert SQA.scores(answer, ["12 | 7 | 7"])["denotation_accuracy"] == 1, answer


def published_feverous(
    label: str, predicted_label: str, predicted: list[str], gold: list[list[str]]
) -> tuple[float, float]:
    """FEVEROUS's scorer from its definition (section 5): at most 5 sentences and 25 cells count."""
    kept, sentences, cells = [], 0, 0
    for element in predicted:
        _, kind, _ = element.split("_", 2)
        if kind in ("cell", "item"):
            cells += 1
            fits = cells <= 25
        else:
            sentences += 1
            fits = sentences <= 5
        if fits:
            kept.append(element)
    right = label.upper() == predicted_label.upper()
    found = any(all(each in kept for each in group) for group in gold)
    return float(right), float(right and found)


ELEMENTS = [
    *(f"Page_sentence_{n}" for n in range(7)),
    *(f"Page_cell_0_{n}_1" for n in range(30)),
    "Page_item_0_3",
]
LABELS = ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]


@given(
    st.sampled_from(LABELS),
    st.sampled_from(LABELS),
    st.lists(
        st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=34, unique=True), min_size=1, max_size=3
    ),
)
@settings(max_examples=50, deadline=None)
def test_feverous_is_its_publishers_scorer(label: str, answer: str, gold: list[list[str]]) -> None:
    facts = {"evidence": json.dumps(gold), "shown": json.dumps(gold[-1])}
    scores = metrics.get("feverous").scores(answer, [label], facts)  # type: ignore[call-arg]
    assert tuple(scores.values()) == published_feverous(label, answer, gold[-1], gold)


def test_more_evidence_than_a_system_may_hand_in_costs_the_feverous_score_alone() -> None:
    gold = [[f"Page_sentence_{n}" for n in range(6)]]
    facts = {"evidence": json.dumps(gold), "shown": json.dumps(gold[0])}
    scores = metrics.get("feverous").scores("SUPPORTS", ["SUPPORTS"], facts)  # type: ignore[call-arg]
    assert scores == {"label_accuracy": 1.0, "feverous_score": 0.0}
    assert has_complete_set(gold[0], [gold[0], gold[0][:5]])


def test_header_cells_and_captions_count_as_cells() -> None:
    """The published scorer takes them for sentences, as it takes their kind from the first word."""
    gold = [[f"Page_header_cell_0_0_{n}" for n in range(6)] + ["Page_table_caption_0"]]
    assert has_complete_set(gold[0], gold)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("SUPPORTS", "SUPPORTS"),
        ("**Supports**.", "SUPPORTS"),
        ("not enough info", "NOT ENOUGH INFO"),
        ("The verdict is REFUTES.", "REFUTES"),
        ("It SUPPORTS the claim, so not REFUTES", None),
        ("Nothing supports the claim", None),
        ("UNSUPPORTS", None),
        ("", None),
    ],
)
def test_which_label_an_answer_gives(answer: str, label: str | None) -> None:
    for each in LABELS:
        assert FEVEROUS.scores(answer, [each])["label_accuracy"] == float(each == label)


@pytest.mark.full
def test_hostile_answers_take_no_time() -> None:
    for answer in (
        "a" * 100_000,
        "," * 100_000,
        "a," * 50_000,
        "| " * 50_000,
        "SUPPORTS " * 11_000,
        "[[" * 50_000,
    ):
        for metric in (BLEU, HYBRID_QA, SQA, FEVEROUS):
            quickly(partial(metric.scores, answer, ["Ostmouth | the bay"]))
