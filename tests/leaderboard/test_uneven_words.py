"""What pages say of a study that asked a format on fewer examples, no prompt twice, and changed no table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from torr_plugin.leaderboard.building import PAGES
from torr_plugin.leaderboard.files import SiteFile
from torr_plugin.leaderboard.pages import dataset, formats, method, model
from torr_plugin.leaderboard.sentences import study_findings
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.views import two_digits

from .pages import Page, read
from .rendered import noise, rendered, scored


def page(study: Study, files: Callable[[Study], Iterator[SiteFile]], path: str, out: Path) -> Page:
    return read(rendered(files, study, out) / path)


def words(found: Page) -> str:
    return " ".join(found.text.split())


@pytest.mark.full
def test_a_model_has_no_column_of_changes_where_there_is_none(
    toon: Study, small_study: Study, tmp_path: Path
) -> None:
    said = words(page(toon, model.files, toon.paths.models["grok-4.5"], tmp_path))
    assert "Its mean score in each configuration that does not stand apart: one row per format. Which" in said
    assert "Examples whose scores differ most between formats" in said
    assert "No prompt was asked twice, so some may differ as much in the same format." in said
    perturbed = words(
        page(small_study, model.files, small_study.paths.models[small_study.models[0]], tmp_path)
    )
    assert "Its mean score in each configuration: one row per format, one column per change" in perturbed


def test_prices_and_means_are_those_of_the_formats_compared(toon: Study, tmp_path: Path) -> None:
    said = words(page(toon, formats.files, toon.paths.formats, tmp_path))
    assert "The mean of each format minus that of the best, over 244 examples" in said
    assert "Scores higher, a tie counting half" in said


def test_advice_is_no_claim_that_formats_are_alike(toon: Study, tmp_path: Path) -> None:
    said = words(page(toon, method.files, toon.paths.method, tmp_path))
    assert "“Use” is advice, a choice among what is not shown to be worse" in said


def test_a_data_set_of_the_study_s_name_is_named_once(toon: Study, tmp_path: Path) -> None:
    path = rendered(dataset.files, toon, tmp_path) / toon.paths.datasets["toon"]
    assert "<title>toon</title>" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.00"), (0.0036, "<0.01"), (0.006, "0.01"), (0.5, "0.50"), (0.9964, ">0.99"), (1.0, "1.00")],
)
def test_what_is_not_quite_nothing_or_all_does_not_read_as_that(value: float, text: str) -> None:
    assert two_digits(value) == text
    assert two_digits(value + 1e-17) == text


@pytest.mark.full
def test_formats_that_share_no_example_have_all_their_pages(tmp_path: Path) -> None:
    """Each was asked about other questions, so that nothing can be compared."""
    parts = {"html": 0, "csv": 1}
    study = scored(
        tmp_path,
        lambda name, example, fmt, change: (
            float(noise(name, example, fmt, change) < 0.6) if example % 2 == parts[fmt] else None
        ),
        changes=("none",),
    )
    out = tmp_path / "out"
    for each in PAGES:
        rendered(each.files, study, out)
    said = words(read(out / study.paths.formats))
    assert "No two of them were asked on the same examples throughout" in said or "No two were asked" in said


def test_a_format_with_braces_in_its_name_keeps_them(tmp_path: Path) -> None:
    study = scored(
        tmp_path,
        lambda name, example, fmt, change: (
            float(noise(name, example, fmt, change) < 0.6) if fmt != "a{}x" or example < 15 else None
        ),
        formats=("html", "csv", "a{}x"),
        changes=("none",),
    )
    assert "a{}x was asked on 15 of" in " ".join(study.analysis.notes)
    assert all("{}" not in one.text for one in study_findings(study))
