"""A cache of the Hugging Face hub with a tiny model of random weights under every name that pages use."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from tests import tiny_llama

_NAMED = re.compile(r"(?:pretrained|tokenizer)['\"]?\s*[=:(]\s*['\"]?([\w.-]+/[\w.-]+)")
_REVISION = "0" * 40
_CONTEXT = 32768


def names_in(text: str) -> set[str]:
    """The hub's names of models (``ORG/NAME``) in a text."""
    return {name.rstrip(".") for name in _NAMED.findall(text) if not name.startswith((".", "/"))}


def add(cache: Path, made: Path, names: set[str]) -> None:
    """Put the model in ``made`` into a cache (``HF_HOME``) under these names."""
    for name in names:
        folder = cache / "hub" / f"models--{name.replace('/', '--')}"
        if folder.exists():
            continue
        (folder / "refs").mkdir(parents=True)
        (folder / "refs" / "main").write_text(_REVISION)
        (folder / "snapshots").mkdir()
        (folder / "snapshots" / _REVISION).symlink_to(made, target_is_directory=True)


def tiny(folder: Path) -> Path:
    """A Llama as small as can be, whose tokens are words, so that long prompts are quick."""
    words = _words()
    _save(words, folder)
    _save(_model(words), folder)
    return folder


def _words() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    known = ["<unk>", "<s>", "</s>", "<pad>", "yes", "no", *map(str, range(200))]
    splitting = Tokenizer(models.WordLevel({word: at for at, word in enumerate(known)}, unk_token="<unk>"))
    splitting.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = dict(zip(("unk_token", "bos_token", "eos_token", "pad_token"), known, strict=False))
    words = PreTrainedTokenizerFast(tokenizer_object=splitting, model_max_length=_CONTEXT, **special)
    words.chat_template = tiny_llama.CHAT_TEMPLATE
    return words


def _model(words: Any) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    configuration = LlamaConfig(
        vocab_size=len(words),
        hidden_size=64,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=_CONTEXT,
        initializer_range=0.25,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        model = LlamaForCausalLM(configuration)
        model.lm_head.weight[words.eos_token_id] *= 8  # of all scores the one that varies most: ends soon
    return model


def _save(what: Any, folder: Path) -> None:
    with warnings.catch_warnings():  # the libraries warn of their own older names
        warnings.simplefilter("ignore")
        what.save_pretrained(folder)
