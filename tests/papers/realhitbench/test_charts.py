"""The metric of charts, up to where programs run: finding them, reading references, comparing values."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.core.errors import InputError
from torr_plugin.papers.realhitbench.charts import is_right
from torr_plugin.scoring import metrics
from torr_plugin.scoring.chart_programs import program_of, reference_values
from torr_plugin.scoring.sandbox import ChartRun, read_report

PROGRAM = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"

NUMBERS = st.one_of(st.integers(-(10**9), 10**9), st.floats(-1e9, 1e9, allow_nan=False))


@pytest.mark.parametrize(
    "answer",
    [
        PROGRAM,
        f"```python\n{PROGRAM}\n```",
        f"Here it is:\n\n```\n{PROGRAM}\n```\nIt shows two values, which you can import.",
        f"~~~py\n{PROGRAM}\n~~~",
        f"```python\n{PROGRAM}",
        f"The chart, from the table:\n{PROGRAM}\nIt shows two values.",
        f"```sh\npip install matplotlib\n```\n```python\n{PROGRAM}\n```",
        f"```python\nimport os\n```\nRather:\n```python\n{PROGRAM}\n```\n```text\nDone.\n```",
    ],
)
def test_a_program_is_found_in_an_answer(answer: str) -> None:
    assert program_of(answer).strip() == PROGRAM


@pytest.mark.parametrize("answer", ["", "I cannot draw.", "```python\nplt.plot(1)\n```", "import x" * 10_000])
def test_an_answer_without_a_program_or_with_an_endless_one(answer: str) -> None:
    assert program_of(answer) == ""


def test_every_workbook_in_a_program_is_the_examples() -> None:
    answer = "import pandas as pd\ndf = pd.read_excel(\"/mnt/data/jobs 1.xlsx\")\ne = pd.read_excel('b.xlsx')"
    assert program_of(answer).splitlines()[1:] == [
        "df = pd.read_excel('table.xlsx')",
        "e = pd.read_excel('table.xlsx')",
    ]


@given(st.lists(st.one_of(NUMBERS, st.lists(NUMBERS))))
def test_references_are_read_as_python_writes_them(values: list[float | list[float]]) -> None:
    flat = [x for each in values for x in (each if isinstance(each, list) else [each])]
    assert reference_values(f"{values}\n") == tuple(map(float, flat))


def test_missing_values_of_a_reference() -> None:
    assert reference_values("[[masked, 1.5], [nan, 2, None]]") == (None, 1.5, None, 2.0, None)


@pytest.mark.parametrize(
    "text",
    ["", "7", "['a']", "[1, 2", "[__import__('os')]", "[" * 5_000, "[1e]", "[9 ** 9]", "[0," * 100_000],
)
def test_a_reference_that_is_no_list_of_numbers(text: str) -> None:
    with pytest.raises(InputError, match=r"^charts: the reference .* is no list of numbers$"):
        reference_values(text)


@given(st.lists(NUMBERS, min_size=1), st.randoms())
def test_values_are_right_in_any_order_and_to_two_decimals(values: list[float], random: object) -> None:
    shown = [round(value, 2) for value in values]
    random.shuffle(shown)  # type: ignore[attr-defined]
    run = ChartRun(values={"line": tuple(shown)})
    assert is_right(run, "line", values)
    assert not is_right(run, "bar", values)
    assert not is_right(ChartRun(values={"line": (*shown, 0.0)}), "line", values)
    assert not is_right(ChartRun(values={"line": (shown[0] + 0.02, *shown[1:])}), "line", values)
    assert not is_right(ChartRun(error="it failed", values=run.values), "line", values)


def test_what_a_chart_shows_and_what_is_expected() -> None:
    assert is_right(ChartRun(values={"line": (None, 1.0)}), "line", [1, None])
    assert not is_right(ChartRun(values={"line": (0.0, 1.0)}), "line", [1, None])
    assert not is_right(ChartRun(values={"line": ()}), "line", [])
    shares = ChartRun(values={"pie": (0.6049, 0.0208, 0.3743)})
    assert is_right(shares, "pie", [0.6, 0.02, 0.37])  # rounded shares, whose sum is 0.99
    assert is_right(shares, "pie", [58.15, 2, 35.98])  # the values that they are shares of
    assert not is_right(shares, "pie", [0.6, 0.03, 0.37])


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (
            {},
            "charts: the fact 'chart_type' is ''; expected one of: LineChart, BarChart, ScatterChart, PieC",
        ),
        ({"chart_type": "Radar"}, "charts: the fact 'chart_type' is 'Radar'; expected one of: LineChart,"),
        ({"chart_type": "LineChart", "workbook": "%"}, "charts: the fact 'workbook' is no base64: "),
        ({"chart_type": "LineChart", "workbook": "é"}, "charts: the fact 'workbook' is no base64: "),
        (
            {"chart_type": "LineChart", "table": "[1]"},
            "charts: the fact 'table' is no table of rows in JSON: ",
        ),
        (
            {"chart_type": "LineChart", "table": "[]"},
            "charts: the fact 'table' is no table of rows in JSON: ",
        ),
    ],
)
def test_facts_that_cannot_be_read(facts: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        metrics.get("charts").scores("", ["[1]"], facts)  # type: ignore[call-arg]
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


REPORT = {"error": "", "values": {"line": [1.0, None], "pie": "a value is no number (TypeError)"}}


def test_a_report_is_read() -> None:
    run = read_report(json.dumps(REPORT).encode())
    assert run == ChartRun(
        values={"line": (1.0, None)}, unreadable={"pie": "a value is no number (TypeError)"}
    )
    assert run.ran


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"error": ""}',
        b'{"error": 1, "values": {}}',
        b'{"error": "", "values": []}',
        b'{"error": "", "values": {"line": [true]}}',
        b'{"error": "", "values": {"line": ["1"]}}',
        b'{"error": "", "values": {"line": [[1]]}}',
        b"[" * 500_000,
        b'{"error": "", "values": {"line": [' + b"9" * 500_000 + b"]}",
    ],
    ids=lambda data: data[:30],
)
def test_a_report_that_is_none_is_an_error_of_the_program(data: bytes) -> None:
    assert read_report(data) == ChartRun(error="the program sent a false report")


def test_texts_by_a_program_are_one_line_without_control_characters() -> None:
    run = read_report(json.dumps({"error": "\x1b[31mred\n\u202eleft" + "x" * 999, "values": {}}).encode())
    assert run.error.startswith("[31mred left")
    assert run.error.isprintable()
    assert len(run.error) <= 300
    assert not read_report(b'{"error": "\\n", "values": {}}').ran
