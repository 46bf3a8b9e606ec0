"""What an imported run says of where it is from: the same on every machine, and no model twice."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.conftest import Torr
from tests.integrations.importing.helm_output import TRUTH, write_run
from tests.integrations.importing.lm_eval_output import write_run as write_lm_eval
from tests.integrations.importing.test_bad_input import changed, refused
from tests.integrations.importing.test_ours import own_study, samples
from torr_plugin.core.errors import DataError
from torr_plugin.integrations.importing import study as known_examples
from torr_plugin.recipes import recipe_file

HTML = "recipes.torr.tab_fact.html.no_augmentation_5_demos"


def test_folders_of_this_machine_are_not_in_the_run(torr: Torr, tmp_path: Path) -> None:
    recipe = own_study(tmp_path / "study")
    write_lm_eval(tmp_path / "out", "mine_towns", samples(asked_by=str(recipe), of="towns"))
    done = torr("import", "lm-eval", tmp_path / "out", "--recipe", recipe, "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    said = yaml.safe_load((tmp_path / "run" / "study.yaml").read_text())["imported"]
    assert (said["from"], said["options"]) == ("out", ["--recipe mine.yaml"])
    assert str(tmp_path) not in json.dumps(said)


def test_a_card_whose_data_are_not_here_is_said_without_where_they_are_looked_for(
    torr: Torr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(*_: object) -> list[object]:
        raise DataError(f"expected {tmp_path}/mirror/towns.parquet")

    write_lm_eval(tmp_path / "out", "t", samples())
    monkeypatch.setattr(known_examples, "_examples", absent)
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run", "--json")
    note = json.loads(done.stdout)["notes"][1]
    assert note.startswith(
        "bundled.cell_lookup: groups and properties of its examples are not known, for its"
    )
    assert str(tmp_path) not in (tmp_path / "run" / "study.yaml").read_text()


def test_one_model_asked_through_two_deployments_is_two(torr: Torr, tmp_path: Path) -> None:
    for host in ("azure", "openai"):
        folder = write_run(tmp_path / "in" / host, HTML, "openai/gpt", TRUTH)
        changed(
            folder / "run_spec.json",
            lambda spec, host=host: spec["adapter_spec"].update(model_deployment=f"{host}/gpt"),
        )
    write_run(tmp_path / "in", HTML, "org/other", TRUTH)
    done = torr("import", "helm", tmp_path / "in", "--out", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout)["models"]) == [
        "openai/gpt (azure/gpt)",
        "openai/gpt (openai/gpt)",
        "org/other",
    ]
    assert len(pd.read_parquet(tmp_path / "run" / "scores.parquet").model.unique()) == 3


@pytest.mark.parametrize("name", ["", "x" * 1001])
def test_a_model_s_name_that_no_page_could_show(torr: Torr, tmp_path: Path, name: str) -> None:
    folder = write_run(tmp_path / "in", HTML, "org/one", TRUTH)
    changed(folder / "run_spec.json", lambda spec: spec["adapter_spec"].update(model=name))
    line = refused(torr, tmp_path, "helm", tmp_path / "in")
    assert f"{folder}/run_spec.json: adapter_spec.model: " in line


@pytest.mark.parametrize(
    ("harness", "file"),
    [
        ("helm", "unitxt:x,model=y/scenario_state.json.gz"),
        ("lm-eval", "m/samples_task_2026-01-02T03-04-05.678901.jsonl.gz"),
        ("unitxt", "2026-01-02T03-04-05_x_samples.json.zip"),
    ],
)
def test_packed_results_are_to_be_unpacked(torr: Torr, tmp_path: Path, harness: str, file: str) -> None:
    path = tmp_path / "in" / file
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\x1f\x8b")
    assert f"{path.name} is packed: unpack it first" in refused(torr, tmp_path, harness, tmp_path / "in")


@pytest.mark.parametrize("config", ["html", "html/none", "html//default", "a/b/c/d"])
def test_a_record_names_a_whole_configuration(torr: Torr, tmp_path: Path, config: str) -> None:
    write_lm_eval(tmp_path / "out", "t", samples(config=config))
    line = refused(torr, tmp_path, "lm-eval", tmp_path / "out")
    assert f"line 1: doc: 0: torr.config: found '{config}'; expected serializer/perturbation/design" in line


@pytest.mark.parametrize("card", ["../../etc/passwd", "/etc/hostname.json", "cards/x"])
def test_a_record_names_a_card_and_no_file(torr: Torr, tmp_path: Path, card: str) -> None:
    write_lm_eval(tmp_path / "out", "t", samples(card=card))
    line = refused(torr, tmp_path, "lm-eval", tmp_path / "out")
    assert f"torr.card: found '{card}'; expected a card's name" in line


@pytest.mark.parametrize("study", ["../mine", "/etc/hostname", "a\\b", "a\0", "mine.yaml", "mine.yml"])
def test_a_record_names_a_study_and_no_file(torr: Torr, tmp_path: Path, study: str) -> None:
    write_lm_eval(tmp_path / "out", "t", samples(study=study))
    line = refused(torr, tmp_path, "lm-eval", tmp_path / "out")
    assert "line 1: doc: 0: torr.study: found " in line
    assert "; expected a recipe's name" in line


@pytest.mark.parametrize("study", ["quickstart", "mine"])
def test_a_study_s_name_opens_no_file_of_the_working_directory(
    torr: Torr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, study: str
) -> None:
    write_lm_eval(tmp_path / "out", "t", samples(study=study))
    lying = re.sub(r"(?m)^seed: .*", "seed: 77", recipe_file("quickstart").read_text())
    monkeypatch.chdir(tmp_path)
    (tmp_path / study).write_text(lying)
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    said = yaml.safe_load((tmp_path / "run" / "study.yaml").read_text())
    assert "seed: 77" in lying
    assert said.get("seed") != 77
    assert ("recipe" in said) is (study == "quickstart")


@pytest.mark.parametrize("harness", ["helm", "lm-eval", "unitxt"])
def test_a_link_to_the_results_is_not_followed_and_that_is_said(
    torr: Torr, tmp_path: Path, harness: str
) -> None:
    write_run(tmp_path / "real", HTML, "org/one", TRUTH)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "latest").symlink_to(tmp_path / "real")
    assert "latest is a link to a folder and is not followed" in refused(
        torr, tmp_path, harness, tmp_path / "in"
    )
