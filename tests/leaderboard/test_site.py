"""The site without a browser: its files, its figures, its escaping, its words on what is missing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from torr_plugin.analysis import analyse
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.figures import WIDTH

from .made import QUESTION, make_run, with_analysis
from .pages import read

HOSTILE = "<script>window.pwned=1</script>"
ATTRIBUTE = '" onmouseover="window.pwned=1" x="'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_run(
        tmp_path_factory.mktemp("run") / "run", failing={"beta": "TimeoutError: no answer in 60 s"}
    )
    with_analysis(path, keeps_labels={"wikitq": ["none", "shuffle_cols"]})
    return path


@pytest.fixture(scope="module")
def site(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site([run], tmp_path_factory.mktemp("site") / "new" / "site")


def test_one_run_is_one_page_with_what_it_needs(site: Path) -> None:
    files = sorted(str(path.relative_to(site.parent)) for path in site.parent.rglob("*") if path.is_file())
    assert files == [
        "assets/icon.svg",
        "assets/sort.js",
        "assets/style.css",
        "data/a-small-study/analysis.json",
        "data/a-small-study/configurations.csv",
        "data/a-small-study/figures.csv",
        "data/a-small-study/recipe.yaml",
        "index.html",
    ]


def test_the_page_is_well_formed(site: Path) -> None:
    page = read(site)
    assert page.problems == []
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    for link in page.attributes("href") + page.attributes("src"):
        if link.startswith("#"):
            assert link[1:] in ids
        else:
            assert (site.parent / link).is_file(), link
    tables = [attrs for tag, attrs in page.tags if tag == "table" and "data-sortable" in attrs]
    assert len(tables) >= 2


def test_nothing_is_inline_and_nothing_is_fetched(site: Path) -> None:
    page, source = read(site), site.read_text()
    assert page.attributes("style") == []
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert [attrs.get("src") for tag, attrs in page.tags if tag == "script"] == ["assets/sort.js"]
    assert "<style" not in source
    policy = next(
        attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert not re.search(
        r"https?:|@import|url\((?!data:)", (site.parent / "assets" / "style.css").read_text()
    )
    assert not re.search(r"https?:", (site.parent / "assets" / "sort.js").read_text())


def test_the_figures_are_those_of_analysis_json(run: Path, site: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())
    assert json.loads((site.parent / "data/a-small-study/analysis.json").read_text()) == found
    page = read(site)
    for model in ("alpha", "gamma"):
        cells = page.row(model)
        ranks = found["rank_intervals"][model]
        assert cells[1] == (str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]}\N{EN DASH}{ranks[1]}")
        figures = [
            found[name][model]["overall"]
            for name in ("performance", "robustness", "robustness_solvable", "worst", "best")
        ] + list(found["performance"][model]["datasets"].values())
        for cell, figure in zip(cells[2:], figures, strict=True):
            value, low, high = (float(text) for text in re.findall(r"\d\.\d+", cell))
            for shown, exact in ((value, "value"), (low, "low"), (high, "high")):
                assert shown == pytest.approx(figure[exact], abs=0.0051), (model, cell)
        assert (
            cells[2].split()[0] == f"{found['performance'][model]['overall']['value']:.2f}" or "." in cells[2]
        )


def test_numbers_to_sort_by_are_exact(run: Path, site: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())
    values = read(site).attributes("data-value")
    for model in found["performance"]:
        assert repr(found["performance"][model]["overall"]["value"]) in values
        assert model in values


def test_whiskers_stand_where_the_figures_are(run: Path, site: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())["performance"]["alpha"]["overall"]
    page = read(site)
    dots = [float(attrs["cx"] or "nan") for tag, attrs in page.tags if tag == "circle"]
    assert round(4 + found["value"] * (WIDTH - 8), 1) in dots
    ranges = [
        (attrs["x1"], attrs["x2"])
        for tag, attrs in page.tags
        if tag == "line" and attrs.get("class") == "range"
    ]
    low, high = (str(round(4 + found[bound] * (WIDTH - 8), 1)) for bound in ("low", "high"))
    assert (low, high) in ranges


def test_configurations_are_charted_with_their_numbers(run: Path, site: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())["configurations"]["overall"]
    page = read(site)
    means = [
        sum(found[f"torr.html/{p}/default"].values()) / 3 for p in ("none", "shuffle_rows", "shuffle_cols")
    ]
    assert page.row("torr.html")[1:] == [f"{mean:.2f}" for mean in means]
    shades = {
        attrs.get("class")
        for tag, attrs in page.tags
        if tag == "td" and "shade" in (attrs.get("class") or "")
    }
    assert {"shade-0", "shade-8"} <= shades
    assert page.text.count("torr.csv/none/default: ") >= 3


def test_failures_and_holes_are_said(run: Path, site: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())
    page = read(site)
    missing = found["holes"]["missing"]
    assert missing > 0
    assert f"{missing} of {found['holes']['expected']} scores are missing." in " ".join(page.text.split())
    row = next(row for row in page.rows if row[0] == "beta" and len(row) == 5 and row[1] == "108")
    assert row[2] == str(missing)
    assert f"{missing} \N{MULTIPLICATION SIGN} TimeoutError: no answer in 60 s" in " ".join(row[4].split())
    assert page.row("beta")[2].split()[0].endswith("*")
    assert not page.row("alpha")[2].split()[0].endswith("*")


def test_how_it_was_made_is_said(site: Path) -> None:
    text = " ".join(read(site).text.split())
    for said in (
        "Percentile bootstrap at 95% with 1,000 resamples (seed 0)",
        "What wikitq asks, in a sentence.",
        "CC-BY-SA-4.0",
        "none, shuffle_cols, transpose",
        "python 3.11.9, torr-plugin 0.1.0, lm-eval 0.4.13",
        "torr run data/a-small-study/recipe.yaml --out runs/a-small-study",
        "excludes 0 after Holm's correction",
        "With label-keeping perturbations alone",
    ):
        assert said in text, said


def test_the_recipe_beside_the_page_names_the_models(site: Path) -> None:
    recipe = yaml.safe_load((site.parent / "data/a-small-study/recipe.yaml").read_text())
    assert recipe["name"] == "a small study"
    assert recipe["models"][1] == {
        "model": "hf",
        "args": {"pretrained": "org/beta"},
        "name": "beta",
        "chat": None,
    }


def test_a_prompt_is_shown_as_it_was_sent(site: Path) -> None:
    page = read(site)
    assert any(text.endswith(f"| Town | Visitors |\n{QUESTION}\nAnswer:") for text in page.pre)
    assert "alpha says 42 to wikitq-" in page.text
    assert "Harwich" in page.text


def test_long_texts_are_cut_and_said(tmp_path: Path) -> None:
    path = make_run(
        tmp_path / "run",
        prompt=lambda config, example: "x" * 9_000 + QUESTION,
        predict=lambda model, example: "y" * 5_000,
    )
    page = read(build_site([path], tmp_path / "site"))
    assert max(len(text) for text in page.pre) == 3_000
    assert page.pre[0].endswith(QUESTION)
    assert f"({9_000 + len(QUESTION) - 3_000:,} characters before it are left out)" in page.text
    assert "and 4,000 characters more" in page.text


def test_hostile_texts_are_text(tmp_path: Path) -> None:
    evil = f"{HOSTILE}{ATTRIBUTE}{{{{ 7*7 }}}}</pre></td>"
    path = make_run(
        tmp_path / "run",
        models=[evil, "javascript:alert(1)", "../../up", "a\u202eb\x00\x1b[31m"],
        datasets=[f"wiki{HOSTILE}", "tab_fact"],
        predict=lambda model, example: evil,
        prompt=lambda config, example: evil,
        failing={"../../up": evil},
        name=f"../{evil}",
        versions={"python": evil},
    )
    out = tmp_path / "site"
    page = read(build_site([path], out))
    source = (out / "index.html").read_text()
    assert page.problems == []
    assert HOSTILE not in source
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name == "x"]
    assert not [
        link for link in page.attributes("href") if link.lower().startswith(("javascript", "http", ".."))
    ]
    assert evil in page.text, "it is shown as it is"
    assert "49" not in page.row(evil)[0]
    assert "\u202e" not in source
    assert "\x00" not in source
    assert "U+202E" in page.text
    assert {file.parent.resolve() for file in tmp_path.rglob("analysis.json")} == {
        (out / "data" / name).resolve() for name in (p.name for p in (out / "data").iterdir())
    }
    assert all(re.fullmatch(r"[a-z0-9-]+", folder.name) for folder in (out / "data").iterdir())


def test_several_runs_have_a_page_each_and_a_list(tmp_path: Path, run: Path) -> None:
    other = make_run(tmp_path / "other", models=["delta"], name="Another <study>")
    again = make_run(tmp_path / "again", name="Another <study>", seed=3)
    index = build_site([run, other, again], tmp_path / "site")
    assert sorted(path.name for path in index.parent.glob("*.html")) == [
        "a-small-study.html",
        "another-study-2.html",
        "another-study.html",
        "index.html",
    ]
    listing = read(index)
    assert listing.problems == []
    assert [link for link in listing.attributes("href") if link.endswith(".html")] == [
        "a-small-study.html",
        "another-study.html",
        "another-study-2.html",
    ]
    study = read(index.parent / "another-study.html")
    assert study.problems == []
    assert "index.html" in study.attributes("href")
    assert "There is one model only" in study.text


def test_a_scores_file_alone_is_enough(tmp_path: Path, run: Path) -> None:
    frame = pd.read_parquet(run / "scores.parquet")
    path = tmp_path / "my scores.csv"
    frame[["model", "dataset", "config", "example", "metric", "score"]].to_csv(path, index=False)
    index = build_site([path], tmp_path / "site")
    page = read(index)
    assert page.problems == []
    text = " ".join(page.text.split())
    assert "made from a file of scores" in text
    assert "the scores have no column" in text
    assert (
        page.row("alpha")[2].split()[0] == read(build_site([run], tmp_path / "b")).row("alpha")[2].split()[0]
    )
    assert not (index.parent / "data/my-scores/recipe.yaml").exists()


def test_configurations_with_other_names_are_still_shown(tmp_path: Path) -> None:
    rows = [
        {
            "model": m,
            "dataset": "d",
            "config": f"prompt {c}",
            "example": e,
            "metric": "f1",
            "score": (c + e) % 3 / 2,
        }
        for m in ("a", "b")
        for c in range(3)
        for e in range(4)
    ]
    path = tmp_path / "s.jsonl"
    pd.DataFrame(rows).to_json(path, orient="records", lines=True)
    page = read(build_site([path], tmp_path / "site"))
    assert "prompt 2" in page.text
    assert not [attrs for tag, attrs in page.tags if tag == "table" and attrs.get("class") == "heat"]


def test_the_runs_own_analysis_is_shown_or_a_new_one_made(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run")
    fresh = read(build_site([path], tmp_path / "one"))
    found = with_analysis(path, resamples=50, level=0.5)
    own = read(build_site([path], tmp_path / "two"))
    assert "95% intervals" in fresh.text
    assert "50% intervals" in own.text
    of_others = analyse(pd.read_parquet(path / "scores.parquet").replace({"model": {"alpha": "old"}}))
    (path / "analysis.json").write_text(json.dumps(of_others))
    assert "old" not in [row[0] for row in read(build_site([path], tmp_path / "three")).rows if row]
    assert found["settings"]["level"] == 0.5


def test_building_again_replaces(tmp_path: Path, run: Path) -> None:
    first = build_site([run], tmp_path / "site").read_bytes()
    assert build_site([run], tmp_path / "site").read_bytes() == first
    assert list((tmp_path / "site").rglob("*.tmp")) == []


def test_one_of_a_kind_is_not_written_in_the_plural(tmp_path: Path) -> None:
    runs = [
        make_run(
            tmp_path / name,
            models=["m"],
            datasets=["d"],
            serializers=["html"],
            perturbations=["none"],
            examples=1,
        )
        for name in ("one", "two")
    ]
    index = build_site(runs, tmp_path / "site")
    assert "1 model, 1 data set, 1 configuration, 1 example a data set" in index.read_text(encoding="utf-8")
    assert "over the 1 way its" in (tmp_path / "site" / "a-small-study.html").read_text(encoding="utf-8")


def test_an_analysis_of_fewer_or_more_scores_than_there_are_is_made_anew(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    with_analysis(run, resamples=20)
    scores = pd.read_parquet(run / "scores.parquet")
    scores.iloc[5:].to_parquet(run / "scores.parquet", index=False)
    build_site([run], tmp_path / "site")
    found = json.loads((tmp_path / "site" / "data" / "a-small-study" / "analysis.json").read_text())
    assert found["holes"]["missing"] == 5
