"""Prices and lengths from the file in an installed litellm: which model's they are, and which come first."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from torr_plugin.cli.app import app
from torr_plugin.recipes import ModelEntry, Price, known_models, with_known_prices
from torr_plugin.recipes.known_models import context_length, known_model

GPT = {
    "litellm_provider": "openai",
    "input_cost_per_token": 2.5e-06,
    "output_cost_per_token": 1e-05,
    "cache_read_input_token_cost": 1.25e-06,
    "max_input_tokens": 128000,
    "max_output_tokens": 64,
}
KNOWN: dict[str, Any] = {
    "sample_spec": {"max_input_tokens": "a number", "input_cost_per_token": 0},
    "gpt-9": GPT,
    "claude-9": {
        "input_cost_per_token": 3e-06,
        "output_cost_per_token": 1.5e-05,
        "cache_creation_input_token_cost": 3.75e-06,
        "max_input_tokens": 200000,
    },
    "one/org/shared": {"input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06, "max_input_tokens": 99},
    "two/org/shared": {"input_cost_per_token": 2e-06, "output_cost_per_token": 1e-06, "max_input_tokens": 99},
    "one/org/single": {"input_cost_per_token": 1e-07, "output_cost_per_token": 2e-07},
    "odd": {"input_cost_per_token": "much", "output_cost_per_token": -1, "max_input_tokens": True},
}

Installed = Callable[[str], None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    """Makes a package litellm that may not be imported, with a file of this content."""

    def install(content: str) -> None:
        package = tmp_path / "site" / "litellm"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("raise AssertionError('imported')")
        (package / known_models.FILE).write_text(content)
        about = tmp_path / "site" / "litellm-1.99.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: litellm\nVersion: 1.99.0\n")
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        known_models._models.cache_clear()

    known_models._models.cache_clear()
    yield install
    assert "litellm" not in sys.modules
    known_models._models.cache_clear()


def hosted(name: str, model: str = "openai-chat-completions", **args: Any) -> ModelEntry:
    return ModelEntry(model=model, args={"model": name, **args})


def test_prices_are_per_million_tokens(installed: Installed) -> None:
    installed(json.dumps(KNOWN))
    found = known_model(hosted("gpt-9"))
    assert found is not None
    assert found.price == Price(prompt=2.5, completion=10, cached=1.25)
    assert found.context == 128_000
    other = known_model(hosted("claude-9", "anthropic-chat-completions"))
    assert other is not None
    assert other.price == Price(prompt=3, completion=15, cache_write=3.75)


@pytest.mark.parametrize(
    ("name", "key"),
    [("org/single", "one/org/single"), ("one/org/single", "one/org/single"), ("openai/gpt-9", "gpt-9")],
)
def test_a_provider_may_stand_before_the_name(installed: Installed, name: str, key: str) -> None:
    installed(json.dumps(KNOWN))
    found = known_model(hosted(name, "litellm-chat-completions"))
    assert found is not None
    assert found.key == key


def test_what_providers_do_not_agree_on_is_not_known(installed: Installed) -> None:
    installed(json.dumps(KNOWN))
    found = known_model(hosted("org/shared"))
    assert found is not None
    assert (found.price, found.context) == (None, 99)


@pytest.mark.parametrize(
    "entry",
    [
        ModelEntry(model="vllm", args={"pretrained": "org/single"}),
        hosted("gpt-9", "local-chat-completions", base_url="http://localhost:8000/v1"),
        hosted("gpt-9", "local-chat-completions", base_url="http://10.0.0.7:8000/v1"),
        hosted("gpt-9", "local-chat-completions", base_url="http://node-17:8000/v1"),
        hosted("sample_spec"),
        hosted("9"),
        ModelEntry(model="torr-lexical"),
    ],
)
def test_models_of_ones_own_have_no_price(installed: Installed, entry: ModelEntry) -> None:
    installed(json.dumps(KNOWN))
    assert known_model(entry) is None


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"gpt-9": 3}'])
def test_a_damaged_file_says_nothing(installed: Installed, content: str) -> None:
    installed(content)
    assert with_known_prices([hosted("gpt-9")]) == ([hosted("gpt-9")], [])


def test_odd_figures_are_not_known(installed: Installed) -> None:
    installed(json.dumps(KNOWN))
    found = known_model(hosted("odd"))
    assert found is not None
    assert (found.price, found.context) == (None, None)


def test_without_litellm_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_models, "find_spec", lambda name: None)
    known_models._models.cache_clear()
    assert known_model(hosted("gpt-9")) is None


def test_a_price_of_ones_own_counts_first(installed: Installed) -> None:
    installed(json.dumps(KNOWN))
    own = hosted("gpt-9").model_copy(update={"price": Price(prompt=1, completion=2)})
    (kept, filled), notes = with_known_prices(
        [own, hosted("org/single", base_url="https://api.example.com/v1")]
    )
    assert kept.price == Price(prompt=1, completion=2)
    assert filled.price == Price(prompt=0.1, completion=0.2)
    assert notes == [
        "prices of single (as one/org/single): from litellm 1.99.0; a 'price' in the recipe or the file of "
        "models counts before these"
    ]


def test_what_is_said_of_a_length_counts_first(installed: Installed) -> None:
    installed(json.dumps(KNOWN))
    assert context_length(hosted("gpt-9")) == 128_000
    assert context_length(hosted("gpt-9", max_length=50)) == 50


RECIPE = """name: priced
cards: [cards.bundled.cell_lookup]
examples: {count: 2}
configurations: {serializers: [html]}
"""


def test_a_plan_uses_them(installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(json.dumps(KNOWN))
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    (tmp_path / "priced.yaml").write_text(RECIPE)
    command = ["plan", str(tmp_path / "priced.yaml"), "--model", "openai-chat-completions", "--json"]
    command += ["--model-args", "model=gpt-9"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    plan = json.loads(done.stdout)
    (row,) = plan["models"]
    assert row["cost"] == pytest.approx((2.5 * row["prompt tokens"] + 10 * row["answer tokens"]) / 1e6)
    assert row["context"] == 128_000
    assert any("from litellm 1.99.0" in note for note in plan["notes"])
    own = json.loads(CliRunner().invoke(app, [*command, "--price", "1,1"]).stdout)
    assert own["models"][0]["cost"] == pytest.approx((row["prompt tokens"] + row["answer tokens"]) / 1e6)
