"""The metric on answers as models give them."""

from __future__ import annotations

import base64
import json

import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.scoring import metrics
from torr_plugin.tables import Table
from torr_plugin.tables.workbooks import to_bytes

pytestmark = pytest.mark.full

ROWS = [["city", "people"], ["Rome", "2873"], ["Oslo", "709"]]


def scores(answer: str, reference: str, **facts: str) -> tuple[float, float]:
    found = metrics.get("charts").scores(answer, [reference], facts)  # type: ignore[call-arg]
    assert list(found) == ["chart_pass", "chart_ecr"]
    return found["chart_pass"], found["chart_ecr"]


def test_answers_are_rated() -> None:
    answer = "```python\nimport matplotlib.pyplot as plt\nplt.bar(['a', 'b'], [3, 4.004])\nplt.show()\n```"
    assert scores(answer, "[4, 3]", chart_type="BarChart") == (1, 1)
    assert scores(answer, "[4.01, 3]", chart_type="BarChart") == (0, 1)
    assert scores(answer, "[4, 3]", chart_type="LineChart Generation") == (0, 1)
    assert scores(answer.replace("plt.bar", "plt.baar"), "[4, 3]", chart_type="BarChart") == (0, 0)
    assert scores("I would draw two bars.", "[4, 3]", chart_type="BarChart") == (0, 0)


@pytest.mark.parametrize("form", ["table", "workbook"])
def test_the_examples_table_is_the_workbook(form: str) -> None:
    table = Table.flat(header=ROWS[0], rows=ROWS[1:])
    fact = json.dumps(ROWS) if form == "table" else base64.b64encode(to_bytes(table)).decode()
    answer = (
        "import pandas as pd\nimport matplotlib.pyplot as plt\ndf = pd.read_excel('cities-table02.xlsx')\n"
        "plt.pie(df['people'])\nplt.show()"
    )
    assert scores(answer, "[0.8, 0.2]", chart_type="PieChart", **{form: fact}) == (1, 1)
    assert scores(answer, "[2873, 709]", chart_type="PieChart", **{form: fact}) == (1, 1)


def test_any_reference_counts_and_bad_ones_are_refused() -> None:
    answer = "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()"
    metric = metrics.get("charts")
    found = metric.scores(answer, ["[[2]]", "[[1]]"], {"chart_type": "LineChart"})  # type: ignore[call-arg]
    assert found == {"chart_pass": 1.0, "chart_ecr": 1.0}
    with pytest.raises(InputError, match="is no list of numbers"):
        metric.scores(answer, ["one"], {"chart_type": "LineChart"})  # type: ignore[call-arg]
