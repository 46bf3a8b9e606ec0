"""Count the tokens of prompts, of the prefixes that consecutive prompts share, and of what a model takes.

Tokenizers are read from this machine: nothing is downloaded, and no remote code is run.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..core.errors import InputError
from ..core.texts import CHARACTERS_A_TOKEN
from ..core.versions import install_hint
from ..prompts import designs
from .known_prices import known_model

if TYPE_CHECKING:
    from ..prompts import Prompt, Step
    from .models import ModelEntry

_log = logging.getLogger(__name__)

_NAMED_BY = ("tokenizer", "pretrained", "model")
_FILES = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json", "vocab.json")


def text_of(prompt: Prompt) -> str:
    """The texts of a prompt's turns, joined by line breaks."""
    return prompt[0].content if len(prompt) == 1 else "\n".join(message.content for message in prompt)


class TokenCounter:
    """Counts the tokens of a stream of prompts, and of the prefix that each shares with the one before.

    Args:
        tokenizer: the model's own; None for an estimate of a token per four characters.
        chat: whether the tokenizer's chat template is used.
    """

    def __init__(self, tokenizer: Tokenizer | None = None, *, chat: bool = False) -> None:
        self._tokenizer, self._chat, self.exact = tokenizer, chat, tokenizer is not None
        self._before: Sequence[object] = ()

    def measure(self, prompts: Sequence[Prompt]) -> list[tuple[int, int]]:
        """Count the next prompts of the stream."""
        unit, found = 1 if self.exact else CHARACTERS_A_TOKEN, []
        texts: Iterable[Sequence[object]] = map(text_of, prompts)
        if self._tokenizer is not None:
            texts = self._tokenizer.encode(prompts, chat=self._chat)
        for each in texts:
            found.append((-(-len(each) // unit), common_beginning(self._before, each) // unit))
            self._before = each
        return found


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
        if not texts:
            return []
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
        self._instead = None if instead is None else self._load(folder_of(instead))
        if instead is not None and self._instead is None:
            raise InputError(
                f"--tokenizer: found {instead!r}, which cannot be read here as a tokenizer; expected a "
                "folder with its files, or a name in the local cache (and transformers: "
                f"{install_hint('.[hf]')})"
            )

    def of(self, entry: ModelEntry) -> Tokenizer | None:
        """The tokenizer of a model, or ``instead``; None if neither is on this machine."""
        return next(filter(None, map(self._load, _folders(entry, _NAMED_BY))), self._instead)

    def _load(self, folder: Path | None) -> Tokenizer | None:
        if folder is not None and folder not in self._loaded:
            self._loaded[folder] = _tokenizer(folder)
        return None if folder is None else self._loaded[folder]


def _folders(entry: ModelEntry, named_by: Iterable[str]) -> Iterator[Path]:
    """The folders of a model's files on this machine, by those of its arguments that name one."""
    names = [str(entry.args[name]) for name in named_by if isinstance(entry.args.get(name), str)]
    revision = str(entry.args.get("revision") or "main")
    return filter(None, (folder_of(name, revision) for name in names))


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


def context_length(entry: ModelEntry) -> int | None:
    """The most tokens of prompt and answer together; None where that is not known here."""
    for name in ("max_length", "max_model_len", "context_length"):
        if entry.args.get(name) is not None:
            return _length(entry.args[name])
    for folder in _folders(entry, ("pretrained", "model")):
        try:
            found = json.loads((folder / "config.json").read_text("utf-8"))
        except (OSError, ValueError):
            continue
        parts = [found.get("text_config"), found] if isinstance(found, dict) else []
        for part in [each for each in parts if isinstance(each, dict)]:
            # as lm-eval's ``hf`` looks for them
            for name in ("n_positions", "max_position_embeddings", "n_ctx"):
                if length := _length(part.get(name)):
                    return length
    known = known_model(entry)
    return known.context if known else None


def _length(value: object) -> int | None:
    try:
        found = int(str(value))
    except ValueError:
        return None
    return found if found > 0 else None


class StepTokens(NamedTuple):
    """The longest answer of each step of a design, and for each later step its own and its prompt's surplus.

    A later step's prompt is that of the first and the answers that it follows, at their longest. Answers
    without a limit count 0.
    """

    longest: tuple[int, ...]
    later: tuple[tuple[int, int], ...]

    @property
    def most(self) -> int:
        """The most tokens that answers add to a prompt of the design: its own, and those that it holds."""
        return max((*self.longest, *[answer + before for answer, before in self.later]))

    @classmethod
    def of(cls, design: str, generation: Mapping[str, Any], entry: ModelEntry | None = None) -> StepTokens:
        """Compute them for a design under a study's generation parameters, and a model's own."""
        steps = designs.get(design).steps

        def asked(step: Step) -> Mapping[str, Any]:
            changes = step.changes(generation) or {}
            return {**generation, **changes} if entry is None else entry.generation_under(generation, changes)

        longest = {step.name: int(asked(step).get("max_tokens") or 0) for step in steps}
        later = [
            (longest[step.name], sum(longest[name] for name in step.after)) for step in steps if step.after
        ]
        return cls(tuple(longest.values()), tuple(later))


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


def in_blocks(common: int, length: int) -> int:
    """The tokens that a cache of whole blocks saves, for a prompt of ``length`` with ``common`` shared.

    The last token of a prompt is always computed, as the first token of the answer follows from it.
    """
    return max(min(common, length - 1), 0) // BLOCK * BLOCK


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
