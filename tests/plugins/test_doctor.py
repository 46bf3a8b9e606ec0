"""``torr doctor``: what is there, what is missing, and when that is a fault."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from torr_plugin.plugins import Plugin, hookimpl, registered
from torr_plugin.workflows import installation
from torr_plugin.workflows.installation import Finding

from ..conftest import Torr
from .conftest import Install


def states(text: str, part: str) -> dict[str, str]:
    return {each["name"]: each["state"] for each in json.loads(text)[part]}


def test_what_is_there_is_good(torr: Torr, shared_data: Path) -> None:
    done = torr("doctor", "--json", data=shared_data)
    assert done.returncode == 0, done.stdout
    assert states(done.stdout, "data") == {"mirror": "good"}
    assert states(done.stdout, "versions")["Python"] == "good"
    assert "ray" in states(done.stdout, "extras")


def test_no_mirror_is_no_fault_and_a_wrong_one_is(torr: Torr, tmp_path: Path) -> None:
    assert states(torr("doctor", "--json").stdout, "data") == {"mirror": "optional"}
    done = torr("doctor", "--json", data=tmp_path / "nowhere")
    assert done.returncode == 1
    assert states(done.stdout, "data") == {"mirror": "wrong"}


def test_a_plugin_that_was_left_out_is_a_fault(torr: Torr, install: Install) -> None:
    install("broken", "raise RuntimeError('not today')")
    done = torr("doctor", "--json")
    assert done.returncode == 1
    assert states(done.stdout, "plugins") == {"broken": "wrong"}


@pytest.mark.full
def test_names_and_commands_stay_whole_to_be_copied(torr: Torr, install: Install, tmp_path: Path) -> None:
    install("broken-package", "raise RuntimeError('not today')", entry="broken")
    long = [f"a-model-with-a-very-long-name-number-{number}" for number in range(9)]
    hook = f"@hookimpl\ndef torr_models(): return dict.fromkeys({long}, 'a.b:C')"
    install("long", f"from torr_plugin.plugins import hookimpl\n{hook}")
    said = torr("doctor", data=tmp_path).stdout
    titles = [line for line in said.splitlines() if line and not line.startswith(" ")]
    assert titles[:4] == ["Versions", "Extras", "Data", "Plugins"]
    assert "pip uninstall broken-package" in " ".join(said.split())
    listed = torr("list", "plugins").stdout
    for text in (said, listed):
        assert max(map(len, text.splitlines())) <= 80
    assert all(name in listed for name in long)


@pytest.mark.full
def test_cards_and_recipes_of_a_plugin_that_cannot_be_read(
    torr: Torr, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine.json").write_text("{")
    (tmp_path / "own.yaml").write_text("name: [")
    hooks = SimpleNamespace(
        torr_card_folders=hookimpl(lambda: [tmp_path]), torr_recipe_folders=hookimpl(lambda: [tmp_path])
    )
    with registered(hooks, "it") as adds:
        monkeypatch.setattr(installation.plugins, "load", lambda: (Plugin("it", "1.0", None, adds),))
        done = torr("doctor", "--json", data=tmp_path)
    assert done.returncode == 1
    assert states(done.stdout, "plugins") == {"it": "good", "cards.mine": "wrong", "own": "wrong"}


def test_versions_out_of_range_and_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    from packaging.requirements import Requirement

    monkeypatch.setattr(installation, "installed_version", lambda name: None if name == "absent" else "1.5")
    find = installation.requirement_finding
    assert find(Requirement("there>=1,<2")) == Finding("there", "good", "1.5")
    assert find(Requirement("there>=2")) == Finding(
        "there", "wrong", "1.5, needed: >=2", "pip install 'there>=2'"
    )
    assert find(Requirement("absent>=2")).found == "not installed"
