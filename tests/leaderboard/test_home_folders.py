"""Nothing that is published names a home folder, whatever a run says of itself."""

from __future__ import annotations

import gzip
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
import yaml

from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.pages import examples
from torr_plugin.leaderboard.source import open_source

from .conftest import Only
from .made import make_run, with_analysis

pytestmark = pytest.mark.full

HOME = "/home/joe-bloggs/work"
WINDOWS = "C:\\Users\\Joe-Bloggs\\x"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with a home folder wherever study.yaml, an error and the arguments of a model can hold one."""
    path = make_run(tmp_path / "run", failing={"beta": f'OSError: File "{HOME}/model.py": not there'})
    study: dict[str, Any] = yaml.safe_load((path / "study.yaml").read_text(encoding="utf-8"))
    study["recipe"].update(
        description=f"In {HOME}/recipe.yaml.",
        cards=[f"{HOME}/card.json", WINDOWS],
        models=[{"model": "hf", "args": {"pretrained": f"{HOME}/m"}}],
    )
    study.update(
        notes=[f"read from {HOME}/notes", WINDOWS],
        versions={**study["versions"], "torch": f"2.4 @ file://{HOME}/torch"},
        generation={**study["generation"], "stop": [f"{HOME}/stop"]},
        imported={"harness": "HELM", "folder": HOME, "options": [f"--metric {HOME}/metric"]},
        reused=[{"run": f"{HOME}/other"}],
    )
    for model in study["models"]:
        model["args"].update(pretrained=f"{HOME}/models/{model['label']}", tokenizer=WINDOWS)
    for said in study["datasets"].values():
        said.update(card=f"{HOME}/card.json", description=f"Below {HOME}/data.", split=f"{HOME}/test.csv")
    (path / "study.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    with_analysis(path, resamples=20)
    return path


def texts(site: Path) -> dict[str, str]:
    """All files of a site as text, data of scripts unpacked."""
    found = {}
    for path in site.rglob("*"):
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            packed = re.search(r'^torr\.packed\("[^"]*","([^"]*)"\)', text)
            if packed:
                text = gzip.decompress(b64decode(packed[1])).decode("utf-8")
            found[str(path.relative_to(site))] = text
    return found


def test_no_file_of_a_site_holds_one(run: Path, tmp_path: Path) -> None:
    build_site([run], tmp_path / "site", charts=False)
    found = texts(tmp_path / "site")
    assert [name for name, text in found.items() if re.search("bloggs", text, re.IGNORECASE)] == []
    method = found["a-small-study/method.html"]
    assert "~/work/models/alpha" in re.sub("<wbr>", "", method)
    assert "OSError: File &#34;~/work/model.py&#34;: not there" in method
    errors = [text for name, text in found.items() if "/examples/" in name and "~/work/model.py" in text]
    assert errors, "errors stand with the examples too"


def test_prompts_and_answers_stay_as_they_are(tmp_path: Path, only: Only) -> None:
    only(examples)
    path = make_run(
        tmp_path / "run",
        prompt=lambda config, example: f"Where is {HOME}?",
        predict=lambda model, example: f"In {HOME}.",
    )
    build_site([path], tmp_path / "site", charts=False)
    found = "".join(text for name, text in texts(tmp_path / "site").items() if "/examples/" in name)
    assert f"Where is {HOME}?" in found
    assert f"In {HOME}." in found


def test_labels_stay_for_scores_name_models_by_them(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", models=(f"{HOME}/a", "b"))
    source = open_source(path)
    assert [model["label"] for model in source.study["models"]] == [f"{HOME}/a", "b"]
    assert source.study["models"][0]["args"]["pretrained"].startswith("org/")
