"""The wheel alone, made of the source distribution and installed outside the checkout, does the main job."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from torr_plugin import __version__

from .home import Home

pytestmark = pytest.mark.full


def test_the_wheel_holds_cards_recipes_and_site_and_no_data(wheels: Path) -> None:
    [wheel] = wheels.glob("torr_plugin-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    shipped = {name.split("/")[2] for name in names if name.startswith("torr_plugin/_shipped/")}
    assert shipped == {"cards", "recipes", "leaderboard"}
    assert "torr_plugin/_shipped/cards/hctqa/real.json" in names
    assert "torr_plugin/_shipped/recipes/real.yaml" in names
    assert "torr_plugin/_shipped/recipes/hctqa_formats.yaml" in names
    parameters = {
        name.rpartition("/")[2] for name in names if "papers/hctqa/generator/parameters/shipped/" in name
    }
    assert parameters == {
        f"PARAM_{part}.json" for part in ("semantics", "tableTemplates", "NLquestionTemplates")
    }
    assert "torr_plugin/py.typed" in names
    data = [name for name in names if name.endswith((".parquet", ".csv", ".jsonl", ".gz"))]
    assert data == ["torr_plugin/papers/tablequest/filings.parquet"]  # of our own generator


def test_version_and_licence_are_in_both_distributions(wheels: Path) -> None:
    [wheel], [source] = wheels.glob("torr_plugin-*.whl"), wheels.glob("torr_plugin-*.tar.gz")
    assert wheel.name.split("-")[1] == source.name.removesuffix(".tar.gz").split("-")[1] == __version__
    with zipfile.ZipFile(wheel) as packed:
        about = packed.read(f"torr_plugin-{__version__}.dist-info/METADATA").decode()
        assert f"torr_plugin-{__version__}.dist-info/licenses/LICENSE" in packed.namelist()
    assert f"\nVersion: {__version__}\n" in about
    assert "\nLicense-Expression: Apache-2.0\n" in about
    unpacked = wheels / "unpacked" / f"torr_plugin-{__version__}"
    assert (unpacked / "PKG-INFO").read_text() == about
    for name in ("tests", "docs", "examples", "CITATION.cff", "CHANGELOG.md"):
        assert (unpacked / name).exists()


def test_a_study_from_the_installed_wheel(wheels: Path, home: Home) -> None:
    home.run("python", "-c", "import PIL", code=1)  # of an extra, though it is here
    where = home.run("python", "-c", "import torr_plugin; print(torr_plugin.__file__)").stdout
    assert where.startswith(str(wheels))
    line = ("run", "quickstart", "--limit", "2", "--json")
    result = json.loads(home.run("torr", *line, TORR_PLUGINS="off").stdout)
    assert (result["answered"], result["failed"]) == (3 * 3 * 35 * 2, 0)
    home.run("torr", "publish", "runs/quickstart", "--no-charts", TORR_PLUGINS="off")
    page = (home.folder / "site" / "index.html").read_text()
    for model in ("torr-majority", "torr-random-cell", "torr-lexical"):
        assert model in page
