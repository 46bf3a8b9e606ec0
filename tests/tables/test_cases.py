"""The tables of cases: HTML as a browser shows it, values as a spreadsheet does."""

from __future__ import annotations

import ast
from datetime import date, datetime, time, timedelta

import pytest

from torr_plugin.tables import readers
from torr_plugin.tables.workbooks.number_formats import shown

from .cases import cases, drawn, lines


@pytest.mark.parametrize(
    ("html", "shown"), [pytest.param(*rest, id=name) for name, *rest in cases("html.txt")]
)
def test_html_as_a_browser_shows_it(html: str, shown: str) -> None:
    assert drawn(readers.get("html")(html)) == shown


@pytest.mark.parametrize(("value", "number_format", "text"), lines("number_formats.txt"))
def test_values_as_a_spreadsheet_shows_them(value: str, number_format: str, text: str) -> None:
    name, _, arguments = value.rstrip(")").partition("(")
    kinds = {"date": date, "datetime": datetime, "time": time}
    if name == "timedelta":
        made: object = timedelta(
            **{name: int(n) for name, n in (each.split("=") for each in arguments.split(", "))}
        )
    else:
        made = kinds[name](*map(int, arguments.split(", "))) if arguments else ast.literal_eval(value)
    assert shown(made, number_format) == text
