"""The wheel alone, installed in a fresh environment outside the checkout, does the main job."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .home import Home

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what git would ship."""
    source = tmp_path_factory.mktemp("source") / "torr-plugin"
    shutil.copytree(
        ROOT, source, ignore=shutil.ignore_patterns(".git", ".tox", ".venv*", "runs", "site", "__pycache__")
    )
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(source)], check=True)
    return next(out.glob("*.whl"))


def test_the_wheel_holds_cards_recipes_and_site_and_no_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    shipped = {name.split("/")[2] for name in names if name.startswith("torr_plugin/_shipped/")}
    assert shipped == {"cards", "recipes", "leaderboard"}
    assert "torr_plugin/_shipped/cards/hctqa/real.json" in names
    assert "torr_plugin/_shipped/recipes/real.yaml" in names
    assert "torr_plugin/_shipped/recipes/hctqa_formats.yaml" in names
    parameters = {name.rpartition("/")[2] for name in names if "synthesis/hctqa/parameters/shipped/" in name}
    assert parameters == {
        f"PARAM_{part}.json" for part in ("semantics", "tableTemplates", "NLquestionTemplates")
    }
    assert "torr_plugin/py.typed" in names
    assert not [name for name in names if name.endswith((".parquet", ".csv", ".jsonl", ".gz"))]


def test_quickstart_from_the_installed_wheel(wheel: Path, tmp_path: Path) -> None:
    home = Home(tmp_path, wheel)  # that the wheel names all it needs, CI sees when it follows the README
    where = home.run("python", "-c", "import torr_plugin; print(torr_plugin.__file__)").stdout
    assert where.startswith(str(tmp_path))
    result = json.loads(home.run("torr", "quickstart", "--json").stdout)
    assert result["failed"] == 0
    assert result["answered"] == result["requests"] > 1000
    page = (tmp_path / "site" / "index.html").read_text()
    for model in ("torr-majority", "torr-random-cell", "torr-lexical"):
        assert model in page
