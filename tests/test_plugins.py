"""Plugins: what they bring is there by name; one that is wrong is named, and the rest work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pluggy
import pytest

from torr_plugin import hookspecs, plugins
from torr_plugin.errors import InputError

PLUGIN = '''
from pathlib import Path
from torr_plugin.hookspecs import hookimpl
from torr_plugin.prompts import Design, Message
from torr_plugin.tables.perturbations import Perturbation
from torr_plugin.tables.serializers import Serializer

HERE = Path(__file__).parent

class Shout(Serializer):
    name = "shout"
    def serialize(self, table):
        return " / ".join(" ".join(cell.text.upper() for cell in row) for row in table.grid)

class Reverse(Perturbation):
    name = "reverse"
    def perturb(self, table, rng):
        if table.has_spans:  # a merged cell cannot be stood on its head
            return table
        return table.replace(rows=(*table.rows[: table.header_rows], *table.rows[table.header_rows :][::-1]))

class Short(Design):
    name = "short"
    def compose(self, asked, demonstrations):
        return (Message("user", asked.source),)

class Length:
    """How short an answer is."""
    name = main = "shortness"
    def scores(self, prediction, references):
        return {"shortness": 1 / (1 + len(prediction))}

@hookimpl
def torr_serializers(): return [Shout()]
@hookimpl
def torr_perturbations(): return [Reverse()]
@hookimpl
def torr_designs(): return [Short()]
@hookimpl
def torr_metrics(): return [Length()]
@hookimpl
def torr_models(): return {"echo": "torr_plugin.running.baselines.lm:Constant"}
@hookimpl
def torr_card_folders(): return [HERE / "cards"]
@hookimpl
def torr_recipe_folders(): return [HERE / "recipes"]
'''

RECIPE = """
name: mine
cards: [cards.mine]
configurations: [shout/reverse/short]
examples: {count: 3}
models: [torr-majority]
"""


def install(site: Path, name: str, source: str) -> None:
    """What an installer leaves behind: a module and its entry point."""
    (site / f"{name}.py").write_text(source)
    info = site / f"{name}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(f"[torr_plugin]\n{name} = {name}\n")


def torr(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "torr_plugin.cli", *arguments],
        cwd=site,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def site(tmp_path: Path) -> Path:
    from torr_plugin.shipped import folder

    install(tmp_path, "everything", PLUGIN)
    (tmp_path / "cards").mkdir()
    card = json.loads((folder("cards") / "bundled" / "fact_verification.json").read_text())
    (tmp_path / "cards" / "mine.json").write_text(json.dumps(card))
    (tmp_path / "recipes").mkdir()
    (tmp_path / "recipes" / "mine.yaml").write_text(RECIPE)
    return tmp_path


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("serializers", "shout"),
        ("perturbations", "reverse"),
        ("designs", "short"),
        ("metrics", "shortness"),
        ("models", "echo"),
        ("cards", "cards.mine"),
        ("recipes", "mine"),
    ],
)
def test_what_a_plugin_brings_is_listed(site: Path, kind: str, name: str) -> None:
    done = torr(site, "list", kind, "--json")
    assert done.returncode == 0, done.stderr
    assert name in [row["name"] for row in json.loads(done.stdout)[kind]]


def test_a_study_made_of_a_plugins_parts_runs(site: Path) -> None:
    done = torr(site, "run", "mine", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answered"] == 3


def test_a_plugin_that_raises_is_named_and_the_rest_work(site: Path) -> None:
    install(site, "broken", "raise RuntimeError('not today')")
    done = torr(site, "list", "serializers", "--json")
    assert done.returncode == 0
    assert "plugin 'broken' was left out: RuntimeError: not today" in done.stderr
    assert "shout" in done.stdout
    rows = {row["name"]: row for row in json.loads(torr(site, "list", "plugins", "--json").stdout)["plugins"]}
    assert rows["everything"] == {"name": "everything", "version": "1.2", "problem": ""}
    assert "not today" in rows["broken"]["problem"]


def test_a_misspelt_hook_is_refused() -> None:
    def torr_serialisers() -> list[object]:
        return []

    module = types.SimpleNamespace(torr_serialisers=hookspecs.hookimpl(torr_serialisers))
    with pytest.raises(pluggy.PluginValidationError, match="torr_serialisers"):
        plugins.register(module, "misspelt")


def test_a_name_that_is_taken_is_refused() -> None:
    class Html:
        name = "html"

    module = types.SimpleNamespace(torr_serializers=hookspecs.hookimpl(lambda: [Html()]))
    with pytest.raises(
        InputError, match="two serializers are called 'html': one from torr-plugin, one from other"
    ):
        plugins.register(module, "other")
