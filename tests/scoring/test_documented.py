"""What is written of the metrics, in the listing and in docs/metrics.md, is what they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from torr_plugin.catalog.folders import ARTIFACTS
from torr_plugin.scoring import metrics
from torr_plugin.workflows.listing import listed as list_names

from ..cli.in_process import here

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"


def shipped() -> list[str]:
    return [name for name in metrics.names() if metrics.origin(name) == "torr-plugin"]


def table(heading: str) -> Iterator[list[str]]:
    """The cells of each row of the table whose heading begins so, with the heading."""
    lines = DOCUMENT.read_text(encoding="utf-8").replace(r"\|", "\0").splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"| {heading} "))
    for line in [lines[start], *lines[start + 2 :]]:
        if not line.startswith("|"):
            return
        yield [cell.strip().replace("\0", "|") for cell in line.strip("|").split("|")]


def test_the_page_has_a_row_a_metric() -> None:
    rows = list(table("metric"))[1:]
    listed = {row["name"]: row for row in list_names("metrics")}
    assert [row[0] for row in rows] == [f"`{name}`" for name in shipped()]
    for name, (_, scores, about, whose) in zip(shipped(), rows, strict=True):
        metric = metrics.get(name)
        marked = [
            f"**`{each}`**" if each == metric.main else f"`{each}`"
            for each in metric.score_names or (metric.main,)
        ]
        assert scores == ", ".join(marked)
        assert about == listed[name]["about"].rstrip(".")
        assert whose.startswith(metric.source)


def test_the_pages_examples_are_so() -> None:
    (_, _, *names), *rows = table("reference")
    for reference, answer, *values in rows:
        for name, value in zip(names, values, strict=True):
            metric = metrics.get(name.strip("`"))
            found = metric.scores(answer, [reference])[metric.main]
            assert f"{found:.2f}" == value, (reference, answer, name)


def test_the_listing_has_a_line_a_metric_within_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = here("list", "metrics").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["metric", *metrics.names()]
    assert max(map(len, lines)) <= 80
    (line,) = [line for line in lines if line.startswith("torr_f1_strings")]
    assert "a wrong word gets 0.8" in line
    assert line.endswith("unitxt")


@pytest.mark.parametrize("name", shipped())
def test_scores_and_the_main_one_are_named_in_one_way(name: str) -> None:
    """In the class, in the artifact for unitxt, and in what is scored."""
    metric = metrics.get(name)
    if name != "charts":  # which runs programs: test_charts
        assert list(metric.score_names or (metric.main,)) == list(metric.scores("", ["a"]))
    artifact = json.loads((ARTIFACTS / "metrics" / "torr" / f"{name}.json").read_text())
    assert artifact["main_score"] == metric.main
    assert metric.source


def test_the_pages_numbers_are_so() -> None:
    for reference, same, others in list(table("reference | the same"))[1:]:
        for answers, score in ((same, 1.0), (others, 0.0)):
            for answer in answers.split("; "):
                assert metrics.get("number_match").scores(answer, [reference])["number_match"] == score, (
                    answer
                )
