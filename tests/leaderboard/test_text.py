"""Names and texts made safe to look at."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from torr_plugin.analysis import format_percent
from torr_plugin.core.errors import counted
from torr_plugin.leaderboard.text import breakable, listed, named, short_names, slug, visible


def test_what_cannot_be_seen_is_shown_by_its_number() -> None:
    assert visible("a\x1b[31mb\u202ec\ud800") == "a⌈U+001B⌋[31mb⌈U+202E⌋c⌈U+D800⌋"
    assert visible("tab\tand\r\nline \N{NO-BREAK SPACE}é 漢 \N{ZERO WIDTH JOINER}") == (
        "tab\tand\nline \N{NO-BREAK SPACE}é 漢 \N{ZERO WIDTH JOINER}"
    )
    assert visible("Har\u200bwich\ufeff\u00ad") == "Har⌈U+200B⌋wich⌈U+FEFF⌋⌈U+00AD⌋"
    assert visible("\U000e0068\U000e0069\U000e0100") == "⌈U+E0068⌋⌈U+E0069⌋⌈U+E0100⌋"
    assert visible("a\ufffe\uffff\U0001ffff\ufdd0\ufffd") == "a⌈U+FFFE⌋⌈U+FFFF⌋⌈U+1FFFF⌋⌈U+FDD0⌋\ufffd"
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f3\ufe0f"
    assert visible(family) == family
    assert visible(3) == 3
    assert visible(Markup("<b>")) == "<b>"


@given(st.text())
def test_breakable_changes_nothing_but_where_a_line_may_end(text: str) -> None:
    made = breakable(text)
    assert re.findall(r"<[^>]*>", made.replace("<wbr>", "")) == []
    assert Markup(made.replace("<wbr>", "")).unescape() == visible(text)


def test_breakable_keeps_numbers_whole() -> None:
    assert breakable("torr.indexed_row/Llama-3.3") == "torr.<wbr>indexed_<wbr>row/<wbr>Llama-<wbr>3.3"


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["bundled.lookup", "bundled.facts"], ["lookup", "facts"]),
        (["bundled.lookup", "wikitq"], ["lookup", "wikitq"]),
        (["bundled.lookup", "lookup"], ["bundled.lookup", "lookup"]),
        (["torr/lexical", "torr/random-cell"], ["lexical", "random-cell"]),
        (["html/none/default", "csv/none/default"], ["html", "csv"]),
        (["torr_wiki", "torr_fin"], ["wiki", "fin"]),
        (["torr.df", "torr.csv"], ["df", "csv"]),
        (["torr.df/none/default", "torr.csv/transpose/default"], ["df/none", "csv/transpose"]),
        (["a/insert_rows", "b/shuffle_rows"], ["a/insert_rows", "b/shuffle_rows"]),
        (["model_1", "model_2"], ["model_1", "model_2"]),
        (["org/model.7b", "org/model.70b"], ["model.7b", "model.70b"]),
        (["bundled.lookup"], ["bundled.lookup"]),
        (["same.lookup", "lookup"], ["same.lookup", "lookup"]),
        (["aster", "borealis"], ["aster", "borealis"]),
        ([], []),
    ],
)
def test_what_all_names_share_is_left_out(names: list[str], short: list[str]) -> None:
    assert short_names(names) == dict(zip(names, short, strict=True))


def test_a_shortened_name_has_the_whole_of_it_on_pointing() -> None:
    short = {'a."b"': '"b"', "<i>": "<i>"}
    assert named('a."b"', short) == '<bdi title="a.&#34;b&#34;">&#34;b&#34;</bdi>'
    assert named("<i>", short) == "<bdi>&lt;i&gt;</bdi>"
    assert named("c", short) == "<bdi>c</bdi>"


@given(st.sets(st.text(alphabet="abc./_1", max_size=8)))
def test_short_names_stay_apart_and_are_parts_of_the_names(names: set[str]) -> None:
    short = short_names(names)
    assert set(short) == names
    assert len(set(short.values())) == len(names)
    assert all(each in name for name, each in short.items())


@given(st.text(), st.sets(st.text(alphabet="ab-0123456789", max_size=3)))
def test_slugs_are_plain_and_new(name: str, taken: set[str]) -> None:
    made = slug(name, taken)
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", made)
    assert made not in taken
    assert len(made) <= 56


@pytest.mark.parametrize(
    ("name", "made"), [("../../etc/passwd", "etc-passwd"), ("漢字", "study"), ("Été 1", "ete-1")]
)
def test_slugs_by_hand(name: str, made: str) -> None:
    assert slug(name) == made


def test_counts_and_lists_read_as_english() -> None:
    assert [counted(1, "study", "studies"), counted(2000, "study", "studies"), counted(0, "score")] == [
        "1 study",
        "2,000 studies",
        "0 scores",
    ]
    assert counted("7 to 35", "configuration") == "7 to 35 configurations"
    assert [listed("a"), listed("ab"), listed("abc")] == ["a", "a and b", "a, b and c"]


@pytest.mark.parametrize("name", ["CON", "nul", "com1", "Aux"])
def test_no_file_is_called_like_a_device_of_windows(name: str) -> None:
    assert slug(name) == f"{name.lower()}-2"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0%"), (0.0036, "<1%"), (0.006, "1%"), (0.5, "50%"), (0.9964, ">99%"), (1.0, "100%")],
)
def test_what_is_not_quite_nothing_or_all_does_not_read_as_that(value: float, text: str) -> None:
    assert format_percent(value) == text
