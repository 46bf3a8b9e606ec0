"""``torr publish`` as a user calls it, the file of a site, and the project's own site."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from tests.cli.in_process import here
from torr_plugin.core.errors import RecipeError, RunError
from torr_plugin.core.versions import shipped_folder
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.__main__ import app
from torr_plugin.leaderboard.pages import overview
from torr_plugin.leaderboard.site_config import read_config
from torr_plugin.leaderboard.theming import SiteText

from ..conftest import Torr
from ..timing import PATIENCE
from .conftest import Only
from .made import make_run, with_analysis


@pytest.fixture(autouse=True)
def few_pages(only: Only) -> None:
    only(overview)


@pytest.fixture(scope="module")
def good_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("good") / "run"
    make_run(run, examples=4, serializers=("html",), perturbations=("none", "transpose"))
    with_analysis(run)
    return run


@pytest.fixture
def good(good_run: Path, tmp_path: Path) -> Path:
    """A run without an error to find."""
    return Path(shutil.copytree(good_run, tmp_path / "good"))


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A run with holes."""
    return make_run(tmp_path / "bad", failing={"beta": "TimeoutError: no answer"})


def module(*arguments: str | Path) -> Result:
    """``python -m torr_plugin.leaderboard`` in this process."""
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.mark.full
def test_the_module_in_a_process_of_its_own(good: Path, tmp_path: Path) -> None:
    (tmp_path / "pool.yaml").write_text("[{name: alpha, family: family-alpha}]")
    options = ["--no-charts", "--theme", "contrast", "--models", "pool.yaml"]
    done = subprocess.run(
        [sys.executable, "-m", "torr_plugin.leaderboard", "good", "--out", "site", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "The leaderboard: site/index.html\n"
    index = (tmp_path / "site" / "index.html").read_text()
    assert "assets/theme.css" in index
    assert "family-alpha" in index


@pytest.mark.full
def test_the_module_s_result_as_json(good: Path, tmp_path: Path) -> None:
    make_run(tmp_path / "other", name="another study", seed=1)
    out = tmp_path / "site"
    done = module(good, tmp_path / "other", "--out", out, "--json", "--no-charts")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout) == {"site": str(out), "page": str(out / "index.html"), "studies": 2}


def test_what_is_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "bad.csv").write_text("model,score\na,1\n")
    for argument, said in (
        ("folder", "torr: folder: is not a run (it has no study.yaml)"),
        ("absent", "torr: absent: no such file or directory; expected"),
        ("bad.csv", "torr: bad.csv: no column 'dataset', 'config', 'example', 'metric'"),
    ):
        done = module(argument, "--out", "site")
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(said)
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "site").exists()


@pytest.mark.skipif(os.name != "posix", reason="modes of folders are POSIX's")
def test_a_folder_that_may_not_be_written(good: Path, tmp_path: Path) -> None:
    out = "/proc/site" if os.geteuid() == 0 else str(tmp_path / "locked" / "site")
    (tmp_path / "locked").mkdir(mode=0o500)
    done = module(good, "--out", out, "--no-charts")
    assert done.exit_code == 2
    assert done.stderr.startswith(f"torr: {out}")
    assert "the site cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.full
