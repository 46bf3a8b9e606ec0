"""The site of a study of one configuration: what compares configurations is absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.leaderboard.files import PageFile
from torr_plugin.leaderboard.navigation import navigation
from torr_plugin.leaderboard.pages import compare, dataset, examples, formats, model, overview
from torr_plugin.leaderboard.sharing import share_picture
from torr_plugin.leaderboard.study import Study

from .pages import Page
from .rendered import noise, rendered, scored

PAGES = (overview, model, dataset, compare, examples)


def one_way(path: Path, models: str) -> Study:
    return scored(
        path,
        lambda name, example, *way: float(noise(name, example, *way) < 0.4 + 0.3 * (name == "a")),
        models,
        formats=("html",),
        changes=("none",),
    )


@pytest.mark.full
@pytest.mark.parametrize("models", ["abc", "a"])
def test_no_page_speaks_of_robustness_or_of_formats(tmp_path: Path, models: str) -> None:
    study = one_way(tmp_path, models)
    assert list(formats.files(study)) == []
    assert "formats" not in [name for name, _, _ in navigation(study)]
    assert share_picture(study) is None
    out = tmp_path / "site"
    for module in PAGES:
        rendered(module.files, study, out)
    shown = [Page(path.read_text(encoding="utf-8")) for path in out.rglob("*.html")]
    assert len(shown) > 3
    for page in shown:
        assert page.problems == []
        # the site's own name has the word
        text = page.text.replace("Table reasoning and robustness", "")
        for word in (
            "obust",
            "Worst",
            "Format",
            "Kendall",
            "no width",
            "1 of 1",
            "planner",
            "Flip",
            " flip",
        ):
            assert word not in text, word
        assert not [link for link in page.attributes("href") if "formats.html" in link]


def test_its_table_has_what_is_right_alone(tmp_path: Path) -> None:
    study = one_way(tmp_path, "abc")
    (page,) = overview.files(study)
    assert isinstance(page, PageFile)
    assert all(row.flips is None and row.formats is None for row in page.values["board"].rows)


def test_tests_that_say_nothing_take_no_share_of_the_errors(tmp_path: Path) -> None:
    assert one_way(tmp_path, "abc").analysis.compared_figures == ("performance",)
