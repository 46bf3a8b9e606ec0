"""Models as lm-eval has them: names, arguments, chat, hostile answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from torr_plugin.cli.app import app
from torr_plugin.core.errors import InputError, ModelError, described
from torr_plugin.prompts.message import Message, plain_text
from torr_plugin.running import add_model, model_names
from torr_plugin.running.answer import MOST_CHARACTERS, storable_text
from torr_plugin.running.loaded_model import lm_eval_arguments, load_model
from torr_plugin.running.model_classes import check_name, lm_class, missing_package

from .made import entry

GENERATION = {"max_tokens": 16, "temperature": 0.0, "until": ["\n"]}


def ask(text: str | tuple[Message, ...]) -> tuple[str, tuple[Message, ...]]:
    return "key", (Message("user", text),) if isinstance(text, str) else text


def test_ours_are_in_lm_evals_own_registry() -> None:
    model_names()
    model_names()
    from lm_eval.api.registry import get_model

    model = get_model("torr-constant").create_from_arg_string("answer=yes")
    assert model.generate_until([type("Instance", (), {"args": ("x", {})})]) == ["yes"]


def test_unknown_models_are_said_with_the_nearest() -> None:
    with pytest.raises(ModelError, match=r"unknown model 'vlm'; did you mean 'vllm'"):
        check_name("vlm")
    with pytest.raises(ModelError, match=r"^model 'mine': unknown model 'vlm'; did you mean 'vllm'"):
        check_name("vlm", "mine")
    with pytest.raises(ModelError, match=r"did you mean 'torr-majority'"):
        lm_class("torr-majorty")


@pytest.mark.parametrize(
    ("model", "extra"),
    [
        ("vllm", "vllm"),
        ("anthropic-chat", "api"),
    ],
)
def test_a_missing_package_comes_with_its_remedy(model: str, extra: str) -> None:
    message = str(missing_package(model, ModuleNotFoundError("No module named 'x'", name="x")))
    remedy = f"pip install '.[{extra}]' in a checkout of torr-plugin"
    assert message.startswith(f"model '{model}' needs package 'x': {remedy}")


def test_a_package_missing_on_loading() -> None:
    with pytest.raises(ModelError, match=r"needs package 'a_package_that_is_nowhere': install it"):
        load_model(entry("test-needspackage"), GENERATION)
    add_model("test-nowhere", "a_module_that_is_nowhere:Model")
    with pytest.raises(ModelError, match=r"needs package 'a_module_that_is_nowhere'"):
        load_model(entry("test-nowhere"), GENERATION)


@pytest.mark.parametrize("where", ["tokenizer", "generate_until"])
def test_a_package_that_a_model_imports_late_is_one_line(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """lm-eval's ``dummy`` imports transformers for its chat template; others import later."""
    from lm_eval.models.dummy import DummyLM

    monkeypatch.setitem(sys.modules, "transformers", None)
    if where == "generate_until":

        def generates(self: DummyLM, requests: Any, disable_tqdm: bool = False) -> list[str]:
            from transformers import pipeline

            return pipeline(requests)

        monkeypatch.setattr(DummyLM, "tokenizer", None)
        monkeypatch.setattr(DummyLM, "generate_until", generates)
    done = CliRunner().invoke(
        app, ["run", "quickstart", "--model", "dummy", "--limit", "2", "--out", str(tmp_path / "run")]
    )
    assert done.exit_code == 2, done.output
    output = " ".join(done.output.split())
    assert "needs package 'transformers': pip install '.[hf]'" in output
    assert "internal error" not in output
    assert "Traceback" not in output


def test_wrong_arguments_are_one_line() -> None:
    with pytest.raises(ModelError) as caught:
        load_model(entry("torr-constant", answr="x"), GENERATION)
    assert str(caught.value) == (
        "model 'torr-constant' (torr-constant): unknown argument 'answr'; did you mean 'answer'?"
    )
    with pytest.raises(ModelError, match=r"ValueError: no weights found there"):
        load_model(entry("test-unloadable"), GENERATION)