def test_a_site_and_its_place(torr: Torr, good: Path, tmp_path: Path) -> None:
    done = torr("publish", "good", "--out", "site", "--no-charts")
    assert (done.returncode, done.stdout) == (0, "")
    said = done.stderr.splitlines()
    assert " ".join(said[:-2]).count("warning: ") == 1
    assert said[-2] == "1 study checked: 1 warning, 1 note. `torr publish --check` says all."
    assert said[-1] == "The leaderboard: site/index.html"
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.full
def test_the_same_site_as_of_the_module(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert here("publish", good, "--out", tmp_path / "a", "--no-charts").exit_code == 0
    assert module(good, "--out", tmp_path / "b", "--no-charts").exit_code == 0
    files = {
        side: {
            path.relative_to(tmp_path / side): path.read_bytes()
            for path in (tmp_path / side).rglob("*")
            if path.is_file()
        }
        for side in ("a", "b")
    }
    assert files["a"].keys() == files["b"].keys()
    assert [name for name in files["a"] if files["a"][name] != files["b"][name]] == []


def test_checking_alone_builds_nothing(torr: Torr, good: Path, tmp_path: Path) -> None:
    done = torr("publish", "--check", "good", "--out", "site")
    assert (done.returncode, done.stderr) == (0, "")
    assert "fewer than 30 examples: wikitq 4, tab_fact 4" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 study checked: 1 warning, 1 note."
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert not (tmp_path / "site").exists()


def test_errors_found(torr: Torr, bad: Path) -> None:
    done = torr("publish", "--check", "bad")
    assert (done.returncode, done.stderr) == (1, "")
    assert "bad/scores.parquet" in done.stdout
    assert "10 scores are missing" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("1 study checked: 1 error, ")


def test_a_run_with_errors_is_not_published(bad: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    done = here("publish", bad, "--out", out, "--no-charts")
    assert done.exit_code == 1
    assert "10 scores are missing" in done.stdout
    assert done.stderr.splitlines()[-1] == "torr: not published; fix the errors, or add --anyway"
    assert not out.exists()
    anyway = here("publish", bad, "--out", out, "--no-charts", "--anyway")
    assert anyway.exit_code == 0
    for each in ("error: ", "10 scores are missing", "warning: "):
        assert each in " ".join(anyway.stderr.split())
    assert (out / "index.html").is_file()


@pytest.mark.full
def test_json(good: Path, bad: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    checked = here("publish", "--check", "--json", good, bad)
    assert checked.exit_code == 1
    found = json.loads(checked.stdout)
    assert (found["studies"], found["errors"]) == (
        2,
        1 + sum(f["check"] == "twice" for f in found["findings"]),
    )
    built = here("publish", good, "--out", out, "--json", "--no-charts")
    told = json.loads(built.stdout)
    assert {name: told[name] for name in ("site", "page", "studies")} == {
        "site": str(out),
        "page": str(out / "index.html"),
        "studies": 1,
    }
    assert [each["check"] for each in told["findings"]] == ["examples", "models"]


def test_findings_cannot_drive_a_terminal(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", failing={"beta": "\x1b[31mred\x1b[0m [bold]x[/bold] \u202e"})
    done = here("publish", "--check", run)
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "[bold]x[/bold]" in done.stdout


@pytest.mark.full
def test_families_sizes_and_openness_from_a_file(good: Path, tmp_path: Path) -> None:
    pool = tmp_path / "pool.yaml"
    pool.write_text(
        yaml.safe_dump(
            [{"name": name, "family": f"family-{name}", "size": 7} for name in ("alpha", "beta", "z")]
        )
    )
    checked = json.loads(here("publish", "--check", "--json", good, "--models", pool).stdout)
    (note,) = (each for each in checked["findings"] if each["check"] == "models")
    assert note["what"] == "family, size and openness are not known for 1 model: gamma"
    scores = good / "scores.parquet"
    done = here("publish", scores, "--models", pool, "--out", tmp_path / "site", "--no-charts")
    assert done.exit_code == 0, done.stderr
    assert "family-alpha" in (tmp_path / "site" / "index.html").read_text()


# --- the file of a site


def written(folder_: Path, **fields: Any) -> Path:
    path = folder_ / "site.yaml"
    path.write_text(yaml.safe_dump(fields))
    return path


@pytest.mark.full
def test_a_file_of_a_site(good: Path, tmp_path: Path) -> None:
    make_run(tmp_path / "other", name="another", seed=1)
    (tmp_path / "look.css").write_text(":root { --link: #123456; }")
    config = written(
        tmp_path,
        title="Ours",
        lead="What it is.",
        theme="look.css",
        contact="someone",
        citation="Someone, 2026",
        studies=[{"run": "good", "title": "The <first>"}, {"run": "other"}],
    )
    out = tmp_path / "elsewhere" / "site"
    done = here("publish", "--config", config, "--out", out, "--no-charts", "--anyway")
    assert done.exit_code == 0, done.stderr
    index = (out / "index.html").read_text()
    assert "The &lt;first&gt;" in index
    assert "another" in index
    assert (out / "assets" / "theme.css").read_text() == ":root { --link: #123456; }"


@pytest.mark.full
def test_options_overrule_the_file(good: Path, bad: Path, tmp_path: Path) -> None:
    config = written(tmp_path, studies=[{"run": "bad"}], theme="paper")
    out = tmp_path / "site"
    options = ("--config", config, "--theme", "contrast", "--out", out, "--no-charts")
    assert here("publish", good, *options).exit_code == 0
    assert (out / "assets" / "theme.css").read_text().startswith("/* High contrast")


def test_the_words_of_a_site_with_one_study(good: Path, tmp_path: Path) -> None:
    words = SiteText(title="Our <site>", lead="What it is.", contact="someone")
    index = build_site([good], tmp_path / "site", charts=False, words=words).read_text()
    for said in (
        "Our &lt;site&gt;",
        '<p class="what-was-asked">What it is. ',
        "<p>Questions and corrections: someone</p>",
    ):
        assert index.count(said) == 1


def test_words_of_a_file(good: Path, tmp_path: Path) -> None:
    said = read_config(
        written(tmp_path, title="A", studies=[{"run": "good", "title": "B"}], models="pool.yaml")
    )
    assert said.runs == (tmp_path / "good",)
    assert said.words == SiteText(title="A", studies={tmp_path / "good": "B"})
    assert (said.theme, said.models) == (None, tmp_path / "pool.yaml")


@pytest.mark.full
def test_an_optional_study_that_is_not_there_is_left_out_and_said(good: Path, tmp_path: Path) -> None:
    absent = {"run": "absent", "optional": True, "command": "torr run x"}
    config = written(tmp_path, studies=[absent, {"run": "good", "description": "Of <b>ours</b>."}])
    out = tmp_path / "site"
    done = here("publish", "--config", config, "--out", out, "--no-charts")
    assert done.exit_code == 0
    said = f"found no {tmp_path / 'absent'}; expected a run directory or a scores file; 'torr run x' makes it"
    assert f"Left out: {said}" in " ".join(done.output.split())
    assert "Of &lt;b&gt;ours&lt;/b&gt;." in (out / "index.html").read_text()
    with pytest.raises(RecipeError) as raised:
        read_config(written(tmp_path, studies=[absent]))
    assert said in str(raised.value), "without any study there is no site"


def test_a_title_is_found_by_any_path_of_its_run(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = written(tmp_path, studies=[{"run": "../" + tmp_path.name + "/good", "title": "By another way"}])
    monkeypatch.chdir(tmp_path)
    build_site(["good"], tmp_path / "site", charts=False, words=read_config(config).words)
    assert "By another way" in (tmp_path / "site" / "index.html").read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "site.yaml: the file is empty; expected a mapping with 'studies'"),
        ("[1]", "site.yaml:1: found list; expected a mapping with 'studies'"),
        ("title: x", "site.yaml:1: the key 'studies' is missing"),
        ("studies: []", "site.yaml:1: studies: the list is empty"),
        ("studies: [{run: good}]\ntitel: x", "site.yaml:2: titel: unknown key; did you mean 'title'"),
        ("studies:\n  - {rum: good}", "site.yaml:2: studies[0].rum: unknown key; did you mean 'run'"),
        ("studies: [{run: 3}]", "site.yaml:1: studies[0].run: found 3; expected text"),
        ("studies: [{run: good}]\ntheme: [a]", "site.yaml:2: theme: found ['a']; expected text"),
        ("studies: [{run: good}, {run: good}]", "site.yaml:1: studies[1].run: 'good' is given twice"),
        (
            "studies:\n  - run: absent\n    command: torr quickstart",
            "absent; expected a run directory or a scores file; 'torr quickstart' makes it",
        ),
        ("{", "site.yaml:1: not YAML"),
        ("studies: [{run: good}]\n1: x", "site.yaml:2: found 1 as a key; expected a name"),
    ],
)
def test_a_file_that_is_wrong(good: Path, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "site.yaml"
    path.write_text(text)
    with pytest.raises(RecipeError) as raised:
        read_config(path)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_nothing_to_publish() -> None:
    done = here("publish")
    assert done.exit_code == 2
    assert done.stderr == "torr: RUN: found none; expected a run directory or scores file, or --config FILE\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--theme", "nothing"), "torr: theme: found 'nothing', which is neither a bundled theme"),
        (("--models", "absent.yaml"), "torr: absent.yaml: cannot be read"),
        (("--config", "absent.yaml"), "torr: absent.yaml: cannot be read"),
    ],
)
def test_wrong_options(good: Path, tmp_path: Path, options: tuple[str, str], said: str) -> None:
    done = here("publish", good, *options, "--out", tmp_path / "site", "--no-charts")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith(said)
    assert not (tmp_path / "site").exists()


def test_the_file_of_the_project_s_own_site() -> None:
    said = yaml.safe_load((shipped_folder("leaderboard") / "site.yaml").read_text())
    needed = [study for study in said["studies"] if not study.get("optional")]
    assert [(study["run"], study["command"]) for study in needed] == [
        ("../runs/quickstart", "torr quickstart")
    ]
    # what the others show is published elsewhere: under which licence is said
    assert all("MIT" in study["description"] for study in said["studies"] if study.get("optional"))


@pytest.mark.full
def test_the_project_s_own_site(good: Path, tmp_path: Path) -> None:
    """By its file, over a small run in the quickstart's place; the commands themselves run with the docs."""
    config = tmp_path / "leaderboard" / "site.yaml"
    config.parent.mkdir()
    config.write_text((shipped_folder("leaderboard") / "site.yaml").read_text())
    (tmp_path / "runs").mkdir()
    good.rename(tmp_path / "runs" / "quickstart")
    page = tmp_path / "site" / "index.html"
    done = here("publish", "--config", config, "--out", page.parent, "--no-charts")
    assert done.exit_code == 0, done.stderr
    assert "Three generated data sets, three baselines" in page.read_text()


def test_a_theme_and_words_need_a_run() -> None:
    with pytest.raises(RunError, match="no run to publish"):
        build_site([], "site", theme="paper")


@pytest.mark.parametrize("check", [True, False])
def test_a_wrong_theme_is_said_before_anything_else(bad: Path, tmp_path: Path, check: bool) -> None:
    css = tmp_path / "ours.css"
    css.write_text("@import 'other.css';", encoding="utf-8")
    options = ["--check"] if check else []
    done = here("publish", bad, "--theme", css, "--out", tmp_path / "site", *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"torr: {css}: found '@import' (line 1 ")
    assert not (tmp_path / "site").exists()


def test_a_wrong_theme_of_a_site_s_file_is_said(good: Path, tmp_path: Path) -> None:
    config = tmp_path / "site.yaml"
    config.write_text(f"theme: nowhere.css\nstudies: [{{run: {good.name}}}]\n", encoding="utf-8")
    done = here("publish", "--check", "--config", config)
    assert done.exit_code == 2
    assert "nowhere.css" in done.stderr
