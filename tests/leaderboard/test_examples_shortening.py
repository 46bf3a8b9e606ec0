"""Long texts on the examples page: bounded, in order, and said so."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.examples.shortening import MOST_TEXT, PART, in_parts, shortened
from torr_plugin.leaderboard.pages import examples

from .conftest import Only
from .long_texts import LINES, REPORT, run_with_long_texts
from .pages import read
from .published import Published

pytestmark = pytest.mark.full


@given(
    st.lists(st.sampled_from(["a", "B 12 ", "\n", "word ", "1,234", "\U0001f600", "x" * 999]), max_size=60),
    st.integers(1, 3_000),
)
def test_parts_are_those_of_the_text_in_order(pieces: list[str], times: int) -> None:
    text = ("".join(pieces) * times)[:200_000]
    kept, gaps = shortened(text)
    parts = in_parts(kept, gaps)
    place = 0
    for part in [parts] if isinstance(parts, str) else parts:
        if isinstance(part, int):
            assert part > 0
            place += part
        else:
            assert text.startswith(part, place)
            place += len(part)
    assert place == len(text)
    assert len(kept) <= MOST_TEXT
    assert (kept == text) == (len(text) <= MOST_TEXT)


def test_beginning_and_end_are_kept_in_whole_lines() -> None:
    kept, [gap] = shortened(REPORT)
    assert kept == REPORT[: gap[0]] + REPORT[gap[0] + gap[1] :]
    start, left_out, end = in_parts(kept, [gap])
    assert left_out == gap[1]
    for part in (str(start), str(end)):
        assert part.endswith(".\n")
        assert set(part.splitlines(keepends=True)) <= set(LINES)
        assert len(part) <= PART + 400


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_with_long_texts(tmp_path_factory.mktemp("long") / "run")


def test_a_long_document_is_shown_in_parts(long_run: Path) -> None:
    published = Published(long_run)
    first = published.examples["wikitq", "wikitq-0"]
    assert first["question"] == "Where is wikitq-0 now?"
    [[role, text, _]] = first["prompts"]["0"]
    start, gap, end = first["texts"][text]
    assert role == "user"
    assert LINES[0] in start
    assert end.endswith("Where is wikitq-0 now?\nAnswer:")
    config = published.known.configs[0].name
    whole = f"{config}\n{REPORT}\nWhere is wikitq-0 now?\nAnswer:"
    assert len(start) + gap + len(end) == len(whole)
    [system, user] = published.examples["wikitq", "wikitq-1"]["prompts"]["0"]
    assert published.examples["wikitq", "wikitq-1"]["texts"][system[1]] == "Be brief."
    assert published.examples["wikitq", "wikitq-1"]["texts"][user[1]][2].endswith("Answer:")
    [answer] = {first["records"][number][0] for row in first["answers"] for number in row if number >= 0}
    beginning, left_out, rest = first["texts"][answer]
    assert len(beginning) + left_out + len(rest) == 900_000


def test_the_page_stays_small_and_says_that_texts_are_in_parts(
    long_run: Path, tmp_path: Path, only: Only
) -> None:
    only(examples)
    build_site([long_run], tmp_path / "site", charts=False)
    files = list((tmp_path / "site").rglob("examples/*.js"))
    assert sum(file.stat().st_size for file in files) < 200_000
    said = read(tmp_path / "site" / "a-small-study" / "examples.html").text
    assert (
        "Of a prompt or answer of more than 40,000 characters only the beginning and the end are shown"
        in said
    )
