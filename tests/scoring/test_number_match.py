# ruff: noqa: RUF001 (digits, signs and spaces that look like others)
"""Numbers match however they are written, within the example's tolerance; what is no such number does not."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timing import quickly
from torr_plugin.core.errors import InputError
from torr_plugin.scoring.metrics import metrics
from torr_plugin.tables.quantities import LONGEST, quantity, share

# a reference, and answers that are the same number
SAME = {
    "1205": "1205 · 1,205 · 1'205 · 1 205 · 1\u00a0205 · 1\u202f205 · 1205.0 · 1,205.00 · 1.205,00 · +1205 · "
    "1205. · $1,205 · €1205 · 1.205e3 · ١٢٠٥ · １２０５ ·  1205 km  · about 1,205 · ~1205 · **1,205** · "
    '`1205` · 1,205 km² · = 1205 · 1.205 thousand · 1.205k · 1.205 × 10^3 · USD 1205 · "1205" · 1205 USD',
    "1,234,567.5": "1234567.5 · 1.234.567,5 · 1 234 567,5 · 12,34,567.5 · 1.2345675 million · 1.2345675M",
    "-3.5": "−3.5 · (3.5) · - 3.5 · –3.5 · -3.50 · -3,5 · (3.50 km) · $(3.5) · -$3.5 · $-3.5",
    "12.5%": r"12.5 % · 12.5 · 0.125 · 12,5 % · 12.5 percent · 12.5 per cent · 12.50pct · 12.5\% · １２.5％",
    "0.125": "12.5% · 0.1250 · .125 · 0,125 · 1.25e-1",
    "412 km": "412 · 412 km · 412km · 412 KM · 412 km. · 412 km long",
    "$5": "5 · 5 dollars · 5 USD · US$5 · $5.00 · 5 dollar",
    "5 years": "5 · 5 year · 5 Years",
    "1.2 million": "1200000 · 1,200,000 · 1.2M · 1.2 mln · 1.2 Million · $1.2 million · 12 lakh",
    "1.2": "1.2 million · 1.20 · 1.2 bn",
    "500": "5 hundred · 0.005 lakhs",
    "4 m²": "4 m2 · 4 m^2 · 4",
    "0": "0 · 0.0 · -0 · 0% · 0 km",
}
# and answers that are not
DIFFERENT = {
    "1205": "1206 · -1205 · (1205) · 1.205 · 12.05 · 120 5 · 1205-1210 · 1205/1 · 1205 or 1206 ·  · 12O5 · "
    "1205; · 5021 · The river is 1205 km long · q1205 · 1205 1205 · not 1205 · 1,20,5 · "
    "1205 to 1210 · 12,05 · 1205 more · 1 2 0 5 · NaN · inf · 1205th · more than 1205 · 1205? · 1e1205",
    "412 km": "412 miles · 412 m · $412 · 412% · 412 km/h",
    "12.5%": "1250 · 1.25 · 12.5 km · 0.0125 · 125 · $12.5",
    "12.5": "0.125 · 125%",
    "$5": "€5 · 5 km · £5",
    "1.2 million": "1.2 · 1.2 thousand · 12 million · 12 hundred thousand · 1.2 crore",
    "5": "5:30 · 5-6 · 5² · 52 · 1/5 · 5th · 5, 6 · 5 of 10 · 10^5 · (5) · 5 5 · 2021-05",
    "2021-05-01": "2021 · 2021-05-02 · 1",
    "Otter": "Heron · 5 · ",
}


def _score(answer: str, reference: str, **facts: str) -> float:
    return metrics.get("number_match").scores(answer, [reference], facts)["number_match"]  # type: ignore[call-arg]


@pytest.mark.parametrize("reference", SAME)
def test_the_same_number_in_other_spellings(reference: str) -> None:
    assert [answer for answer in SAME[reference].split(" · ") if not _score(answer, reference)] == []


@pytest.mark.parametrize("reference", DIFFERENT)
def test_another_number_or_none(reference: str) -> None:
    assert [answer for answer in DIFFERENT[reference].split(" · ") if _score(answer, reference)] == []


def test_words_are_compared_as_exact_match_does() -> None:
    assert _score(" otter.", "Otter") == _score("2021-05-01", "2021-05-01") == _score("5-6", "5-6") == 1


@pytest.mark.parametrize(
    ("answer", "reference", "facts", "score"),
    [
        ("99", "100", {"relative_tolerance": "0.01"}, 1),
        ("98.99", "100", {"relative_tolerance": "1%"}, 0),
        ("-101", "-100", {"relative_tolerance": "1 %"}, 1),
        ("0.0001", "0", {"relative_tolerance": "1"}, 0),
        ("0.3", "0.1", {"absolute_tolerance": "0.2"}, 1),
        ("0.30000001", "0.1", {"absolute_tolerance": "0.2"}, 0),
        ("13%", "12.5%", {"absolute_tolerance": "0.5"}, 1),
        ("0.13", "12.5%", {"absolute_tolerance": "0.5"}, 1),
        ("105", "100", {"absolute_tolerance": "1", "relative_tolerance": "0.05"}, 1),
        ("1.205", "1205", {"decimal_mark": ","}, 1),
        ("1.205", "1205", {"decimal_mark": "."}, 0),
        ("1,205", "1.205", {"decimal_mark": ","}, 0),
        ("1.205,5", "1205,5", {"decimal_mark": ","}, 1),
        ("12345678901234567890", "12345678901234567891", {}, 0),
    ],
)
def test_tolerances_and_the_decimal_mark(
    answer: str, reference: str, facts: dict[str, str], score: int
) -> None:
    assert _score(answer, reference, **facts) == score


@pytest.mark.parametrize(
    ("answer", "score"),
    [("733 | 1,205", 1), ("1205; 733 km", 1), ("1205, 733", 1), ("1,205 and 733", 1), ("- 1205\n- 733", 1),
     ("1205", 0), ("1205 | 733 | 5", 0), ("1205 | 1205", 0), ("1206 | 733", 0), ("", 0)],
)  # fmt: skip
def test_several_values_in_any_order(answer: str, score: int) -> None:
    assert _score(answer, "1,205 | 733") == score


def test_values_are_paired_where_tolerances_overlap() -> None:
    assert _score("10.5 | 9.6", "10 | 11", absolute_tolerance="0.5") == 1
    assert _score("10.5 | 10.6", "10 | 11", absolute_tolerance="0.5") == 1
    assert _score("10.6 | 10.7", "10 | 11", absolute_tolerance="0.5") == 0


@pytest.mark.parametrize("name", ["relative_tolerance", "absolute_tolerance"])
@pytest.mark.parametrize("wrong", ["-1", "a lot", "5 km", "1..2"])
def test_a_wrong_tolerance_is_said(name: str, wrong: str) -> None:
    with pytest.raises(
        InputError, match=f"fact '{name}': found '{wrong}'; expected a number such as 0.5 or 1%"
    ):
        _score("1", "1", **{name: wrong})


def test_a_wrong_decimal_mark_is_said() -> None:
    with pytest.raises(InputError, match="fact 'decimal_mark': found ';'; expected"):
        _score("1", "1", decimal_mark=";")


NUMBERS = st.decimals(min_value=-(10**12), max_value=10**12, places=2)


@given(
    number=NUMBERS, before=st.sampled_from(["", "$", "€ ", "about "]), after=st.sampled_from(["", " km", "."])
)
def test_a_number_written_with_thousands_is_read_back(number: Decimal, before: str, after: str) -> None:
    text = f"{number:,}"
    swapped = text.translate(str.maketrans(",.", ".,"))
    for written, mark in ((text, "."), (swapped, ","), (text.replace(",", " "), "."), (str(number), ".")):
        found = quantity(f"{before}{written}{after}", mark)
        assert found is not None
        assert found.value == Fraction(number)


@given(
    reference=NUMBERS,
    answer=NUMBERS,
    relative=st.decimals(0, 1, places=3),
    absolute=st.decimals(0, 99, places=2),
)
def test_the_formula(reference: Decimal, answer: Decimal, relative: Decimal, absolute: Decimal) -> None:
    near = abs(Fraction(answer) - Fraction(reference)) <= max(
        Fraction(relative) * abs(Fraction(reference)), Fraction(absolute)
    )
    facts = {"relative_tolerance": str(relative), "absolute_tolerance": str(absolute)}
    assert _score(f"{answer:,}", str(reference), **facts) == near


@given(text=st.text(alphabet="0123456789,.-+ '()%$€kMe^x*|;\nand²", max_size=30))
def test_any_text_matches_itself_and_is_a_finite_number_or_none(text: str) -> None:
    assert _score(text, text) == 1
    found = quantity(text)
    assert found is None or isinstance(found.value, Fraction)


@pytest.mark.full
@pytest.mark.parametrize(
    "hostile",
    ["1" * 100_000, "1," * 50_000, "(" * 100_000, "1e" * 50_000, " and " * 20_000, "1 | " * 25_000,
     "5 " + "a " * 50_000, ", " * 50_000, "\n" * 100_000, "a" + " " * 99_998 + "b", "a" + "\n" * 99_998 + "5",
     "9" * 90 + "e999", "- " * 50, "0." * 49],
)  # fmt: skip
def test_hostile_answers_take_no_time(hostile: str) -> None:
    for reference in ("1205", "5 | 6", "a | b | c"):
        assert quickly(partial(_score, hostile, reference)) == 0
        assert quickly(partial(metrics.get("value_set").scores, hostile, [reference])) == {"value_set": 0.0}
    assert quantity("1" * (LONGEST + 1)) is None
    assert quantity("1" * LONGEST) is not None


def test_a_share_is_a_number_or_a_percentage() -> None:
    assert (share("0.01"), share("1%"), share(" 5 % "), share("1e-3")) == (
        Fraction(1, 100), Fraction(1, 100), Fraction(1, 20), Fraction(1, 1000)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "score"),
    [("Heron | otter", 1), ("Otter, Heron", 1), ("Otter and Heron", 1), ("Otter;Heron", 1),
     ("* Otter\n* Heron", 1), ("Otter", 0), ("Otter | Heron | Otter", 0), ("Otter | Linden", 0),
     ("| Otter | Heron. |", 1), ("Otter,\n  Heron", 1), ("-  Otter\n\n-  Heron", 1)],
)  # fmt: skip
def test_a_value_set_is_whole_or_wrong(answer: str, score: int) -> None:
    assert metrics.get("value_set").scores(answer, ["Linden", "Otter | Heron"]) == {"value_set": score}


@pytest.mark.parametrize("answer", ["Oak and Elm, Ash", "Ash, and Oak and Elm", "Ash; Oak and Elm"])
def test_a_value_may_hold_an_and(answer: str) -> None:
    assert metrics.get("value_set").scores(answer, ["Oak and Elm | Ash"]) == {"value_set": 1}
