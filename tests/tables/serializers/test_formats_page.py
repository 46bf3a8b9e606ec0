"""docs/reference/formats.md shows what the formats write."""

from __future__ import annotations

from .formats_page import PAGE, page


def test_the_page_of_formats_is_what_they_write() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "run python -m tests.tables.serializers.formats_page and read the difference"
    )
