"""A recipe or a pool is a stranger's: keys go to their vendors, and code runs, as the command line says."""

from __future__ import annotations

import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from torr_plugin.cli.app import app
from torr_plugin.core.errors import ModelError, RecipeError
from torr_plugin.recipes import ModelEntry, load, model_entry, with_trust
from torr_plugin.running import check_models, key_lines
from torr_plugin.running.loaded_model import load_model

from .misbehaving import Misbehaving, chat, error, in_turn, misbehaving

KEY = "sk-a-key-of-the-environment-1234567890"
VENDORS = {
    "openai-chat-completions": ("OPENAI_API_KEY", "api.openai.com", "v1/chat/completions"),
    "openai-completions": ("OPENAI_API_KEY", "api.openai.com", "v1/completions"),
    "anthropic-chat": ("ANTHROPIC_API_KEY", "api.anthropic.com", "v1/messages"),
}
STUDY = {
    "name": "strange",
    "cards": ["cards.bundled.cell_lookup"],
    "examples": {"count": 2},
    "demonstrations": {"shots": 0},
    "configurations": {"serializers": ["csv"]},
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, _, _ in VENDORS.values():
        monkeypatch.setenv(variable, KEY)


def of_file(kind: str, /, **args: Any) -> ModelEntry:
    return ModelEntry(model=kind, args={"model": "served", **args})


def torr(folder: Path, *more: str, models: Any = (), judges: Any = (), command: str = "run") -> Any:
    recipe = folder / "strange.yaml"
    recipe.write_text(yaml.safe_dump({**STUDY, "models": list(models), "judges": list(judges)}))
    return CliRunner().invoke(app, [command, str(recipe), "--out", str(folder / "run"), *more])


def given(server: Misbehaving) -> list[str | None]:
    """The keys that a server got."""
    return [each.headers.get("authorization") or each.headers.get("x-api-key") for each in server.asked]


@pytest.mark.parametrize("model", ["openai-chat-completions", "anthropic-chat"])
@pytest.mark.parametrize("source", ["recipe", "pool", "judge"])
def test_a_file_sends_no_key_to_a_stranger(tmp_path: Path, model: str, source: str) -> None:
    with misbehaving(in_turn(chat("1"))) as server:
        entry = {"model": model, "args": {"base_url": server.url, "model": "m"}, "name": "theirs"}
        if source == "recipe":
            done = torr(tmp_path, models=[entry])
        elif source == "judge":
            done = torr(tmp_path, models=["torr-constant"], judges=[entry])
        else:
            (tmp_path / "pool.yaml").write_text(yaml.safe_dump([entry]))
            done = torr(tmp_path, "--models", str(tmp_path / "pool.yaml"))
        assert not server.asked
    assert not (tmp_path / "run").exists()
    host = f"127.0.0.1:{server.port}"
    assert done.exit_code == 2, done.output
    (line,) = [line for line in " ".join(done.output.split()).split("torr: ") if "is not sent" in line][-1:]
    assert VENDORS[model][0] in line
    assert f"--send-key {host}" in line
    assert KEY not in done.output


@pytest.mark.parametrize("command", [["annotate", "run"], ["synth", "qa"]])
def test_models_that_write_questions_are_of_files_too(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "in").mkdir()
    rows = "".join(f"<tr><td>town {row}</td><td>{row}</td><td>{row * 7}</td></tr>" for row in range(6))
    (tmp_path / "in" / "table.html").write_text(
        f"<h1>Towns</h1><p>Of a county</p><table><tr><th>Town</th><th>In</th><th>Out</th></tr>{rows}</table>"
    )
    url = "https://theirs.example/v1/chat/completions"
    entry = {"model": "openai-chat-completions", "args": {"base_url": url, "model": "m"}}
    (tmp_path / "pool.yaml").write_text(yaml.safe_dump([entry]))
    line = [*command, str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--plan"]
    line += ["--models", str(tmp_path / "pool.yaml")]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 2, done.output
    assert "OPENAI_API_KEY is not sent to theirs.example" in " ".join(done.output.split())
    assert CliRunner().invoke(app, [*line, "--send-key", "theirs.example"]).exit_code == 0


def test_the_command_line_sends_it(tmp_path: Path) -> None:
    with misbehaving(in_turn(chat("1"))) as server:
        args = {"base_url": server.url, "model": "m"}
        entry = {"model": "openai-chat-completions", "args": args}
        options = ([], ["--send-key", f"127.0.0.1:{server.port}"], ["--send-key", server.url])
        for number, more in enumerate(options):
            folder = tmp_path / str(number)
            folder.mkdir()
            done = (
                torr(folder, *more, models=[entry])
                if more
                else torr(
                    folder,
                    "--model",
                    "openai-chat-completions",
                    "--model-args",
                    f"base_url={server.url},model=m",
                )
            )
            assert done.exit_code == 0, done.output
            assert f"OPENAI_API_KEY goes to 127.0.0.1:{server.port}" in " ".join(done.output.split())
        assert set(given(server)) == {f"Bearer {KEY}"}
        assert torr(tmp_path, "--send-key", "127.0.0.1", models=[entry]).exit_code == 2  # another port


def test_a_local_server_works_without_a_key(tmp_path: Path) -> None:
    """A recipe alone is enough; it gets no key, though the environment has one."""
    with misbehaving(in_turn(chat("1"))) as server:
        entry = {"model": "local-chat-completions", "args": {"base_url": server.url, "model": "m"}}
        assert torr(tmp_path, models=[entry]).exit_code == 0
        assert {*given(server)} == {None}
        more = ["--send-key", f"127.0.0.1:{server.port}", "--retry-failed"]
        assert torr(tmp_path, *more, models=[{**entry, "name": "again"}]).exit_code == 0
        assert given(server)[-1] == f"Bearer {KEY}"


def test_a_short_key_is_a_key_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "short")
    with misbehaving(in_turn(chat("1"))) as server:
        entry = {"model": "local-chat-completions", "args": {"base_url": server.url, "model": "short"}}
        assert torr(tmp_path, models=[entry]).exit_code == 0
    assert {*given(server)} == {None}


def test_a_server_that_wants_the_key_says_how(tmp_path: Path) -> None:
    with misbehaving(in_turn(error(401, "no key"))) as server:
        entry = {"model": "local-chat-completions", "args": {"base_url": server.url, "model": "m"}}
        done = torr(tmp_path, models=[entry])
    assert done.exit_code == 2
    assert f"add --send-key 127.0.0.1:{server.port} to send it" in " ".join(done.output.split())
    assert {*given(server)} == {None}


@pytest.mark.parametrize(
    "address",
    [
        "http://api.openai.com/v1/chat/completions",  # anyone on the way reads it
        "https://api.openai.com.evil.example/v1/chat/completions",
        "https://evil.example/api.openai.com",
        "https://evil.example#@api.openai.com/",
        "https://evil.example\\@api.openai.com/",
        "https://evilapi.openai.com/v1",
        "https://api.openai.com:8443@evil.example/v1",
        "https://API.openai.com:444/v1/chat/completions",
        "//api.openai.com/v1",
    ],
)
@pytest.mark.parametrize("model", ["openai-chat-completions", "local-chat-completions"])
def test_what_is_not_the_vendor(address: str, model: str) -> None:
    """It is refused; an address that is none is said to be so."""
    entry = of_file(model, base_url=address)
    if model.startswith("openai"):
        with pytest.raises(ModelError, match=r"is not sent to|base_url"):
            check_models([entry])
        with pytest.raises(ModelError, match=r"is not sent to|base_url"):
            load_model(entry, {})
        return
    with suppress(ModelError):  # no address
        assert KEY not in str(load_model(entry, {})._lm.header)


def test_a_key_that_is_not_set_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    lines = key_lines([of_file("openai-chat-completions")])
    assert lines == ["OPENAI_API_KEY is not set; it would go to api.openai.com (served)"]


@pytest.mark.parametrize("model", VENDORS)
def test_the_vendor_gets_it(model: str) -> None:
    variable, host, path = VENDORS[model]
    for entry in (of_file(model), of_file(model, base_url=f"https://{host}/{path}")):
        check_models([entry], here=False)
        assert key_lines([entry]) == [f"{variable} goes to {host} (served)"]
    for more in ({"verify_certificate": False}, {"ca_cert_path": "theirs.pem"}):
        with pytest.raises(ModelError, match=f"{variable} is not sent to {host}"):
            check_models([of_file(model, **more)], here=False)


def test_the_vendors_regions_and_a_local_name_of_it() -> None:
    eu = of_file("openai-chat-completions", base_url="https://eu.api.openai.com/v1/chat/completions")
    check_models([eu])
    vendor = of_file("local-chat-completions", base_url="https://api.openai.com/v1/chat/completions")
    assert KEY in str(load_model(vendor, {})._lm.header)


def test_azure_gets_it_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com")
    check_models([of_file("azure-openai-chat-completions")], here=False)
    with pytest.raises(ModelError, match=r"not sent to theirs\.openai\.azure\.com"):
        check_models(
            [of_file("azure-openai-chat-completions", base_url="https://theirs.openai.azure.com")], here=False
        )


def test_a_header_of_ones_own_takes_the_place_of_the_key() -> None:
    header = {"Authorization": "Bearer own"}
    args = {"base_url": "https://theirs.example/v1/chat/completions", "header": header}
    entry = of_file("openai-chat-completions", **args)
    check_models([entry])
    assert load_model(entry, {})._lm.header == args["header"]
    assert key_lines([entry]) == ["the key in its own header goes to theirs.example (served)"]
    with pytest.raises(ModelError, match="ANTHROPIC_API_KEY is not sent"):  # lm-eval sends the key instead
        check_models([of_file("anthropic-chat", **args)], here=False)


def test_litellm_takes_addresses_for_models() -> None:
    check_models([of_file("litellm", model="anthropic/some-model")], here=False)
    with pytest.raises(ModelError, match=r"a provider's key is not sent to evil\.example"):
        check_models([of_file("litellm", model="huggingface/https://evil.example/v1")], here=False)


def test_a_plugins_class_is_guarded_by_what_it_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.running.model_classes import add_model, models

    add_model("my-gateway", "lm_eval.models.openai_completions:OpenAIChatCompletion")
    try:
        entry = of_file("my-gateway", base_url="https://theirs.example/v1/chat/completions")
        with pytest.raises(ModelError, match=r"OPENAI_API_KEY is not sent to theirs\.example"):
            load_model(entry, {})
        load_model(with_trust([entry], ["theirs.example"])[0], {})
    finally:
        models.remove("my-gateway")


def test_keys_that_stay_are_said() -> None:
    entry = of_file("local-chat-completions", base_url="http://node7:8000/v1/chat/completions")
    (line,) = key_lines([entry])
    assert line == (
        "OPENAI_API_KEY is not sent to node7:8000, as a file says so; add --send-key node7:8000 to send it "
        "(served)"
    )


@pytest.mark.parametrize("command", ["plan", "run"])
def test_plan_and_run_name_the_hosts(tmp_path: Path, command: str) -> None:
    judge = {"model": "openai-chat-completions", "args": {"model": "j"}, "name": "judge"}
    done = torr(
        tmp_path,
        *(
            "--model",
            "local-chat-completions",
            "--model-args",
            "model=m,base_url=http://localhost:1/v1,wait_for_server=1",
        ),
        judges=[judge],
        command=command,
    )
    words = " ".join(done.output.split())
    assert "OPENAI_API_KEY goes to localhost:1 (m)" in words
    assert "OPENAI_API_KEY goes to api.openai.com (judge)" in words


CODE = [
    ("hf", {"trust_remote_code": True}),
    ("hf", {"trust_remote_code": "True"}),
    ("vllm", {"trust_remote_code": 1}),
    ("vllm", {"hf_overrides": {"text_config": {"trust_remote_code": True}}}),
    ("vllm", {"worker_cls": "theirs.Worker"}),
    ("vllm", {"logits_processors": ["theirs.Processor"]}),
    ("vllm", {"distributed_executor_backend": "theirs.Executor"}),
    ("hf", {"attn_implementation": "theirs/kernel"}),
    ("hf", {"use_kernels": True}),
    ("vllm", {"hf_overrides": '{"trust_remote_code": true}'}),
    ("steered", {"steer_path": "vectors.pt"}),
    ("local-completions", {"base_url": "http://localhost:1/v1/completions", "trust_remote_code": True}),
    ("nemo_lm", {}),
]


@pytest.mark.parametrize(("model", "args"), CODE)
def test_a_file_runs_no_code(model: str, args: Any) -> None:
    entry = of_file(model, pretrained="theirs/model", **args)
    for refuse in (lambda: check_models([entry], here=False), lambda: load_model(entry, {})):
        with pytest.raises(ModelError, match="--trust-remote-code") as caught:
            refuse()
        assert "\n" not in str(caught.value)
    check_models(with_trust([entry], code=True), here=False)
    typed = model_entry(model, ",".join(f"{name}=True" for name in args if name == "trust_remote_code"))
    check_models([typed], here=False)


@pytest.mark.parametrize(
    ("model", "args"),
    [
        ("hf", {"trust_remote_code": False}),
        ("hf", {"attn_implementation": "sdpa"}),
        ("vllm", {"distributed_executor_backend": "mp", "worker_cls": "auto"}),
    ],
)
def test_what_runs_no_code_is_not_refused(model: str, args: Any) -> None:
    check_models([of_file(model, **args)], here=False)


def test_a_class_that_runs_code_unless_told_not_to_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """lm-eval's ``sglang`` does by default."""
    from torr_plugin.running import loaded_model
    from torr_plugin.running.baselines.lm import Constant

    class Default(Constant):
        def __init__(self, pretrained: str = "", *, trust_remote_code: bool = True) -> None:
            super().__init__()
            self.trusting = trust_remote_code

    monkeypatch.setattr(loaded_model, "lm_class", lambda name: Default)
    assert load_model(ModelEntry(model="torr-constant"), {})._lm.trusting is False
    assert load_model(model_entry("torr-constant"), {})._lm.trusting is True


def test_no_file_can_say_what_is_trusted(tmp_path: Path) -> None:
    for field in ("trust", "_trust"):
        path = tmp_path / f"{field}.yaml"
        entry = {"model": "hf", "args": {"pretrained": "x"}, field: {"typed": True, "code": True}}
        path.write_text(yaml.safe_dump({**STUDY, "models": [entry]}))
        with pytest.raises(RecipeError, match=field):
            load(path)


def test_it_travels_to_workers_and_is_no_part_of_a_models_identity() -> None:
    plain = of_file("hf", pretrained="x")
    (allowed,) = with_trust([plain], ["A.b:1"], code=True)
    assert pickle.loads(pickle.dumps(allowed)).trust == allowed.trust != plain.trust
    assert allowed.trust.hosts == {"a.b:1"}
    assert (allowed.digest, allowed.model_dump()) == (plain.digest, plain.model_dump())
