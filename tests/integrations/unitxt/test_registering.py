from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import torr_plugin
from torr_plugin.core.errors import UnknownNameError


def test_registering_twice_registers_once() -> None:
    from unitxt.artifact import Catalogs

    torr_plugin.register()
    torr_plugin.register()
    assert sum(type(each).__name__ == "TorrCatalog" for each in Catalogs().catalogs) == 1


def test_every_name_of_unitxts_stays_unitxts() -> None:
    from unitxt.artifact import fetch_artifact

    _, theirs = fetch_artifact("cards.scigen")
    assert type(theirs).__name__ == "LocalCatalog"
    for name in ("cards.torr.scigen", "cards.hctqa.real", "cards.torr.hctqa.real.pak"):
        card, ours = fetch_artifact(name)
        assert (type(card).__name__, type(ours).__name__) == ("TableCard", "TorrCatalog")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("cards.torr.wikitk", "cards.torr.wikitq"),
        ("metrics.torr.exactmatch", "metrics.torr.exact_match"),
        ("serializers.torr.latx", "serializers.torr.latex"),
        ("augmentors.torr.nonsence", "augmentors.torr.nonsense"),
        ("engines.torr.lexicale", "engines.torr.lexical"),
        (
            "recipes.quickstart.bundled.cell_lookup.html.non",
            "recipes.quickstart.bundled.cell_lookup.html.none",
        ),
    ],
)
def test_a_misspelt_name_of_ours_is_told_the_nearest(name: str, nearest: str) -> None:
    from unitxt.artifact import fetch_artifact

    with pytest.raises(UnknownNameError, match=rf"unknown artifact '{name}'; .*'{nearest}'"):
        fetch_artifact(name)


PROBE = """
import os, random, sys
random.seed(5)
state, environment = random.getstate(), dict(os.environ)
import torr_plugin
assert "unitxt" not in sys.modules
torr_plugin.register()
from unitxt import load_dataset
found = load_dataset(
    "recipes.quickstart.bundled.aggregation.html.none", split="test", max_test_instances=2)
assert len(found) == 2
assert random.getstate() == state
assert dict(os.environ) == environment
"""


@pytest.mark.full
def test_a_process_that_registers_and_loads_is_left_as_it_was(tmp_path: Path) -> None:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROBE],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
