"""lm-eval's ``hf`` on a tiny Llama made here: the texts are lm-eval's own, with tokens and reasons.

Fails where another release of lm-eval or transformers no longer calls ``_model_generate`` as we expect.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.running.made import entry
from tests.tiny_llama import make
from torr_plugin.core.errors import EngineBrokenError
from torr_plugin.prompts.message import Message
from torr_plugin.running.engines.lm_eval import ROWS_ON_CPU, LmEvalEngine
from torr_plugin.running.loaded_model import Model, lm_eval_arguments, load_model
from torr_plugin.running.request_sources import PendingRequest

pytestmark = pytest.mark.full

# of letters: no special token of the tiny tokenizer has them in its name
GENERATION = {"max_tokens": 24, "temperature": 0.0, "until": ["\n", "q", "z"]}
CONTEXT = 512


@pytest.fixture(scope="module", autouse=True)
def _packages() -> Iterator[None]:
    for name in ("torch", "transformers", "accelerate"):
        if importlib.util.find_spec(name) is None:
            missing(f"{name} is not installed: tox -e full has it")
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)  # the model is so small that threads wait for each other
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("models") / "tiny", context=CONTEXT)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without a chat template."""
    return make(tmp_path_factory.mktemp("models") / "base", context=CONTEXT, chat=False)


def loaded(folder: Path, chat: bool | None = None, *, generation: object = None, **args: object) -> Model:
    given = {"pretrained": str(folder), "device": "cpu", "dtype": "float32", **args}
    return load_model(entry("hf", chat=chat, **given), generation or GENERATION)  # type: ignore[arg-type]


def lm_evals(model: Model, generation: dict[str, object], asked: list[PendingRequest]) -> list[str]:
    """What lm-eval's class itself says to these prompts."""
    from lm_eval.api.instance import Instance

    lm = model._lm
    vars(lm).pop("_model_generate")
    arguments = lm_eval_arguments(generation)
    texts = [model._contexts.of(each.prompt).text for each in asked]
    return lm.generate_until([Instance("generate_until", {}, (text, arguments), 0) for text in texts])


def prompts(count: int = 20, seed: int = 0) -> list[PendingRequest]:
    rng = random.Random(seed)
    words = ["table", "row", "column", "Sophia", "26", "Ghent", "3.5%", "the", "of", "|", "---", "<td>", "é"]
    return [
        PendingRequest(
            str(number),
            (
                Message("system", "Be brief."),
                Message("user", " ".join(rng.choices(words, k=rng.randint(1, 40)))),
            ),
        )
        for number in range(count)
    ]


@pytest.mark.parametrize(("chat", "batch_size"), [(False, 1), (True, 8)])
def test_the_texts_are_lm_evals_own(tiny: Path, chat: bool, batch_size: int) -> None:
    model = loaded(tiny, chat, batch_size=batch_size)
    found = model.answers(prompts())
    assert [answer.prediction for answer in found] == lm_evals(model, GENERATION, prompts())
    assert len({answer.prediction for answer in found}) > 15, "the tiny model says the same to all"
    assert {answer.error for answer in found} == {None}


def test_tokens_and_reasons_are_those_of_a_request_alone(tiny: Path) -> None:
    """Against transformers' ``generate`` on each prompt by itself, its stop texts found token by token."""
    import torch

    model = loaded(tiny, True, batch_size=8)
    lm, asked = model._lm, prompts(12)
    for answer, (_, prompt, _) in zip(model.answers(asked), asked, strict=True):
        text = lm.apply_chat_template([{"role": turn.role, "content": turn.content} for turn in prompt])
        ids = lm.tokenizer.encode(text, add_special_tokens=False)
        made = lm.model.generate(torch.tensor([ids]), max_new_tokens=24, do_sample=False)[
            0, len(ids) :
        ].tolist()
        reason, count = "length", len(made)
        for length in range(1, len(made) + 1):
            said = lm.tokenizer.decode(made[:length])
            if made[length - 1] == lm.tokenizer.eos_token_id or any(
                stop in said for stop in GENERATION["until"]
            ):
                reason, count = "stop", length
                break
        assert (answer.prompt_tokens, answer.completion_tokens) == (len(ids), count)
        assert answer.finish_reason == reason
    assert {"stop", "length"} <= {answer.finish_reason for answer in model.answers(asked)}


