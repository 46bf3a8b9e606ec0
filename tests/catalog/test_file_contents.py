"""Contents of files come back as they are, from memory or from a temporary file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.catalog import file_contents
from torr_plugin.catalog.file_contents import FileContents


@given(st.dictionaries(st.text(max_size=3), st.binary(max_size=50), max_size=6), st.randoms())
def test_contents_come_back_in_any_order(given_files: dict[str, bytes], random: object) -> None:
    contents = FileContents()
    for path, content in given_files.items():
        contents[path] = content
    paths = list(given_files)
    random.shuffle(paths)  # type: ignore[attr-defined]
    assert {path: contents[path] for path in paths} == given_files
    assert (len(contents), "nowhere" in contents) == (len(given_files), False)


@pytest.mark.parametrize("most", [1000, 10**9])
def test_long_contents_are_compressed_and_those_beyond_the_limit_in_a_file(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_contents, "MOST_IN_MEMORY", most)
    contents = FileContents()
    page = "<p>Sales rose, s\u00e1y.</p>" * 10_000
    for number in range(5):
        contents[f"{number}.html"] = f"{number}{page}"
    assert [contents[f"{number}.html"].decode() for number in range(5)] == [f"{n}{page}" for n in range(5)]
    assert contents._end < len(page) / 5
    assert contents._file._rolled is (most == 1000)  # type: ignore[attr-defined]
