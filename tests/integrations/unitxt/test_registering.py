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


def test_every_name_of_unitxts_stays_unitxts_unless_asked() -> None:
    from unitxt.artifact import fetch_artifact

    torr_plugin.register(override=True)
    assert type(fetch_artifact("cards.wikitq")[0]).__name__ == "TableCard"
    torr_plugin.register()
    _, theirs = fetch_artifact("cards.scigen")
    assert type(theirs).__name__ == "LocalCatalog"
    for name in ("cards.torr.scigen", "cards.hctqa.real", "cards.torr.hctqa.real.pak"):
        card, ours = fetch_artifact(name)
        assert (type(card).__name__, type(ours).__name__) == ("TableCard", "TorrCatalog")
    assert (
        fetch_artifact("recipes.quickstart.bundled.cell_lookup.html.none")[0].card.main_metric
        == "exact_match"
    )


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("cards.torr.wikitk", "cards.torr.wikitq"),
        ("metrics.torr.exactmatch", "metrics.torr.exact_match"),
        ("serializers.table.latx", "serializers.table.latex"),
        ("augmentors.torr.nonsence", "augmentors.table.nonsense"),
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


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        (
            "recipes.quikstart.bundled.cell_lookup.html.none",
            "recipes.quickstart.bundled.cell_lookup.html.none",
        ),
        ("cards.hctqa.rael", "cards.hctqa.real"),
        ("metrics.acuracy", "metrics.accuracy"),
    ],
)
def test_without_a_network_every_misspelt_name_is_told_the_nearest(
    name: str, nearest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import requests
    from unitxt.artifact import fetch_artifact
    from unitxt.settings_utils import get_settings

    asked: list[str] = []

    class NotThere:
        status_code = 404

    monkeypatch.setattr(requests, "head", lambda url: asked.append(url) or NotThere())
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with get_settings().context(use_only_local_catalogs=False):
        with pytest.raises(UnknownNameError, match=rf"unknown artifact '{name}'; .*'{nearest}'"):
            fetch_artifact(name)
        assert asked == []
        monkeypatch.delenv("HF_HUB_OFFLINE")
        with pytest.raises(Exception, match=r"does not exist|not found|not in"):
            fetch_artifact(name)
    assert len(asked) == 1


def test_a_name_that_another_catalog_has_is_not_misspelt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unitxt.artifact import Catalogs, fetch_artifact
    from unitxt.catalog import LocalCatalog

    (tmp_path / "serializers" / "table").mkdir(parents=True)
    (tmp_path / "serializers" / "table" / "mine.json").write_text('{"__type__": "table_serializer"}')
    own = LocalCatalog(location=str(tmp_path))
    monkeypatch.setattr(Catalogs(), "catalogs", [*Catalogs().catalogs, own])
    assert fetch_artifact("serializers.table.mine")[1] is own


@pytest.mark.parametrize("offline", ["0", "1"])
def test_a_name_of_somebody_s_catalog_that_is_not_local_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offline: str
) -> None:
    from unitxt.artifact import Catalogs, fetch_artifact
    from unitxt.catalog import LocalCatalog
    from unitxt.settings_utils import get_settings

    class Remote(LocalCatalog):  # type: ignore[misc]
        is_local: bool = False

    torr_plugin.register()
    (tmp_path / "metrics" / "acme").mkdir(parents=True)
    (tmp_path / "metrics" / "acme" / "own.json").write_text('{"__type__": "accuracy"}')
    own = Remote(location=str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", offline)
    for catalogs in ([*Catalogs().catalogs, own], [own, *Catalogs().catalogs]):
        monkeypatch.setattr(Catalogs(), "catalogs", [each for each in catalogs if not _stock(each)])
        with get_settings().context(use_only_local_catalogs=False):
            assert fetch_artifact("metrics.acme.own")[1] is own
            with pytest.raises(UnknownNameError, match=r"metrics\.torr\.acuracy"):
                fetch_artifact("metrics.torr.acuracy")
    with get_settings().context(use_only_local_catalogs=True), pytest.raises(Exception, match=r"acme\.own"):
        fetch_artifact("metrics.acme.own")


def _stock(catalog: object) -> bool:
    return type(catalog).__name__ == "GithubCatalog"


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