def test_plugins_models_are_checked() -> None:
    for target in ("module", "module:", ":Class", "a b:Class", "module:Cl-ass", 7):
        with pytest.raises(ModelError, match=r"expected 'package.module:Class'"):
            add_model("test-wrong", target, origin="a plugin")  # type: ignore[arg-type]
    with pytest.raises(
        InputError, match=r"two models are called 'torr-lexical': one from torr-plugin, one from a plugin"
    ):
        add_model("torr-lexical", "a:B", origin="a plugin")


def test_a_plugin_cannot_take_lm_evals_names(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from torr_plugin.running import model_classes as registry

    monkeypatch.setattr(registry.models, "_values", dict(registry.models._values))
    monkeypatch.setattr(registry.models, "_origins", dict(registry.models._origins))
    add_model("hf", "a_plugin:Model", origin="a plugin")
    said = "model 'hf' of a plugin was left out: lm-eval has a model of this name; rename it"
    assert "hf" in model_names()
    assert "hf" not in registry.added_models()
    assert [record.getMessage() for record in caplog.records] == [f"torr: {said}"]


def test_generation_by_lm_evals_names() -> None:
    assert lm_eval_arguments({"max_tokens": 7, "temperature": 0.0, "until": ["\n"]}) == {
        "until": ["\n"],
        "temperature": 0.0,
        "do_sample": False,
        "max_gen_toks": 7,
    }
    sampled = lm_eval_arguments({"max_tokens": None, "temperature": 0.7, "until": (), "top_p": 0.9})
    assert sampled == {"until": [], "temperature": 0.7, "do_sample": True, "top_p": 0.9}


def test_each_request_has_arguments_of_its_own() -> None:
    model = load_model(entry("test-echo"), GENERATION)
    model.answers([ask("a"), ask("b")])
    first, second = (request for batch in model._lm.batches for request in batch)
    assert first == ("a", {"until": ["\n"], "temperature": 0.0, "do_sample": False, "max_gen_toks": 16})
    assert first[1]["until"] is not second[1]["until"]


def test_text_models_get_text_and_chat_models_messages() -> None:
    prompt = (Message("system", "be brief"), Message("user", "say x"))
    plain = load_model(entry("test-echo"), GENERATION)
    plain.answers([ask(prompt)])
    assert plain._lm.batches[0][0][0] == plain_text(prompt) == "be brief\n\nsay x"
    for model, chat in (("test-chatecho", True), ("test-onlychat", None), ("test-onlychat", True)):
        asked = load_model(entry(model, chat=chat), GENERATION)
        asked.answers([ask(prompt)])
        assert asked._lm.batches[0][0][0] == "system=be brief|user=say x"


def test_only_what_failed_is_asked_again() -> None:
    model = load_model(entry("test-failing", forgets=False), GENERATION)
    answers = model.answers([(str(n), (Message("user", "bad 3" if n == 3 else f"w{n}"),)) for n in range(8)])
    assert [answer.key for answer in answers if answer.error] == ["3"]
    asked = [context for batch in model._lm.batches for context, _ in batch]
    assert asked.count("w0") == asked.count("w2") == 1
    assert asked.count("bad 3") <= 5


@given(st.text(st.characters(exclude_categories=())))
@settings(deadline=None)
def test_any_text_can_be_stored(text: str) -> None:
    import pyarrow as pa

    kept = storable_text(text, 50)
    assert pa.array([kept]).to_pylist() == [kept]
    assert len(kept) <= 50
    if text.isascii():
        assert kept == text[-50:]


def test_halves_of_characters_are_replaced_and_pairs_joined() -> None:
    assert storable_text("a\ud800b") == "a\ufffdb"
    assert storable_text("\ud83d\ude00") == "😀"
    assert len(storable_text("x" * 1_000_000)) == MOST_CHARACTERS


def test_errors_are_one_bounded_line() -> None:
    line = described(ValueError("a\nb\t" + "x" * 9999))
    assert line.startswith("ValueError: a b x")
    assert len(line) == len("ValueError: ") + 500
    assert described(KeyError()) == "KeyError"
