"""The tables of cases: HTML as a browser shows it."""

from __future__ import annotations

import pytest

from torr_plugin.tables import readers

from .cases import cases, drawn


@pytest.mark.parametrize(
    ("html", "shown"), [pytest.param(*rest, id=name) for name, *rest in cases("html.txt")]
)
def test_html_as_a_browser_shows_it(html: str, shown: str) -> None:
    assert drawn(readers.get("html")(html)) == shown
