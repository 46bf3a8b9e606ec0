"""Numbers as tables print them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.tables.properties.text import parse_number


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("1,234", 1234, 0),
        ("1 375.5", 1375.5, 1),
        ("12\u00a0345", 12345, 0),
        ("12,75", 12.75, 2),
        ("(4.2)", -4.2, 1),
        ("\u22120.5%", -0.5, 1),
        ("+4.51%", 4.51, 2),
        ("$1,941,332", 1941332, 0),
        ("47*", 47, 0),
        ("2002 r", 2002, 0),
        ("3.5 :selected:", 3.5, 1),
        (".92", 0.92, 2),
        ("229(a)", 229, 0),
    ],
)
def test_a_printed_number_is_read(text: str, value: float, decimals: int) -> None:
    assert parse_number(text) == (pytest.approx(value), decimals)


@pytest.mark.parametrize(
    "text", ["", "-", "..", "(NA)", "N.A", "Total", "2019-20", "4,101 6,654 x", "1e5000", "9" * 50]
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert parse_number(text) is None


@given(st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_thousands_and_decimals_are_read_back(number: int, decimals: int) -> None:
    value = number / 10**decimals
    assert parse_number(f"{value:,.{decimals}f}") == (pytest.approx(value), decimals)


@given(st.text(max_size=60))
def test_any_text_is_a_number_or_none(text: str) -> None:
    found = parse_number(text)
    assert found is None or found.decimals >= 0
