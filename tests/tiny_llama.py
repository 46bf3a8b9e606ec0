"""Makes a tiny Llama of random weights and a tokenizer trained on the spot, which vLLM and transformers load.

Nothing is downloaded; with the same arguments the folder is the same. The weights are drawn so wide that the
answers differ from prompt to prompt and that the likeliest token is well ahead of the next: engines that
compute in another order still write the same text in float32.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

BEGIN, END, PAD = "<|begin|>", "<|end|>", "<|pad|>"
ROLES = ("<|system|>", "<|user|>", "<|assistant|>")
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for turn in messages %}<|{{ turn['role'] }}|>{{ turn['content'] }}"
    "{% if turn['role'] == 'assistant' %}{{ eos_token }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_WIDTH = 0.25
_ROOT = Path(__file__).resolve().parents[1]


def make(
    folder: Path,
    *,
    chat: bool = True,
    layers: int = 2,
    hidden: int = 64,
    heads: int = 2,
    key_value_heads: int = 1,
    intermediate: int = 128,
    vocabulary: int = 2048,
    context: int = 4096,
    seed: int = 0,
    corpus: Iterable[str] | None = None,
    adds_begin: bool = True,
    dtype: str = "float32",
) -> Path:
    """Write weights, configuration and tokenizer into ``folder``, and give it back.

    Args:
        folder: is made.
        chat: whether the tokenizer has a chat template (it begins with the text of the BOS token).
        layers: of the decoder.
        hidden: width of the model; a multiple of ``heads``.
        heads: attention heads, each of width 32 or more (vLLM computes no smaller on CPUs).
        key_value_heads: heads of keys and values.
        intermediate: width of the feed-forward part.
        vocabulary: the tokenizer's size, at most.
        context: the longest sequence, in tokens.
        seed: of the weights.
        corpus: what the tokenizer is trained on; None: the texts of this repository's documentation.
        adds_begin: whether the tokenizer puts the BOS token before a text.
        dtype: that the weights are stored in.
    """
    folder.mkdir(parents=True, exist_ok=True)
    words = _tokenizer(
        vocabulary, None if corpus is None else tuple(corpus), chat=chat, adds_begin=adds_begin
    )
    words.model_max_length = context
    _save(words, folder)
    sizes = {
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": key_value_heads,
        "intermediate_size": intermediate,
        "max_position_embeddings": context,
    }
    _save(_model(words, sizes, seed, dtype), folder)
    return folder


def _documents() -> Iterator[str]:
    for path in sorted([_ROOT / "README.md", *(_ROOT / "docs").glob("*.md")]):
        yield path.read_text(encoding="utf-8")
    yield from (f"{number} {number / 10:.1f}%" for number in range(2000))


@cache  # training takes longer than all else
def _trained(size: int, corpus: tuple[str, ...] | None) -> str:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[BEGIN, END, PAD, *ROLES],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    bpe.train_from_iterator(_documents() if corpus is None else corpus, trainer)
    return str(bpe.to_str())


def _tokenizer(size: int, corpus: tuple[str, ...] | None, *, chat: bool, adds_begin: bool) -> Any:
    from tokenizers import Tokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer.from_str(_trained(size, corpus))
    if adds_begin:
        bpe.post_processor = TemplateProcessing(single=f"{BEGIN} $A", special_tokens=[(BEGIN, 0)])
    words = PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        bos_token=BEGIN,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=list(ROLES),
    )
    if chat:
        words.chat_template = CHAT_TEMPLATE
    return words


def _model(words: Any, sizes: dict[str, int], seed: int, dtype: str) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    configuration = LlamaConfig(
        **sizes,
        vocab_size=len(words),
        initializer_range=_WIDTH,
        tie_word_embeddings=False,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(configuration)
    return model.to(getattr(torch, dtype))


def _save(what: Any, folder: Path) -> None:
    with warnings.catch_warnings():  # the libraries warn of their own older names
        warnings.simplefilter("ignore")
        what.save_pretrained(folder)