@pytest.mark.parametrize("until", [["e"], ["<|user|>"]])
def test_a_batch_changes_no_answer(tiny: Path, until: list[str]) -> None:
    """Also where a stop text is in the name of a special token, which lm-eval's larger batches run past."""
    generation = {**GENERATION, "until": until}
    alone = loaded(tiny, generation=generation, batch_size=1).answers(prompts())
    together = loaded(tiny, generation=generation, batch_size=8).answers(prompts())
    adaptive = loaded(tiny, generation=generation).answers(prompts())
    for found in (together, adaptive):
        assert [(a.prediction, a.completion_tokens, a.finish_reason) for a in found] == [
            (a.prediction, a.completion_tokens, a.finish_reason) for a in alone
        ]


@pytest.mark.parametrize(
    "args",
    [{"add_bos_token": False}, {"think_end_token": "e"}, {"think_end_token": 300}, {"max_length": 300}],
)
def test_lm_evals_arguments_mean_the_same(tiny: Path, args: dict[str, object]) -> None:
    generation = {**GENERATION, "until": []}
    model = loaded(tiny, False, generation=generation, batch_size=4, **args)
    found = model.answers(prompts(8))
    assert [answer.prediction for answer in found] == lm_evals(model, generation, prompts(8))


@pytest.mark.parametrize("think_end", ["e", 300])
def test_a_stop_text_among_the_thoughts_ends_nothing(tiny: Path, think_end: str | int) -> None:
    whole = loaded(tiny, False, generation={**GENERATION, "until": []}).answers(prompts())
    found = loaded(tiny, False, think_end_token=think_end).answers(prompts())
    thinkers = [each for each in found if each.reasoning and any(stop in each.reasoning for stop in "\nqz")]
    assert thinkers or isinstance(think_end, int)
    for each, free in zip(found, whole, strict=True):
        assert free.prediction is not None
        if each.reasoning is None:
            assert each.prediction.strip() == cut(free.prediction).strip()
        elif isinstance(think_end, str):
            assert each.prediction == cut(free.prediction.split(think_end)[-1].lstrip())
            assert each.reasoning.endswith(think_end)


def cut(text: str) -> str:
    for stop in GENERATION["until"]:  # type: ignore[attr-defined]
        text = text.split(stop)[0]
    return text


def test_steps_may_differ_in_their_parameters(tiny: Path) -> None:
    asked = [
        PendingRequest(each.key, each.prompt, {"max_tokens": 2 + n % 3}) for n, each in enumerate(prompts(12))
    ]
    for number, answer in enumerate(loaded(tiny, batch_size=4).answers(asked)):
        assert answer.completion_tokens is not None
        assert answer.completion_tokens <= 2 + number % 3


def test_the_studys_max_tokens_hold_whatever_the_model_brings(tiny: Path, tmp_path: Path) -> None:
    short = tmp_path / "short"
    shutil.copytree(tiny, short)
    settings = json.loads((short / "generation_config.json").read_text())
    (short / "generation_config.json").write_text(json.dumps({**settings, "max_new_tokens": 3}))
    expected, found = (
        loaded(each, generation={**GENERATION, "until": []}).answers(prompts(4)) for each in (tiny, short)
    )
    assert [answer.prediction for answer in found] == [answer.prediction for answer in expected]


def test_too_long_or_unreadable_prompts_are_errors_and_the_others_are_asked(base: Path) -> None:
    model = loaded(base, batch_size=4)
    long = PendingRequest("long", (Message("user", "word " * 800),))
    half = PendingRequest("half", (Message("user", "half \ud800 of a character"),))
    answers = {answer.key: answer for answer in model.answers([*prompts(4), long, half, *prompts(8)[4:]])}
    count = len(model._lm.tokenizer.encode("word " * 800))
    assert answers["long"].error == (
        f"the prompt has {count} tokens, the model takes {CONTEXT - 24} with max_tokens 24"
    )
    assert answers["long"].prompt_tokens == count
    assert answers["half"].prediction is None
    assert answers["half"].error
    assert all(answers[str(n)].prediction is not None for n in range(8))


