"""The scripts that measure unitxt's draw and the making of prompts, on a few made rows."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from ..conftest import ROOT
from .made_rows import write_made_mirror

pytestmark = pytest.mark.usefixtures("unitxt_alone")


@pytest.fixture(autouse=True)
def made_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_made_mirror(tmp_path)
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and typing look a module up there
    spec.loader.exec_module(module)
    return module


@pytest.mark.full
def test_luck_of_demonstrations() -> None:
    results = script("luck_of_demonstrations").study(["qtsumm"], 6)
    majority = results["models"]["torr-majority"]["qtsumm"]
    for draw in ("paired", "shared"):
        assert majority[draw]["robustness"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    unitxts, luck = majority["unitxt"]["robustness"]["value"], majority["luck"]["robustness"]["value"]
    assert unitxts < 1
    assert luck == pytest.approx(1 - unitxts)
    # formats of one perturbation are shown the same demonstrations under unitxt's draw too
    assert majority["unitxt"]["formats"]["value"] == 1
    for model in results["models"].values():
        assert model["overall"] == model["qtsumm"]


def test_figures_of_a_hand_worked_cube() -> None:
    # two serializers x three perturbations, one example
    cube = np.array([[0.0, 0.5, 1.0], [0.25, 0.5, 0.5]])[:, :, None]
    performance, robustness, formats, perturbed = script("luck_of_demonstrations").example_figures(cube)[:, 0]
    assert performance == pytest.approx(2.75 / 6)
    assert robustness == 0
    assert formats == pytest.approx(1 - (0.25 + 0 + 0.5) / 3)
    assert perturbed == pytest.approx(1 - (1 + 0.25) / 2)


def test_nearest_demonstration() -> None:
    nearest = script("luck_of_demonstrations").nearest_answer
    shown = "Question: how many cats\nAnswer: 3\n\nQuestion: which dogs bark\nAnswer: all\n\n"
    assert nearest(f"Answer.\n{shown}Question: which dogs sleep\nAnswer:") == "all"
    assert nearest(f"Answer.\n{shown}Question: how many mice\nAnswer:") == "3"
    assert nearest("Answer.\nQuestion: who\nAnswer:") == ""


@pytest.mark.full
def test_expansion_compares_prompts_byte_for_byte() -> None:
    expansion = script("expansion")
    found = {side: expansion.one_side(side, "qtsumm", 3, "qtsumm") for side in expansion.COMPARED["recipe"]}
    assert expansion.equal_prompts(found, "qtsumm") == 6
    assert found["ours recipe"]["prompts"] == 35 * 3
    none = dict.fromkeys(found["ours recipe"]["hashes"])
    with pytest.raises(SystemExit, match=r"^qtsumm: prompts differ from unitxt's in torr\.html/none/torr"):
        expansion.equal_prompts({**found, "ours recipe": {"hashes": none}}, "qtsumm")
