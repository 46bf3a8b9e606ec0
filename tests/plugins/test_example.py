"""The example plugin, in this process: what it adds works in studies, analyses and on the site."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from torr_plugin.catalog.generated import generators
from torr_plugin.cli.app import app
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.sections import shown_sections
from torr_plugin.leaderboard.site import build_site
from torr_plugin.leaderboard.source import open_source
from torr_plugin.recipes import load, plan
from torr_plugin.tables import TableError, readers
from torr_plugin.workflows.listing import listed as list_names

from ..conftest import Torr

pytestmark = pytest.mark.full

ADDS = {
    "serializers": ("json_lines",),
    "perturbations": ("reverse_rows",),
    "readers": ("dotted",),
    "generators": ("menus",),
    "designs": ("dialogue", "draft"),
    "metrics": ("number_in_text",),
    "models": ("example-last-number",),
    "cards": ("cards.example.menus",),
    "recipes": ("menus",),
    "analyses": ("unanimous",),
    "sections": ("unanimous",),
    "commands": ("menus",),
}


def test_it_adds_one_of_each(example: dict[str, tuple[str, ...]]) -> None:
    assert example == ADDS
    for kind in (
        "serializers",
        "perturbations",
        "designs",
        "metrics",
        "cards",
        "recipes",
    ):
        assert ADDS[kind][0] in [row["name"] for row in list_names(kind)]


def test_prompts_are_made_of_its_parts(example: None) -> None:
    requests = list(plan(load("menus"), limit=1).requests())
    shown = {request.config.id: request.prompt for request in requests}
    plain = shown["json_lines/none/default"][0].content
    reverse = shown["json_lines/reverse_rows/default"][0].content
    assert '["Dish", "Side", "Price"]' in plain
    asked, turned = (text[text.rindex('["Dish"') :].splitlines()[1:6] for text in (plain, reverse))
    assert asked == turned[::-1]
    roles = [message.role for message in shown["markdown/reverse_rows/dialogue"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


@pytest.fixture(scope="module")
def ran(example: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin's study, run once."""
    folder = tmp_path_factory.mktemp("ran")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = CliRunner().invoke(app, ["run", "menus", "--limit", "4", "--json"])
    assert done.exit_code == 0, done.stderr
    # three configurations of one call, and the strategy's first and second
    assert json.loads(done.stdout)["answered"] >= 2 * 4 * 4
    return folder / "runs" / "menus"


@pytest.fixture
def run(ran: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(ran, tmp_path / "runs" / "menus"))


def test_a_study_its_analysis_and_its_page(run: Path, torr: Torr, tmp_path: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())["plugins"]["unanimous"]
    assert set(found) == {"torr-lexical", "example-last-number"}
    assert all(0 <= share <= 1 for shares in found.values() for share in shares.values())
    done = torr("analyse", run, "--out", "again", "--no-charts")
    assert "the same in all configurations most often: " in done.stdout
    rows = (tmp_path / "again" / "plugins" / "unanimous.csv").read_text().splitlines()
    assert rows[0] == "model,dataset,share"
    assert len(rows) == 3
    page = build_site([run], tmp_path / "site", charts=False).read_text()
    assert '<section id="section-unanimous">' in page
    assert "<h2>Same in all configurations</h2>" in page
    assert 'src="data/menus/section-unanimous.svg"' in page
    assert (tmp_path / "site/data/menus/section-unanimous.svg").read_text().startswith("<svg")


def test_the_section_escapes_what_comes_from_data(run: Path) -> None:
    analysis = json.loads((run / "analysis.json").read_text())
    analysis["plugins"]["unanimous"] = {"<script>alert(1)</script>\u202e": {"<b>d</b>": 0.5}}
    (run / "analysis.json").write_text(json.dumps(analysis))
    [section], [] = shown_sections(open_source(run), Renderer())
    assert "&lt;script&gt;alert(1)&lt;" in section.html
    assert "<script>alert" not in section.html
    assert "<b>d</b>" not in section.html
    assert "\u202e" not in section.html


def test_without_the_figure_there_is_no_section(run: Path) -> None:
    analysis = json.loads((run / "analysis.json").read_text())
    del analysis["plugins"]
    (run / "analysis.json").write_text(json.dumps(analysis))
    assert shown_sections(open_source(run), Renderer()) == ((), ())


def test_its_generator_answers_truly(example: None) -> None:
    for number in range(20):
        for row in generators.get("menus")(Random(number), number):
            body = [[cell.text for cell in line] for line in row["table"].rows[1:]]
            if row["kind"] == "lookup":
                assert [price for dish, _, price in body if f"Price of the {dish}?" in row["question"]] == [
                    row["answer"]
                ]
            else:
                cents = [round(100 * float(price)) for _, _, price in body]
                assert row["answer"] == f"{(max(cents) - min(cents)) / 100:.2f}"


def test_its_reader(example: None) -> None:
    table = readers.get("dotted")("Soup ..... 4.50\n\nStew..3.00\n", title="Lunch")
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["name", "value"],
        ["Soup", "4.50"],
        ["Stew", "3.00"],
    ]
    with pytest.raises(TableError, match="line 2: found 'no dots'"):
        readers.get("dotted")("a .. b\nno dots")