def test_the_longest_prompt_that_fits_is_asked(base: Path) -> None:
    model = loaded(base, False, batch_size=1)
    words = model._lm.tokenizer
    text = words.decode(words.encode("a b c " * 400)[1 : CONTEXT - 24])
    while len(words.encode(text)) > CONTEXT - 24:
        text = text[:-1]
    (answer,) = model.answers([PendingRequest("k", (Message("user", text),))])
    assert answer.error is None
    assert answer.prompt_tokens == len(words.encode(text)) >= CONTEXT - 26
    (over,) = model.answers([PendingRequest("k", (Message("user", text + " b c d e f g"),))])
    assert "the model takes 488 with max_tokens 24" in str(over.error)


def test_memory_that_runs_out_halves_the_batch(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, sizes = loaded(tiny, batch_size=16), list[int]()
    expected = [answer.prediction for answer in model.answers(prompts(50))]
    real = model._lm.model.generate

    def scarce(**given):  # type: ignore[no-untyped-def]
        sizes.append(len(given["input_ids"]))
        if sizes[-1] > 5:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return real(**given)

    monkeypatch.setattr(model._lm.model, "generate", scarce)
    assert [answer.prediction for answer in model.answers(prompts(50))] == expected
    assert [size for size in sizes if size > 5] == [16, 8], "what did not fit is tried again"


def test_a_broken_device_ends_the_model(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("CUDA error: device-side assert triggered")

    model = loaded(tiny)
    monkeypatch.setattr(model._lm.model, "generate", breaks)
    with pytest.raises(EngineBrokenError, match=r"tiny.*device-side assert"):
        model.answers(prompts(3))


def test_how_much_is_generated_at_once(tiny: Path) -> None:
    def rows(**args: object) -> int:
        return loaded(tiny, **args)._lm.batch_size

    assert [rows(), rows(batch_size="auto"), rows(batch_size="auto:4")] == 3 * [ROWS_ON_CPU]
    assert [rows(batch_size=1), rows(batch_size="3"), rows(batch_size="auto", max_batch_size=5)] == [1, 3, 5]


def test_sampling_is_passed_on(tiny: Path) -> None:
    import torch

    generation = {**GENERATION, "temperature": 5.0, "top_k": 50}
    model = loaded(tiny, generation=generation, batch_size=8)
    model.engine._batch_size.size = 8
    torch.manual_seed(1)
    first = [answer.prediction for answer in model.answers(prompts(8))]
    second = [answer.prediction for answer in model.answers(prompts(8))]
    model.engine._batch_size.size = 8
    torch.manual_seed(1)
    assert [answer.prediction for answer in model.answers(prompts(8))] == first != second


def test_cutting_that_was_wished_for_is_lm_evals(base: Path) -> None:
    (answer,) = loaded(base, truncation=True).answers(
        [PendingRequest("k", (Message("user", "word " * 800),))]
    )
    assert (answer.error, answer.prompt_tokens) == (None, CONTEXT - 24)


def test_a_chat_template_is_applied_where_the_model_has_one(
    tiny: Path, base: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="torr_plugin"):
        found = {folder.name: loaded(folder)._contexts._chat for folder in (tiny, base)}
    assert found == {"tiny": True, "base": False}
    assert caplog.messages == ["model 'tiny' is asked through its chat template"]


def test_an_encoder_decoder_goes_lm_evals_way(base: Path, tmp_path: Path) -> None:
    import torch
    import transformers

    words = transformers.AutoTokenizer.from_pretrained(base)
    words.save_pretrained(tmp_path / "t5")
    torch.manual_seed(0)
    small = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    configuration = transformers.T5Config(
        **small, vocab_size=len(words), decoder_start_token_id=2, eos_token_id=1, pad_token_id=2
    )
    transformers.T5ForConditionalGeneration(configuration).save_pretrained(tmp_path / "t5")
    model = loaded(tmp_path / "t5", False, generation={**GENERATION, "max_tokens": 4}, batch_size=2)
    assert isinstance(model.engine, LmEvalEngine)
    answers = model.answers(prompts(3))
    assert [answer.error for answer in answers] == [None] * 3
    assert all(answer.prompt_tokens for answer in answers)
