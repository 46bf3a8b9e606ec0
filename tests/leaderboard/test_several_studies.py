"""A site of several studies: its list, names told apart, models in common, and runs given twice."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from torr_plugin.core.errors import RunError
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.pages.overview import MANY, list_of_studies
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.sentences import study_findings
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import (
    Study,
    same_scores,
    shared_models,
    study_of,
    with_unique_titles,
)
from torr_plugin.leaderboard.theming import SiteText
from torr_plugin.running.store.joining import refuse_repeats

from .made import make_run, with_analysis
from .pages import Page, read

pytestmark = pytest.mark.full

HOSTILE = "Another <b>study</b>"


def opened(paths: Sequence[Path]) -> list[Study]:
    found: list[Study] = []
    for path in paths:
        study = study_of(open_source(path), {each.slug for each in found}, alone=False)
        found.append(study)
    return found


def page_of(studies: Sequence[Study], words: SiteText | None = None) -> Page:
    file = list_of_studies(studies)
    values = {"study": None, "page": file, "root": "", **file.values}
    return Page(Renderer(words=words or SiteText()).render(file.template, **values))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    made: list[dict[str, Any]] = [
        {"name": "first"},
        {"name": HOSTILE, "models": ["alpha", "delta"], "seed": 3},
        {"name": HOSTILE, "models": ["beta", "delta"], "seed": 4, "created": "2025-01-02T00:00:00+00:00"},
    ]
    found = []
    for number, options in enumerate(made):
        found.append(make_run(folder / f"run{number}", **options))
        with_analysis(found[-1], resamples=50)
    return found


@pytest.fixture(scope="module")
def studies(runs: list[Path]) -> tuple[Study, ...]:
    return with_unique_titles(opened(runs))


def test_the_list_leads_to_each_study_with_its_findings(studies: tuple[Study, ...]) -> None:
    page = page_of(studies)
    assert page.problems == []
    links = page.attributes("href")
    for study in studies:
        assert study.paths.overview in links
    text = " ".join(page.text.split())
    assert text.count("Tied for first") + text.count("First") == 3
    for study in studies:
        for finding in study_findings(study)[:3]:
            assert f"{finding.title}." in text
    assert "3 models, 2 data sets, 9 configurations, 6 examples per data set; begun 2026-11-21" in text
    assert sum(tag == "h1" for tag, _ in page.tags) == 1


def test_the_list_says_how_to_cite_and_link_it(studies: tuple[Study, ...]) -> None:
    page = page_of(studies, SiteText(title="Our tables", address="https://example.org/"))
    for text in (
        f"{len(studies)} studies of how well models read tables, made with torr-plugin ",
        "@misc{our-tables",
        "https://example.org/index.html",
    ):
        assert text in page.text
    assert "https://example.org/index.html" in page.attributes("content")


def test_studies_of_one_name_are_told_apart_by_date(studies: tuple[Study, ...]) -> None:
    assert [study.title for study in studies] == [
        "first",
        f"{HOSTILE} (2026-11-21)",
        f"{HOSTILE} (2025-01-02)",
    ]


def test_else_by_harness_else_by_what_was_given_else_by_number(studies: tuple[Study, ...]) -> None:
    one = studies[0]

    def with_study(**said: Any) -> Study:
        return replace(one, source=replace(one.source, study={**one.source.study, **said}))

    helm = with_study(imported={"harness": "HELM", "version": "0.5"})
    assert [each.title for each in with_unique_titles([one, helm])] == ["first", "first (HELM 0.5)"]
    moved = replace(one, source=replace(one.source, path=Path("elsewhere/run9")))
    assert [each.title for each in with_unique_titles([one, moved])] == ["first (run0)", "first (run9)"]
    assert [each.title for each in with_unique_titles([one, one])] == ["first (1)", "first (2)"]
    assert [each.title for each in with_unique_titles([one])] == ["first"]


def test_models_in_common_stand_side_by_side(studies: tuple[Study, ...]) -> None:
    shared = {each.model: each.rights for each in shared_models(studies)}
    assert sorted(shared) == ["alpha", "beta", "delta"]
    assert [right is not None for right in shared["alpha"]] == [True, True, False]
    row = page_of(studies).row("alpha")
    assert shared["alpha"][0] is not None
    assert row[1].startswith(shared["alpha"][0].value)
    assert row[3] == "\N{EN DASH}"
    assert "not measurements of the same thing" in " ".join(page_of(studies).text.split())


def test_studies_without_a_model_in_common_have_no_such_table(studies: tuple[Study, ...]) -> None:
    assert "Models in several studies" not in page_of(studies[:1]).text


def test_a_study_that_shares_no_model_is_no_empty_column(studies: tuple[Study, ...], tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", models=["omega"])
    with_analysis(run, resamples=20)
    page = page_of([*opened([run]), *studies[:2]])
    assert "\N{EN DASH}" not in page.row("alpha")
    assert len(page.row("alpha")) == 3


def test_the_same_scores_twice_are_said(tmp_path: Path, runs: list[Path]) -> None:
    shutil.copytree(runs[0], tmp_path / "copy")
    found = with_unique_titles(opened([runs[0], tmp_path / "copy", runs[1]]))
    assert [len(same_scores(found)[study.slug]) for study in found] == [1, 1, 0]
    assert "this is one study, not two that agree" in page_of(found).text


def test_names_are_text(studies: tuple[Study, ...]) -> None:
    page = page_of(studies, SiteText(title=HOSTILE, lead=f"{HOSTILE} lead"))
    assert page.problems == []
    assert f"{HOSTILE} lead" in page.text
    assert page.text.count(HOSTILE) >= 4


def test_many_studies_can_be_searched(studies: tuple[Study, ...]) -> None:
    many = [replace(studies[0], slug=f"s{number}", title=f"study {number}") for number in range(MANY + 1)]
    page = page_of(many)
    assert "studies-search" in page.attributes("id")
    assert "studies-search" in page.attributes("for")
    assert any("wikitq" in words and "alpha" in words for words in page.attributes("data-words"))
    assert "studies-search" not in page_of(studies).attributes("id")


def test_a_run_given_twice_is_refused(tmp_path: Path, runs: list[Path]) -> None:
    with pytest.raises(RunError, match="it is given twice; expected each run once"):
        build_site([runs[0], runs[1], runs[0]], tmp_path / "site")
    (tmp_path / "link").symlink_to(runs[0])
    with pytest.raises(RunError, match="under another name; expected each run once"):
        refuse_repeats([runs[0], tmp_path / "link"])
    refuse_repeats(runs)


def test_a_run_given_twice_is_one_line_of_the_command(tmp_path: Path, runs: list[Path]) -> None:
    from torr_plugin.leaderboard.__main__ import app

    found = CliRunner().invoke(app, [str(runs[0]), str(runs[0]), "--out", str(tmp_path / "site")])
    assert found.exit_code == 2
    assert len([line for line in found.stderr.splitlines() if line.strip()]) == 1
    assert "given twice" in found.stderr
    assert not (tmp_path / "site").exists()


def test_a_site_of_two(tmp_path: Path) -> None:
    small: dict[str, Any] = {"models": ["alpha", "beta"], "datasets": ["wikitq"], "perturbations": ["none"]}
    runs = [make_run(tmp_path / name, examples=2, seed=seed, **small) for seed, name in enumerate("ab")]
    index = build_site(runs, tmp_path / "site", charts=False)
    page = read(index)
    assert page.problems == []
    links = [link.split("#")[0] for link in page.attributes("href") if not link.startswith("#")]
    assert len(links) > 6
    assert [link for link in links if not (index.parent / link).is_file()] == []
    overview = read(index.parent / "a-small-study/index.html")
    assert "../index.html" in overview.attributes("href")
    assert "a small study (a)" in overview.text
