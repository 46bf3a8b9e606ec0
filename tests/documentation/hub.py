"""Makes a cache of the Hugging Face hub with a tiny model of random weights under the name that pages use.

Run as ``hub.py CACHE``, so that nothing else has to import torch.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

NAME = "Qwen/Qwen2.5-0.5B-Instruct"
_TEMPLATE = "{% for turn in messages %}{{ turn['role'] }}: {{ turn['content'] }}\n{% endfor %}assistant:"
_REVISION = "0" * 40
_CONTEXT = 32768


def fill(cache: Path) -> None:
    """Put the model, a Llama whose tokens are words so that long prompts are quick, into ``HF_HOME``."""
    folder = cache / "hub" / f"models--{NAME.replace('/', '--')}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(_REVISION)
    words = _words()
    for what in (words, _model(words)):
        with warnings.catch_warnings():  # the libraries warn of their own older names
            warnings.simplefilter("ignore")
            what.save_pretrained(folder / "snapshots" / _REVISION)


def _words() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    known = ["<unk>", "<s>", "</s>", "<pad>", "yes", "no", *map(str, range(200))]
    splitting = Tokenizer(models.WordLevel({word: at for at, word in enumerate(known)}, unk_token="<unk>"))
    splitting.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = dict(zip(("unk_token", "bos_token", "eos_token", "pad_token"), known, strict=False))
    words = PreTrainedTokenizerFast(tokenizer_object=splitting, model_max_length=_CONTEXT, **special)
    words.chat_template = _TEMPLATE
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


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
