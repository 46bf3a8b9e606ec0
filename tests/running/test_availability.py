"""What can be used here is told without importing it, and what is missing comes with the command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from torr_plugin.core.versions import install_hint, pip_command
from torr_plugin.running import add_model, model_names
from torr_plugin.running import model_classes as availability
from torr_plugin.running.model_classes import ModelAvailability, requirements_of


def found() -> dict[str, ModelAvailability]:
    return {each.name: each for each in availability.availability()}


def test_every_model_is_told_and_every_one_of_lm_evals_is_known() -> None:
    from lm_eval.models import MODEL_MAPPING

    models = found()
    assert list(models) == model_names()
    assert [name for name in MODEL_MAPPING if requirements_of(name) is None] == []
    assert models["torr-lexical"] == ModelAvailability("torr-lexical", "baseline", (), None, "torr-plugin")
    assert models["test-echo"].kind == "plugin"
    assert models["test-echo"].origin == "the tests"
    assert (models["vllm"].kind, models["hf"].kind) == ("in process", "in process")
    assert models["openai-chat-completions"].kind == "server"
    assert models["openai-chat-completions"].key == "OPENAI_API_KEY"
    assert models["local-chat-completions"].key is None


def test_what_is_missing_comes_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"torch", "transformers", "ray"}
    monkeypatch.setattr(availability, "_missing", lambda modules: tuple(m for m in modules if m not in there))
    models = found()
    assert models["hf"].missing == ("accelerate",)
    assert models["hf"].install == "pip install '.[hf]'"
    assert models["vllm-vlm"].missing == ("vllm",)
    assert models["vllm-vlm"].install == "pip install '.[vllm,ray]'"
    assert models["anthropic-completions"].install == "pip install anthropic"
    assert models["anthropic-chat"].install == "pip install '.[api]'"
    assert models["nemo_lm"].install is None  # no line of pip's does it
    assert models["torr-constant"].missing == ()


def test_the_extras_named_are_ours() -> None:
    """The commands name extras that pyproject.toml has."""
    pyproject = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    section = pyproject.partition("[project.optional-dependencies]")[2].partition("\n\n")[0]
    for each in availability._REQUIREMENTS.values():
        for part in (each.install or "").split():
            if part.startswith(".["):
                extras = part[len(".[") : -1].split(",")
                assert all(f"\n{extra} = " in section for extra in extras), part


def test_a_plugins_module_is_looked_for_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_plugin_of_models").mkdir()
    (tmp_path / "a_plugin_of_models" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (tmp_path / "a_plugin_of_models" / "lm.py").write_text("import nowhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    add_model("test-plugged", "a_plugin_of_models.lm:Model", origin="a plugin")
    add_model("test-unplugged", "a_plugin_that_is_gone.lm:Model", origin="a plugin")
    models = found()
    assert models["test-plugged"].missing == ()
    assert models["test-unplugged"].missing == ("a_plugin_that_is_gone",)


def test_commands_are_for_a_shell_and_say_where_an_extra_is() -> None:
    assert pip_command(".[hf] mamba-ssm") == "pip install '.[hf]' mamba-ssm"
    assert install_hint(".[hf,ray]") == "pip install '.[hf,ray]' in a checkout of torr-plugin"
    assert install_hint("anthropic") == "pip install anthropic"


def test_nobody_is_sent_to_an_index_for_this_package() -> None:
    """A project of this name there may be another's; only wheels of one's own making are named so."""
    root = Path(__file__).resolve().parents[2]
    places = [root / "README.md", root / "recipes", root / "docs", root / "torr_plugin"]
    files = [path for place in places for path in [place, *place.rglob("*")] if path.suffix in _TEXTS]
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    named = [line for line in lines if "torr-plugin[" in line and "--find-links" not in line]
    assert len(files) > 300
    assert named == []


_TEXTS = (".py", ".md", ".yaml")


def test_no_engine_is_imported() -> None:
    probe = (
        "import json, sys\nfrom torr_plugin.running.model_classes import availability\navailability()\n"
        "engines = ('torch', 'transformers', 'vllm', 'ray', 'aiohttp')\n"
        "print(json.dumps([name for name in engines if name in sys.modules]))"
    )
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == []
