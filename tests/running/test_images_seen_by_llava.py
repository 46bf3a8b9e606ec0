"""lm-eval's ``hf-multimodal`` with a model that sees: a LLaVA of a few thousand random weights, made here."""

from __future__ import annotations

import importlib
import importlib.util
import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.conftest import missing
from torr_plugin.cli.app import app
from torr_plugin.prompts import IMAGE, Message, designs, images_of
from torr_plugin.running import Run
from torr_plugin.running.loaded_model import load_model

from .made import entry, prompts
from .test_images import png

pytestmark = pytest.mark.full

GENERATION = {"max_tokens": 12, "temperature": 0.0, "until": []}
TEMPLATE = (
    "{% for turn in messages %}{{ turn['role'] }}: {% for part in turn['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)


@pytest.fixture(scope="module")
def llava(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model's folder: weights, configuration, tokenizer and processor; nothing is downloaded."""
    torch, transformers = _imported("torch"), _imported("transformers")
    folder = tmp_path_factory.mktemp("llava")
    words = _tokenizer(transformers)
    looks = transformers.CLIPImageProcessor(
        size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}, do_center_crop=True
    )
    transformers.LlavaProcessor(
        image_processor=looks,
        tokenizer=words,
        patch_size=14,
        vision_feature_select_strategy="default",
        chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    ).save_pretrained(folder)
    torch.manual_seed(0)
    transformers.LlavaForConditionalGeneration(_configuration(transformers, words)).save_pretrained(folder)
    return folder


def _imported(name: str) -> ModuleType:
    if importlib.util.find_spec(name) is None:
        missing(f"{name} is not installed: tox -e full has it")
    return importlib.import_module(name)


def _tokenizer(transformers):  # type: ignore[no-untyped-def]
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<pad>", "<s>", "</s>", IMAGE],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(["tables, questions and answers"], trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        extra_special_tokens={"image_token": IMAGE},
    )


def _configuration(transformers, words):  # type: ignore[no-untyped-def]
    small = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "initializer_range": 1.0,  # large, so that what is seen decides what is said
    }
    sees = transformers.CLIPVisionConfig(**small, image_size=28, patch_size=14, projection_dim=16)
    says = transformers.LlamaConfig(
        **small, vocab_size=len(words), max_position_embeddings=8192, pad_token_id=0, eos_token_id=2
    )
    return transformers.LlavaConfig(
        vision_config=sees.to_dict(),
        text_config=says.to_dict(),
        image_token_index=words.convert_tokens_to_ids(IMAGE),
        vision_feature_layer=-1,
    )


def asked(text: str, *colors: tuple[int, int, int]) -> tuple[Message, ...]:
    pictures = tuple(png(28, 28, "RGB", color) for color in colors)
    return (Message("system", "Look."), Message("user", f"{IMAGE} " * len(colors) + text, pictures))


@pytest.mark.parametrize("chat", [True, False])
def test_it_sees_what_it_is_shown(llava: Path, chat: bool) -> None:
    model = load_model(
        entry("hf-multimodal", chat=chat, pretrained=str(llava), device="cpu", batch_size=2), GENERATION
    )
    red, blue = (255, 0, 0), (0, 0, 255)
    prompts = {
        "red": asked("what", red),
        "blue": asked("what", blue),
        "both": asked("what", red, blue),
        "other way": asked("what", blue, red),
        "blind": asked("what"),
        "red again": asked("what", red),
        # a place for a picture that the data wrote, without a picture
        "sly": asked(f"what {IMAGE} is"),
    }
    answers = {answer.key: answer for answer in model.answers(list(prompts.items()))}
    assert {answer.error for answer in answers.values()} == {None}
    said = {key: answer.prediction for key, answer in answers.items()}
    assert said["red"] == said["red again"]
    assert len({said[key] for key in ("red", "blue", "both", "other way", "blind")}) == 5


def test_pictures_and_text_beside_them_in_designs_of_several_calls(
    llava: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("self_augmented", "tree_thinker"):  # a model of random weights would go on to the limit
        design = designs.get(name)
        monkeypatch.setattr(design, "steps", tuple(replace(step, max_tokens=4) for step in design.steps))
    recipe = tmp_path / "seen.yaml"
    recipe.write_text(
        "name: seen\ncards: [cards.bundled.aggregation]\nexamples: {count: 2}\ngeneration: {max_tokens: 4}\n"
        "configurations: {serializers: [latex, image, image+latex], "
        "designs: [default, self_augmented, tree_thinker]}\n",
        encoding="utf-8",
    )
    command = ["run", str(recipe), "--out", str(tmp_path / "run"), "--model", "hf-multimodal"]
    done = CliRunner().invoke(app, [*command, "--model-args", f"pretrained={llava},device=cpu"])
    assert done.exit_code == 0, done.output
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet").query("main")
    assert len(scores) == 18
    shown = {
        (len(images_of(prompt)), "The same table as text:" in prompt[-1].content)
        for prompt in prompts(Run.open(tmp_path / "run"), "hf-multimodal").values()
    }
    assert {with_text for count, with_text in shown if count} == {True, False}
    found = json.loads((tmp_path / "run" / "analysis.json").read_text())["modalities"]["scores"]
    (models, *_) = found.values()
    assert {"text", "image", "both"} <= set(next(iter(models.values())))
