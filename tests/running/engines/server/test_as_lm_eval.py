"""What reaches a server is what lm-eval's own code sends, byte for byte."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from torr_plugin.core.errors import ModelError
from torr_plugin.prompts.message import Message
from torr_plugin.recipes import ModelEntry
from torr_plugin.running.engines.base import Context, EngineRequest, Failure, ModelOutput, pil_images
from torr_plugin.running.engines.server.engine import ServerEngine, settings_of
from torr_plugin.running.loaded_model import Contexts, load_model
from torr_plugin.running.model_classes import ModelClass, lm_class

from ...misbehaving import Misbehaving, Reply, Request, as_json, misbehaving
from .helpers import Leaping, finished, loaded

PROMPTS = (
    (Message("system", "You read tables."), Message("user", 'a "quoted" <b>\n| ä | 表 | \U0001f600 |')),
    (Message("user", "Q1"), Message("assistant", "A1"), Message("user", "Q2 \x00 \u2028 end")),
    (Message("user", " " * 30 + "\t"),),
)
GENERATIONS: tuple[dict[str, Any], ...] = (
    {"until": [], "temperature": 0.0, "do_sample": False, "max_gen_toks": 64},
    {"until": ["\n\n", "a", "b", "c", "d"], "temperature": 0.7, "do_sample": True, "top_p": 0.9},
)
CHAT = "local-chat-completions"


def _answer(request: Request) -> Reply:
    if request.path.endswith("/messages"):
        return as_json({"content": [{"type": "text", "text": "fine"}], "stop_reason": "end_turn"})
    if request.path.endswith("/generate"):
        return as_json({"text": "fine", "meta_info": {"finish_reason": {"type": "stop"}}})
    choice = {"index": 0, "text": "fine", "message": {"content": "fine"}, "finish_reason": "stop"}
    return as_json({"choices": [choice]})


def _arrived(server: Misbehaving, since: int) -> list[tuple[Any, ...]]:
    names = ("authorization", "x-api-key", "anthropic-version", "content-type", "x-own")
    return sorted(
        (each.path, each.data, *(each.headers.get(name) for name in names)) for each in server.asked[since:]
    )


def _tokens(texts: Any, **_: Any) -> Any:
    """Stands in for a tokenizer of transformers."""
    return type("Encoding", (), {"input_ids": [[*text.encode()] for text in texts]})


@pytest.mark.parametrize(
    ("model", "path", "arguments"),
    [
        (CHAT, "/v1/chat/completions", {}),
        (
            CHAT,
            "/v1/chat/completions",
            {"seed": 7, "max_gen_toks": 99, "header": {"X-Own": "secret", "Accept": "a/b"}},
        ),
        ("local-completions", "/v1/completions", {"tokenizer_backend": "None"}),
        (
            "local-completions",
            "/v1/completions",
            {"tokenizer_backend": "None", "tokenized_requests": "tokens"},
        ),
        ("openai-chat-completions", "/v1/chat/completions", {"model": "gpt-4o"}),
        ("anthropic-chat-completions", "/v1/messages", {}),
        ("sglang-generate", "/generate", {"tokenizer_backend": "None"}),
    ],
)
def test_texts(model: str, path: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-two")
    with misbehaving(_answer) as server:
        url = f"http://127.0.0.1:{server.port}{path}"
        tokenized = arguments.pop("tokenized_requests", None)
        lm = loaded(url, model, num_concurrent=3, **arguments)
        if tokenized:
            lm.tokenizer_backend, lm.tokenized_requests, lm.tokenizer = "huggingface", True, _tokens
        contexts = Contexts(lm, chat="chat" in model)
        made = [contexts.of(prompt) for prompt in PROMPTS]
        given = [
            EngineRequest(number, context, generation)
            for number, (context, generation) in enumerate((c, g) for c in made for g in GENERATIONS)
            if isinstance(context, Context)
        ]
        theirs = _lm_eval(lm, [(task.context.text, {**task.generation}) for task in given])
        count = len(server.asked)
        ours = _ours(lm, given)
    assert count == len(given) == 6
    assert len(server.asked) == 2 * count
    assert _arrived(server, count) == _arrived_before(server, count)
    assert [ours[task.number] for task in given] == [ModelOutput(text, "stop") for text in theirs]


def _arrived_before(server: Misbehaving, count: int) -> list[tuple[Any, ...]]:
    return _arrived(Misbehaving(server.script, server.asked[:count]), 0)


def _lm_eval(lm: Any, arguments: list[tuple[Any, ...]]) -> list[str]:
    from lm_eval.api.instance import Instance

    texts: list[str] = lm.generate_until(
        [Instance("generate_until", {}, each, number) for number, each in enumerate(arguments)]
    )
    return texts


def _ours(lm: Any, given: list[EngineRequest]) -> dict[int, ModelOutput | Failure]:
    asking = ServerEngine(lm, settings_of(lm, {}), clock=Leaping())
    try:
        return finished(asking, given)
    finally:
        asking.close()


def test_pictures() -> None:
    buffer = BytesIO()
    Image.new("RGBA", (3, 2), (10, 20, 30, 40)).save(buffer, format="PNG")
    with misbehaving(_answer) as server:
        lm = loaded(server.url, num_concurrent=2, max_images=2)
        context = Contexts(lm, chat=True).of(PROMPTS[0])
        assert isinstance(context, Context)
        images = (buffer.getvalue(),) * 2
        task = EngineRequest(0, Context(context.text, images), GENERATIONS[0])
        _lm_eval(lm, [(context.text, {**GENERATIONS[0]}, {"visual": pil_images(images)})])
        assert _ours(lm, [task]) == {0: ModelOutput("fine", "stop")}
    theirs, ours = server.asked
    assert ours.data == theirs.data
    assert ours.data.count(b"image_url") == 4


def test_an_end_text_that_somebody_names_is_sent() -> None:
    with misbehaving(_answer) as server:
        lm = loaded(server.url, eos_string="<|end|>")
        context = Contexts(lm, chat=True).of(PROMPTS[2])
        assert isinstance(context, Context)
        _lm_eval(lm, [(context.text, {**GENERATIONS[0]})])  # one at a time, where lm-eval sends it
        _ours(lm, [EngineRequest(0, context, GENERATIONS[0])])
    assert server.asked[0].body == server.asked[1].body
    assert server.asked[1].body["stop"] == ["<|end|>"]


def test_prompts_are_never_cut() -> None:
    """lm-eval cuts the beginning off; here the server is the judge, or the length that somebody names."""
    with misbehaving(_answer) as server:
        url = f"http://127.0.0.1:{server.port}/v1/completions"
        prompt = Context("x" * 3000)
        for most, generation in (
            (None, {"max_gen_toks": 64}),
            (3063, {"max_gen_toks": 64}),
            (3064, {"max_gen_toks": 64}),
        ):
            lm = loaded(
                url, "local-completions", tokenizer_backend="None", **({"max_length": most} if most else {})
            )
            lm.tokenizer_backend, lm.tokenized_requests, lm.tokenizer = "huggingface", True, _tokens
            found = _ours(lm, [EngineRequest(0, prompt, {**GENERATIONS[0], **generation})])[0]
            if most == 3063:
                reason = "the prompt has 3000 tokens, the model takes 2999 with max_tokens 64"
                assert found == Failure(reason, 3000)
            else:
                assert found == ModelOutput("fine", "stop")
    assert [len(each.body["prompt"][0]) for each in server.asked] == [3000, 3000]


def test_models_that_send_for_themselves_are_left_to_do_so() -> None:
    lm = loaded("http://127.0.0.1:9/v1")
    own = type("Own", (type(lm),), {"amodel_call": None})
    kinds = [ModelClass(kind).engine for kind in (type(lm), own, lm_class("torr-constant"))]
    assert kinds == ["server", "lm-eval", "lm-eval"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"base_url": None}, "base_url is missing, expected the whole address"),
        ({"base_url": "localhost:8000"}, "base_url is 'localhost:8000', expected the whole address"),
        ({"base_url": "http://localhost:x/v1"}, "base_url is 'http://localhost:x/v1', expected the whole"),
        ({"base_url": "http://localhost:99999/v1"}, "expected the whole address"),
        ({"base_url": "http://a b/v1"}, "expected the whole address"),
        ({"base_url": "http://a..b/v1"}, "expected the whole address"),
        (
            {"base_url": "http://a:pw@b/v1"},
            "base_url http://b/v1 has a user or a password before the host; give",
        ),
        ({"ca_cert_path": "/not/there.pem"}, "ca_cert_path '/not/there.pem' has no certificates that can be"),
        ({"ca_cert_path": __file__}, "has no certificates that can be read"),
        ({"num_concurrent": 0}, "num_concurrent is 0, expected a whole number of at least 1"),
        ({"max_retries": 0}, "max_retries is 0, expected a whole number of at least 1"),
        ({"timeout": -1}, "timeout is -1, expected a whole number of at least 1"),
        ({"header": {"X": "a\r\nb"}}, "header 'X': a line break or a control character in its value"),
    ],
)
def test_arguments_that_no_request_can_be_made_with(arguments: dict[str, Any], words: str) -> None:
    given = {"base_url": "http://127.0.0.1:9/v1", "model": "served", **arguments}
    with pytest.raises(ModelError) as raised:
        load_model(ModelEntry(model=CHAT, args=given), {})
    assert words in str(raised.value)
