"""``torr helm-entries``; it needs no HELM."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Torr
from torr_plugin.integrations.helm.run_entries import conf, run_entries


def test_entries_go_to_their_file(torr: Torr, tmp_path: Path) -> None:
    done = torr("helm-entries", "quickstart", "--model", "torr/lexical", "--out", "q.conf")
    assert done.returncode == 0
    assert done.stdout == ""
    assert (tmp_path / "q.conf").read_text() == conf(run_entries(["quickstart"], ["torr/lexical"]))


def test_as_one_json_object(torr: Torr) -> None:
    found = json.loads(torr("helm-entries", "quickstart", "--json").stdout)
    assert found == {"out": None, "entries": run_entries(["quickstart"])}


def test_configurations_that_show_pictures_are_left_out_and_said(torr: Torr, tmp_path: Path) -> None:
    recipe = tmp_path / "seen.yaml"
    recipe.write_text(
        "name: seen\ncards: [cards.bundled.cell_lookup]\n"
        "configurations: [html/none/default, image/none/default, image/transpose/default]\n"
    )
    done = torr("helm-entries", "seen.yaml", "--json")
    (entry,) = json.loads(done.stdout)["entries"]
    assert "serializer=html" in entry["description"]
    assert "seen.yaml: 2 configurations show pictures and are left out: image/none/default" in done.stderr
    recipe.write_text(recipe.read_text().replace("html/none/default, ", ""))
    done = torr("helm-entries", "seen.yaml")
    assert done.returncode == 2
    assert "recipe 'seen.yaml': all configurations show pictures" in done.stderr


def test_an_unknown_study_ends_with_two(torr: Torr) -> None:
    done = torr("helm-entries", "quikstart")
    assert done.returncode == 2
    assert "did you mean 'quickstart'?" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_file_that_cannot_be_written_is_said(torr: Torr) -> None:
    done = torr("helm-entries", "quickstart", "--out", "/proc/nowhere/q.conf")
    assert done.returncode == 2
    assert "torr: /proc/nowhere" in done.stderr
