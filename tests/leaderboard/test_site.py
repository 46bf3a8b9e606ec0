"""The site without a browser: its files, its figures, its words on what is missing."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from torr_plugin.analysis import analyse, format_percent, format_percent_bounds
from torr_plugin.core.errors import RunError
from torr_plugin.leaderboard import build_site, building
from torr_plugin.leaderboard.pages import method, overview

from .conftest import Only
from .made import make_run, with_analysis
from .pages import Page, read
from .rendered import opened

# charts as files of their own take seconds, and are tests' of the downloads
build = partial(build_site, charts=False)
SMALL: dict[str, Any] = {"datasets": ["wikitq"], "perturbations": ["none"]}
PAGES = ("formats", "examples", "compare", "method")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_run(
        tmp_path_factory.mktemp("run") / "run", failing={"beta": "TimeoutError: no answer in 60 s"}
    )
    with_analysis(path, keeps_labels={"wikitq": ["none", "shuffle_cols"]})
    return path


@pytest.fixture(scope="module")
def site(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1760000000")
        return build([run], tmp_path_factory.mktemp("site") / "new" / "site")


def page_of(site: Path, name: str) -> Page:
    return read(site.parent / "a-small-study" / f"{name}.html")


def text_of(page: Page) -> str:
    return " ".join(page.text.split())


def test_one_run_has_its_pages_and_what_they_need(site: Path) -> None:
    files = {path.relative_to(site.parent).as_posix() for path in site.parent.rglob("*") if path.is_file()}
    assert {file for file in files if file.endswith(".html")} == {
        "index.html",
        *(f"a-small-study/{page}.html" for page in PAGES),
        *(f"a-small-study/models/{model}.html" for model in ("alpha", "beta", "gamma")),
        *(f"a-small-study/datasets/{dataset}.html" for dataset in ("wikitq", "tab-fact")),
    }
    assert {
        "assets/icon.svg",
        "assets/style.css",
        "data/a-small-study/analysis.json",
        "data/a-small-study/recipe.yaml",
    } <= files
    assert not [file for file in files if Path(file).name.startswith(".") or file.endswith(".tmp")]


def test_every_page_is_well_formed(site: Path) -> None:
    for path in site.parent.rglob("*.html"):
        page = read(path)
        assert page.problems == [], path
        ids = page.attributes("id")
        assert len(ids) == len(set(ids)), path
        for link in page.attributes("href") + page.attributes("src"):
            file, _, place = link.partition("#")
            target = path.parent / file if file else path
            assert target.is_file(), (path, link)
            if place and "=" not in place:
                assert place in read(target).attributes("id"), (path, link)


def test_nothing_is_inline_and_nothing_is_fetched(site: Path) -> None:
    for path in site.parent.rglob("*.html"):
        page, source = read(path), path.read_text(encoding="utf-8")
        assert page.attributes("style") == [], path
        assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")], path
        for _, attrs in [each for each in page.tags if each[0] == "script"]:
            assert attrs.get("type") == "application/json" or "assets/" in (attrs["src"] or ""), path
        assert "<style" not in source, path
        policy = next(
            attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"
        )
        assert policy is not None
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
    for asset in (site.parent / "assets").iterdir():
        if asset.suffix == ".css":
            assert not re.search(r"https?:|@import|url\((?!data:)", asset.read_text(encoding="utf-8")), asset
        elif asset.suffix == ".js":
            code = re.sub(r"http://www\.w3\.org/\S*", "", asset.read_text(encoding="utf-8"))
            assert not re.search(r"https?:|innerHTML|insertAdjacentHTML|document\.write|eval\(", code), asset


def test_the_figures_are_those_of_analysis_json(run: Path, site: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())
    assert json.loads((site.parent / "data/a-small-study/analysis.json").read_text()) == found
    page = read(site)
    for model in ("alpha", "beta", "gamma"):
        row = " ".join(page.of_board(model))
        right = found["performance"][model]["overall"]
        bounds = format_percent_bounds(right["low"], right["high"])
        assert re.search(rf"{format_percent(right['value'], right['low'], right['high'])}\*? {bounds}", row)
        for figure in found["performance"][model]["datasets"].values():
            assert format_percent(figure["value"], figure["low"], figure["high"]) in row


def test_numbers_to_sort_by_are_exact(run: Path, site: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())
    values = read(site).attributes("data-value")
    for model in found["performance"]:
        assert repr(found["performance"][model]["overall"]["value"]) in values
        assert model in values


def test_failures_and_holes_are_said(run: Path, site: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())
    missing = found["holes"]["missing"]
    assert missing > 0
    assert f"{missing} of {found['holes']['expected']} scores are missing" in text_of(read(site))
    method = page_of(site, "method")
    row = next(
        row for row in method.rows if row[0].strip() == "beta" and "108" in [cell.strip() for cell in row]
    )
    assert str(missing) in [cell.strip() for cell in row]
    assert f"{missing} \N{MULTIPLICATION SIGN} TimeoutError: no answer in 60 s" in text_of(method)
    assert "*" in " ".join(read(site).of_board("beta"))
    assert "*" not in " ".join(read(site).of_board("alpha"))


def test_how_it_was_made_is_said(site: Path) -> None:
    method = text_of(page_of(site, "method"))
    for said in (
        "What wikitq asks, in a sentence.",
        "CC-BY-SA-4.0",
        "shuffle_cols",
        "100, of questions; seed",
        "torr-plugin",
        "3.11.9",
        "0.4.13",
        "Bonferroni",
    ):
        assert said in method, said
    everywhere = " ".join(text_of(read(path)) for path in site.parent.rglob("*.html"))
    assert re.search(r"torr run \S*recipe\.yaml --out", everywhere)
    assert re.search("keep the answer", everywhere, re.IGNORECASE)


def test_the_recipe_beside_the_page_names_the_models(site: Path) -> None:
    recipe = yaml.safe_load((site.parent / "data/a-small-study/recipe.yaml").read_text())
    assert recipe["name"] == "a small study"
    assert recipe["models"][1] == {
        "model": "hf",
        "args": {"pretrained": "org/beta"},
        "name": "beta",
        "chat": None,
    }


@pytest.mark.full
def test_several_runs_have_pages_each_and_a_list(tmp_path: Path, run: Path, only: Only) -> None:
    only(overview)
    other = make_run(tmp_path / "other", models=["delta"], name="Another <study>", **SMALL)
    again = make_run(tmp_path / "again", name="Another <study>", seed=3, **SMALL)
    index = build([run, other, again], tmp_path / "site")
    assert sorted(path.parent.name for path in index.parent.glob("*/index.html")) == [
        "a-small-study",
        "another-study",
        "another-study-2",
    ]
    listing = read(index)
    assert listing.problems == []
    links = [link for link in listing.attributes("href") if link.endswith("/index.html")]
    assert list(dict.fromkeys(links)) == [
        "a-small-study/index.html",
        "another-study/index.html",
        "another-study-2/index.html",
    ]
    study = read(index.parent / "another-study/index.html")
    assert study.problems == []
    assert "../index.html" in study.attributes("href")
    assert "1 model" in " ".join(study.text.split())


@pytest.mark.full
def test_a_scores_file_alone_is_enough(tmp_path: Path, run: Path) -> None:
    frame = pd.read_parquet(run / "scores.parquet")
    path = tmp_path / "my scores.csv"
    frame["config"] = [f"prompt {number}" for number in frame["config"].factorize()[0]]
    frame[["model", "dataset", "config", "example", "metric", "score"]].to_csv(path, index=False)
    index = build([path], tmp_path / "site")
    for each in index.parent.rglob("*.html"):
        assert read(each).problems == [], each
    text = " ".join(text_of(read(each)) for each in index.parent.rglob("*.html"))
    assert "made from a file of scores" in text
    assert "The scores have no column" in text
    of_run = json.loads((run / "analysis.json").read_text())["performance"]["alpha"]["overall"]
    assert repr(of_run["value"]) in read(index).attributes("data-value")
    assert not (index.parent / "data/my-scores/recipe.yaml").exists()


@pytest.mark.full
def test_the_runs_own_analysis_is_shown_or_a_new_one_made(tmp_path: Path, only: Only) -> None:
    only(overview)
    path = make_run(tmp_path / "run", **SMALL)
    fresh = read(build([path], tmp_path / "one"))
    found = with_analysis(path, resamples=50, level=0.5)
    own = read(build([path], tmp_path / "two"))
    assert "95% interval" in fresh.text
    assert "50% interval" in own.text
    of_others = analyse(pd.read_parquet(path / "scores.parquet").replace({"model": {"alpha": "old"}}))
    (path / "analysis.json").write_text(json.dumps(of_others))
    third = read(build([path], tmp_path / "three"))
    assert third.of_board("alpha")
    assert "old" not in third.text.split()
    assert found["settings"]["level"] == 0.5


def test_what_was_computed_of_a_study_stays_where_its_title_changes(run: Path) -> None:
    study = opened(run)
    pairs, cubes = study.pairs, study.cubes
    other = study.having(title="Another")
    assert other.title == "Another"
    assert other.pairs is pairs
    assert other.cubes is cubes
    assert study.title != "Another"


def test_what_makes_pages_is_loaded_late() -> None:
    code = "import sys, torr_plugin.leaderboard.site_config; print('pandas' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_building_again_replaces(site: Path, run: Path) -> None:
    """The later day of the second build is not published, as nothing else changed."""
    first = files_of(site)
    assert files_of(build([run], site.parent)) == first


def files_of(site: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(site.parent)): path.read_bytes()
        for path in site.parent.rglob("*")
        if path.is_file()
    }


@pytest.mark.full
def test_one_of_a_kind_is_not_written_in_the_plural(tmp_path: Path) -> None:
    runs = [
        make_run(
            tmp_path / name,
            models=["m"],
            datasets=["d"],
            serializers=["html"],
            perturbations=["none"],
            examples=1,
            seed=seed,
        )
        for seed, name in enumerate(("one", "two"))
    ]
    index = build(runs, tmp_path / "site")
    for page in index.parent.rglob("*.html"):
        text = text_of(read(page))
        plural = re.search(
            r"(?<![\d.,\N{EN DASH}])1 (models|data sets|configurations|examples|ways|pairs)\b", text
        )
        assert plural is None, (page, plural and text[max(0, plural.start() - 60) : plural.end() + 20])
    assert "1 model" in text_of(read(index))


@pytest.mark.full
def test_an_analysis_of_fewer_or_more_scores_than_there_are_is_made_anew(tmp_path: Path, only: Only) -> None:
    only(method)
    run = make_run(tmp_path / "run", **SMALL)
    with_analysis(run, resamples=20)
    scores = pd.read_parquet(run / "scores.parquet")
    scores.iloc[5:].to_parquet(run / "scores.parquet", index=False)
    build([run], tmp_path / "site")
    found = json.loads((tmp_path / "site" / "data" / "a-small-study" / "analysis.json").read_text())
    assert found["holes"]["missing"] == 5
    page = read(tmp_path / "site" / "a-small-study" / "method.html")
    assert "does not match its current scores: the figures of this site were recomputed" in page.text


@pytest.mark.full
def test_an_analysis_of_an_earlier_version_is_made_anew_with_its_own_settings(
    tmp_path: Path, only: Only
) -> None:
    """The pages would lack what it did not yet say; its figures must not change for that."""
    only(method)
    run = make_run(tmp_path / "run")
    keeps = {"wikitq": ["none"], "tab_fact": ["none"]}
    found = with_analysis(run, resamples=30, level=0.8, seed=5, rankings=4, repeats=7, keeps_labels=keeps)
    study = yaml.safe_load((run / "study.yaml").read_text())
    study["datasets"] = {
        name: {**study["datasets"][name], "keeps_labels": kept} for name, kept in keeps.items()
    }
    (run / "study.yaml").write_text(yaml.safe_dump(study))
    for part in (found, found["label_keeping"]):
        del part["pairs"], part["rank_intervals_datasets"], part["serializers"]["choice"]
        part["settings"]["shape"] -= 1
    (run / "analysis.json").write_text(json.dumps(found))
    build([run], tmp_path / "site")
    offered = json.loads((tmp_path / "site" / "data" / "a-small-study" / "analysis.json").read_text())
    for old, new in ((found, offered), (found["label_keeping"], offered["label_keeping"])):
        assert new["pairs"]
        assert new["rank_intervals_datasets"]
        assert new["serializers"]["choice"]
        for name in ("performance", "robustness", "separability", "rank_intervals", "reliability"):
            assert new[name] == old[name], name
    page = read(tmp_path / "site" / "a-small-study" / "method.html")
    assert "is from an earlier version and lacks figures that are shown here" in page.text


def test_what_is_made_is_told(run: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    build_site([run], tmp_path / "site", charts=False, progress=lambda *now: told.append(now))
    assert told == sorted(told)
    (total,) = {of for _, of in told}
    assert total > 12 + 3 + 2, "examples, models, data sets, and the other pages"
    assert total - 2 <= told[-1][0] <= total


def test_a_site_whose_making_is_killed_leaves_the_old_one_whole(run: Path, tmp_path: Path) -> None:
    """By the system, so that nothing is put away; the next one does."""
    out = tmp_path / "site"
    build([run], out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    code = (
        "import os, signal, sys; from torr_plugin.leaderboard import build_site\n"
        "build_site(sys.argv[1:2], sys.argv[2], charts=False,"
        " progress=lambda done, of: os.kill(os.getpid(), signal.SIGKILL) if 2 * done > of else None)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(run), str(out)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (out / ".new").is_dir(), "it was under way"
    assert {path: path.read_bytes() for path in before} == before
    build([run], out)
    assert not (out / ".new").exists()


@pytest.mark.full
def test_a_republish_that_is_killed_leaves_the_old_site_whole(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "site"
    build([run], out)
    (out / "CNAME").write_text("example.org")
    (out / "a-small-study" / "gone.html").write_text("of an earlier version")

    def contents() -> dict[str, bytes]:
        return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}

    before = contents()

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(building, "_write_studies", killed)
        with pytest.raises(KeyboardInterrupt):
            build([run], out)
    assert contents() == before
    build([run], out)
    after = contents()
    assert set(before) - set(after) == {"a-small-study/gone.html"}
    assert after["CNAME"] == b"example.org"
    assert [path.name for path in tmp_path.iterdir()] == ["site"], "nothing is left beside it"


@pytest.mark.full
def test_what_is_not_the_site_s_stays_and_pages_of_other_studies_go(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run is written into the site's folder meanwhile, as its page on adding a model says."""
    out, write_studies = tmp_path / "site", building._write_studies
    build([run], out)
    (out / "broken").symlink_to(tmp_path / "nowhere")
    (out / "data" / "another").mkdir()
    (out / "another").mkdir()

    def running(*given: Any) -> None:
        (out / "runs" / "mine").mkdir(parents=True)
        (out / "runs" / "mine" / "study.yaml").write_text("of a run")
        write_studies(*given)

    monkeypatch.setattr(building, "_write_studies", running)
    build([run], out)
    assert (out / "runs" / "mine" / "study.yaml").read_text() == "of a run"
    assert (out / "broken").is_symlink()
    assert not (out / "another").exists()
    assert sorted(path.name for path in out.iterdir()) == [
        *("a-small-study", "assets", "broken", "data", "index.html", "runs"),
    ]


@pytest.mark.full
def test_a_folder_that_is_not_the_site_s_is_not_replaced(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    build([run], out)
    shutil.rmtree(out / "data")
    with pytest.raises(RunError, match=r"a-small-study: is no part of an earlier site; move it, or choose"):
        build([run], out)
