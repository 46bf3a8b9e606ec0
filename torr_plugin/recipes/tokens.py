"""Count the tokens of prompts and of the prefixes that consecutive prompts share.

Tokenizers are read from this machine: nothing is downloaded, and no remote code is run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from ..core.errors import InputError
from ..core.texts import CHARACTERS_A_TOKEN, estimate_tokens
from ..core.versions import install_hint

if TYPE_CHECKING:
    from ..prompts import Prompt
    from .models import ModelEntry


class TokenCount(NamedTuple):
    """The tokens of a prompt, and of the prefix that it shares with the previous one."""

    tokens: int
    common: int


class TokenCounter(Protocol):
    """Counts the tokens of a stream of prompts."""

    exact: bool

    def measure(self, prompts: Sequence[Prompt]) -> list[TokenCount]:
        """Count the next prompts of the stream."""


def text_of(prompt: Prompt) -> str:
    """The texts of a prompt's turns, joined by line breaks."""
    return prompt[0].content if len(prompt) == 1 else "\n".join(message.content for message in prompt)


class EstimatingCounter:
    """Estimates a token per four characters."""

    exact = False

    def __init__(self) -> None:
        self._before = ""

    def measure(self, prompts: Sequence[Prompt]) -> list[TokenCount]:
        """See :class:`TokenCounter`."""
        found = []
        for text in map(text_of, prompts):
            common = common_beginning(self._before, text) // CHARACTERS_A_TOKEN
            found.append(TokenCount(estimate_tokens(text), common))
            self._before = text
        return found


class TokenizerCounter:
    """Counts with a model's own tokenizer, and its chat template if the model uses that."""

    exact = True

    def __init__(self, tokenizer: Tokenizer, *, chat: bool) -> None:
        self._tokenizer, self._chat = tokenizer, chat
        self._before: Sequence[int] = ()

    def measure(self, prompts: Sequence[Prompt]) -> list[TokenCount]:
        """See :class:`TokenCounter`."""
        found = []
        for tokens in self._tokenizer.encode(prompts, chat=self._chat):
            found.append(TokenCount(len(tokens), common_beginning(self._before, tokens)))
            self._before = tokens
        return found


_log = logging.getLogger(__name__)

_NAMED_BY = ("tokenizer", "pretrained", "model")
_FILES = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json", "vocab.json")


class Tokenizer:
    """A tokenizer of transformers.

    Attributes:
        folder: the folder of its files, which identifies it.
    """

    def __init__(self, folder: Path, inner: Any) -> None:
        self.folder, self._inner = folder, inner

    def encode(self, prompts: Sequence[Prompt], *, chat: bool) -> list[list[int]]:
        """The tokens of each prompt, with the chat template or with turns joined by blank lines.

        Without a usable template the texts alone are counted.
        """
        templated = chat and getattr(self._inner, "chat_template", None) is not None
        if templated:
            try:
                return self._tokens([self._applied(prompt) for prompt in prompts], special=False)
            except Exception as error:  # a template is a program
                _log.debug("%s: the chat template cannot be used: %s", self.folder, error)
        return self._tokens(
            ["\n\n".join(turn.content for turn in prompt) for prompt in prompts], special=True
        )

    def _applied(self, prompt: Prompt) -> str:
        turns = [{"role": turn.role, "content": turn.content} for turn in prompt]
        return str(self._inner.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))

    def _tokens(self, texts: list[str], *, special: bool) -> list[list[int]]:
        found = self._inner(texts, add_special_tokens=special, return_attention_mask=False, verbose=False)
        return [list(tokens) for tokens in found["input_ids"]]


class Tokenizers:
    """The tokenizers of a study's models, each loaded once.

    Args:
        instead: a folder or name of a tokenizer for models whose own is not on this machine.

    Raises:
        InputError: ``instead`` cannot be loaded.
    """

    def __init__(self, instead: str | None = None) -> None:
        self._loaded: dict[Path, Tokenizer | None] = {}
        self._instead = None if instead is None else self._required(instead)

    def of(self, entry: ModelEntry) -> Tokenizer | None:
        """The tokenizer of a model, or ``instead``; None if neither is on this machine."""
        return self._own(entry.args) or self._instead

    def _own(self, args: Mapping[str, Any]) -> Tokenizer | None:
        names = [str(args[name]) for name in _NAMED_BY if isinstance(args.get(name), str)]
        for name in names:
            folder = folder_of(name, str(args.get("revision") or "main"))
            if folder is not None and (found := self._load(folder)):
                return found
        return None

    def _load(self, folder: Path) -> Tokenizer | None:
        if folder not in self._loaded:
            self._loaded[folder] = _tokenizer(folder)
        return self._loaded[folder]

    def _required(self, name: str) -> Tokenizer:
        folder = folder_of(name)
        found = None if folder is None else self._load(folder)
        if found is None:
            raise InputError(
                f"--tokenizer: found {name!r}, which cannot be read here as a tokenizer; expected a "
                "folder with its files, or a name in the local cache (and transformers: "
                f"{install_hint('.[hf]')})"
            )
        return found


def folder_of(name: str, revision: str = "main") -> Path | None:
    """The folder of a tokenizer: ``name`` itself, or its place in the cache; None if there is none."""
    folder = Path(name)
    if folder.is_dir():
        return folder.resolve() if any((folder / file).is_file() for file in _FILES) else None
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        return None
    for file in _FILES:
        try:
            found = try_to_load_from_cache(name, file, revision=revision)
        except ValueError:  # not a valid name on the hub
            return None
        if isinstance(found, str):
            return Path(found).parent
    return None


def _tokenizer(folder: Path) -> Tokenizer | None:
    try:
        from transformers import AutoTokenizer

        inner = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
    except Exception as error:  # not installed, damaged, or in need of remote code
        _log.warning("%s: no tokenizer can be read: %s", folder, " ".join(str(error).split())[:200])
        return None
    return Tokenizer(folder, inner)


BLOCK = 16
"""Tokens per block of vLLM's prefix cache (the default of its ``block_size``)."""


def common_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """The length of the common prefix of two texts or lists."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def in_blocks(common: int, length: int, block: int = BLOCK) -> int:
    """The tokens that a cache of whole blocks saves, for a prompt of ``length`` with ``common`` shared.

    The last token of a prompt is always computed, as the first token of the answer follows from it.
    """
    return max(min(common, length - 1), 0) // block * block


T = TypeVar("T")

MOST_ITEMS = 8192
MOST_CHARACTERS = 64_000_000


def in_prefix_order(
    items: Iterable[T],
    text: Callable[[T], str],
    *,
    most: int = MOST_ITEMS,
    most_characters: int = MOST_CHARACTERS,
) -> Iterator[T]:
    """Sort a stream of items by text within windows; equal texts keep their order.

    Only one window is in memory; it is full with ``most`` items or ``most_characters`` characters.

    Args:
        items: the stream, read a window at a time.
        text: the sort key, called once per item.
        most: items per window, at least 1.
        most_characters: characters per window, at least 1.
    """
    window: list[tuple[str, int, T]] = []
    characters = 0
    for item in items:
        key = text(item)
        window.append((key, len(window), item))
        characters += len(key)
        if len(window) >= most or characters >= most_characters:
            yield from _sorted(window)
            window, characters = [], 0
    yield from _sorted(window)


def _sorted(window: list[tuple[str, int, T]]) -> Iterator[T]:
    window.sort(key=lambda entry: entry[:2])
    return (item for _, _, item in window)
