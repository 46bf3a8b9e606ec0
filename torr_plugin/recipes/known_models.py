"""What this machine knows of models: their tokenizers, how much they take, and what servers ask for tokens.

Tokenizers, configurations and litellm's list are read as files: nothing is downloaded, no remote code is run.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from ..core.errors import InputError
from ..core.versions import installed_version
from ..prompts.message import plain_text, turns
from .model_entries import TOKENS_A_PRICE, E, ModelEntry, Price

if TYPE_CHECKING:
    from ..prompts import Prompt

_log = logging.getLogger(__name__)
T = TypeVar("T")


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
        if chat and getattr(self._inner, "chat_template", None) is not None:
            try:
                applied = self._inner.apply_chat_template
                texts = [
                    str(applied(turns(each), tokenize=False, add_generation_prompt=True)) for each in prompts
                ]
                return self._tokens(texts, special=False)
            except Exception as error:  # a template is a program
                _log.debug("%s: the chat template cannot be used: %s", self.folder, error)
        return self._tokens(list(map(plain_text, prompts)), special=True)

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        return len(self._tokens([text], special=False)[0])

    def _tokens(self, texts: list[str], *, special: bool) -> list[list[int]]:
        if not texts:
            return []
        found = self._inner(texts, add_special_tokens=special, return_attention_mask=False, verbose=False)
        return [list(tokens) for tokens in found["input_ids"]]


def tokenizer_of(entry: ModelEntry) -> Tokenizer | None:
    """The tokenizer of a model; None where it is not on this machine."""
    return next(filter(None, map(_tokenizer, _folders(entry, ("tokenizer", "pretrained", "model")))), None)


def named_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of a folder, or of a model of the hub whose files are on this machine.

    Raises:
        InputError: there is none, or it cannot be read.
    """
    folder = folder_of(name)
    if folder is None:
        raise InputError(
            f"tokenizer {name!r}: not on this machine; expected a folder with its files, or the name of a "
            "model of the hub that is in the cache"
        )
    try:
        from transformers import AutoTokenizer

        inner = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
    except Exception as error:  # not installed, damaged, or in need of remote code
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{folder}: no tokenizer can be read: {reason}") from None
    return Tokenizer(folder, inner)


@lru_cache(maxsize=64)
def _tokenizer(folder: Path) -> Tokenizer | None:
    try:
        return named_tokenizer(str(folder))
    except InputError as error:
        _log.warning("%s", error)
        return None


_FILES = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json", "vocab.json")


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
        # as lm-eval's ``hf`` looks for them
        names = ("n_positions", "max_position_embeddings", "n_ctx")
        lengths = [_length(part.get(name)) for part in parts if isinstance(part, dict) for name in names]
        if any(lengths):
            return next(filter(None, lengths))
    known = known_model(entry)
    return known.context if known else None


def _length(value: object) -> int | None:
    try:
        found = int(str(value))
    except ValueError:
        return None
    return found if found > 0 else None


# what an installed litellm knows of models behind servers

FILE = "model_prices_and_context_window_backup.json"
"""In litellm's package folder; nothing of the package is imported."""

_PRICES = {
    "prompt": "input_cost_per_token",
    "completion": "output_cost_per_token",
    "cached": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
}
_HOSTED = ("openai", "azure-openai", "anthropic", "litellm")
"""How lm-eval's names begin of the models that have a server of their own."""


class KnownModel(NamedTuple):
    """What litellm knows of a model: its name there, price and most tokens, None where not known."""

    key: str
    price: Price | None
    context: int | None


def known_model(entry: ModelEntry) -> KnownModel | None:
    """What litellm knows of a model; None without litellm, and of a model that runs on one's own machine.

    It is looked up by its argument ``model`` or ``pretrained``: under that name, else as that of some
    provider, ``provider/name``, or without the provider's name before it. Where providers differ in a figure,
    that figure is not known.
    """
    name = next(
        (each for key in ("model", "pretrained") if isinstance(each := entry.args.get(key), str)), None
    )
    if not name or not _is_remote(entry):
        return None
    models = _models()
    provider, _, bare = name.partition("/")
    if name in models:
        keys = [name]
    elif bare in models and models[bare].get("litellm_provider") == provider:
        keys = [bare]
    else:
        keys = [key for key in models if key.endswith(f"/{name}")]
    if not keys:
        return None
    price = _agreed({_price(models[key]) for key in keys})
    context = _agreed({_number(models[key].get("max_input_tokens")) for key in keys})
    return KnownModel(keys[0], price, int(context) if context else None)


def _agreed(figures: set[T]) -> T | None:
    return figures.pop() if len(figures) == 1 else None


def with_known_prices(models: Sequence[E]) -> tuple[list[E], list[str]]:
    """Models, those without a price at the one that litellm knows, and a line that says whose these are."""
    found: list[E] = []
    said: list[str] = []
    for entry in models:
        known = known_model(entry) if entry.price is None else None
        if known is None or known.price is None:
            found.append(entry)
            continue
        found.append(entry.model_copy(update={"price": known.price}))
        said.append(entry.label if known.key == entry.label else f"{entry.label} (as {known.key})")
    source = f"litellm {installed_version('litellm') or ''}".rstrip()
    note = (
        f"prices of {', '.join(said)}: from {source}; a 'price' in the recipe or the file of models counts "
        "before these"
    )
    return found, [note] if said else []


def _is_remote(entry: ModelEntry) -> bool:
    """Whether a model is asked on another's server, which sends bills."""
    address = entry.args.get("base_url")
    if not isinstance(address, str):
        return entry.model.startswith(_HOSTED)
    host = urlsplit(address).hostname or "localhost"
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith((".local", ".internal", ".localhost"))


@lru_cache(maxsize=1)
def _models() -> dict[str, Mapping[str, Any]]:
    """Name -> what the file says of it; empty without litellm, or if the file is no JSON object."""
    spec = find_spec("litellm")
    for folder in (spec.submodule_search_locations if spec else None) or ():
        try:
            found = json.loads((Path(folder) / FILE).read_text("utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(found, dict):
            return {
                key: said for key, said in found.items() if isinstance(said, dict) and key != "sample_spec"
            }
    return {}


def _price(said: Mapping[str, Any]) -> Price | None:
    dollars = {name: _number(said.get(field)) for name, field in _PRICES.items()}
    known = {name: round(cost * TOKENS_A_PRICE, 9) for name, cost in dollars.items() if cost is not None}
    return Price(**known) if {"prompt", "completion"} <= known.keys() else None


def _number(value: object) -> float | None:
    """A number that is not negative; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None
