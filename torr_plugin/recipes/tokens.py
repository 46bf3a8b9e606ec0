"""How many tokens prompts have, and how many of them the prompt before begins with too.

Tokenizers are read from this machine: nothing is downloaded, and no code of a model's is run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from ..core.errors import InputError

if TYPE_CHECKING:
    from ..prompts import Prompt
    from .models import ModelEntry

CHARACTERS_A_TOKEN = 4


class TokenCount(NamedTuple):
    """The tokens of a prompt, and how many of them the prompt before begins with too."""

    tokens: int
    common: int


class TokenCounter(Protocol):
    """Measures prompts as they come, each against the one before."""

    exact: bool

    def measure(self, prompts: Sequence[Prompt]) -> list[TokenCount]:
        """The next prompts of a stream."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is: a token for every four characters, rounded up.

    A rule of thumb for English in today's subword vocabularies; tables with many numbers take more (up to
    twice).
    """
    return -(-len(text) // CHARACTERS_A_TOKEN)


def text_of(prompt: Prompt) -> str:
    """The texts of a prompt's turns, a line break between two."""
    return prompt[0].content if len(prompt) == 1 else "\n".join(message.content for message in prompt)


class EstimatingCounter:
    """Counts four characters a token."""

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
    """Counts with a model's own tokenizer, through its chat template where the model is asked through it."""

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
        folder: where its files are; two of one folder are the same.
    """

    def __init__(self, folder: Path, inner: Any) -> None:
        self.folder, self._inner = folder, inner

    def encode(self, prompts: Sequence[Prompt], *, chat: bool) -> list[list[int]]:
        """The tokens of each prompt: its turns through the chat template, or with a blank line between two.

        Where there is no usable template, the turns' texts alone are counted.
        """
        templated = chat and getattr(self._inner, "chat_template", None) is not None
        if templated:
            try:
                return self._tokens([self._applied(prompt) for prompt in prompts], special=False)
            except Exception as error:  # templates are programs of their own
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
        instead: a folder or name of a tokenizer for models whose own is not here.

    Raises:
        InputError: ``instead`` cannot be loaded.
    """

    def __init__(self, instead: str | None = None) -> None:
        self._loaded: dict[Path, Tokenizer | None] = {}
        self._instead = None if instead is None else self._wanted(instead)

    def of(self, entry: ModelEntry) -> Tokenizer | None:
        """The tokenizer of a model, or the one that stands for it; None where neither is here."""
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

    def _wanted(self, name: str) -> Tokenizer:
        folder = folder_of(name)
        found = None if folder is None else self._load(folder)
        if found is None:
            raise InputError(
                f"--tokenizer: found {name!r}, which is no tokenizer that can be read here; expected a "
                "folder with its files, or a name in the local cache (and transformers: pip install "
                "'torr-plugin[hf]')"
            )
        return found


def folder_of(name: str, revision: str = "main") -> Path | None:
    """The folder that holds a tokenizer: ``name`` itself, or where the cache has it; None if nowhere."""
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
        except ValueError:  # no name that a hub could have
            return None
        if isinstance(found, str):
            return Path(found).parent
    return None


def _tokenizer(folder: Path) -> Tokenizer | None:
    try:
        from transformers import AutoTokenizer

        inner = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
    except Exception as error:  # not installed, damaged, or code of its own that is not run
        _log.warning("%s: no tokenizer can be read: %s", folder, " ".join(str(error).split())[:200])
        return None
    return Tokenizer(folder, inner)


BLOCK = 16
"""Tokens a block: vLLM's prefix cache keeps whole blocks of so many (its ``block_size``, by default)."""


def common_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """How many characters two texts (or items two lists) have in common before they first differ."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def in_blocks(common: int, length: int, block: int = BLOCK) -> int:
    """What of ``common`` tokens a cache of whole blocks saves of a prompt of ``length`` tokens.

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
    """The items of a stream, sorted by their texts within windows; equal texts keep their order.

    Only one window is in memory: it is full with ``most`` items, or with the item that brings its texts to
    ``most_characters``.

    Args:
        items: what to order; read a window at a time.
        text: what an item begins with, asked once an item.
        most: items a window, at least 1.
        most_characters: characters a window, at least 1.
    """
    window: list[tuple[str, int, T]] = []
    characters = 0
    for item in items:
        said = text(item)
        window.append((said, len(window), item))
        characters += len(said)
        if len(window) >= most or characters >= most_characters:
            yield from _sorted(window)
            window, characters = [], 0
    yield from _sorted(window)


def _sorted(window: list[tuple[str, int, T]]) -> Iterator[T]:
    window.sort(key=_place)
    return (item for _, _, item in window)


def _place(entry: tuple[str, int, T]) -> tuple[str, int]:
    return entry[0], entry[1]
