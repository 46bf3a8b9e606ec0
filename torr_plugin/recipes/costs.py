"""What a plan would ask and cost, by data set and model: prompts, tokens, shared prefixes; calls no model.

Tokenizers, and what litellm knows of prices and lengths, are read from this machine: nothing is downloaded,
and no remote code is run.
"""

from __future__ import annotations

import json
import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from ipaddress import ip_address
from itertools import chain, groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from ..core.errors import InputError
from ..core.texts import CHARACTERS_A_TOKEN
from ..core.versions import installed_version
from ..prompts import designs
from ..prompts.message import images_of
from .models import TOKENS_A_PRICE, E, ModelEntry, Price
from .planning import StepTokens
from .request import in_prefix_order, text_of

if TYPE_CHECKING:
    from ..prompts import Prompt
    from .planning import Plan

_log = logging.getLogger(__name__)
T = TypeVar("T")

PROMPTS_AT_ONCE = 256
"""Prompts measured at once, so that a tokenizer can use several cores."""

LONG = 32_768
"""Tokens of prompt and answer from which a plan warns, where nothing is known of the model."""

BLOCK = 16
"""Tokens per block of vLLM's prefix cache (the default of its ``block_size``)."""

Progress = Callable[[int, int], object]
"""Called with the number of prompts counted and their total."""


class PlannedPrompt(NamedTuple):
    """A prompt of a plan and what it occurs as.

    ``new`` if it occurs for the first time in the plan; ``begins`` if it is the first in its design for an
    example and further steps follow; ``replicate`` is 1, 2, ... if it is asked again.
    """

    dataset: str
    prompt: Prompt
    text: str
    design: str
    stage: int
    new: bool
    begins: bool
    replicate: int


class _Tally:
    """Counts those distinct prompts, of a stream in the order of the run, that ``counts`` chooses.

    By the model's own tokenizer, with its chat template or without, or a token per four characters. ``asked``
    is how many there are of a design's step with so many tokens; ``begun`` how many begin a design whose
    later steps follow; ``saved`` the tokens of beginnings shared with the prompt before.
    """

    def __init__(
        self,
        counts: Callable[[PlannedPrompt], bool],
        tokenizer: Tokenizer | None = None,
        *,
        chat: bool = False,
    ) -> None:
        self._counts, self._chat, self.tokenizer = counts, chat, tokenizer
        self._before: Sequence[object] = ()
        self.asked: Counter[tuple[str, int, int]] = Counter()
        self.begun: Counter[tuple[str, int]] = Counter()
        self.saved = self.saved_in_blocks = self.most_pictures = 0

    def include(self, portion: Sequence[PlannedPrompt]) -> None:
        """Count the next prompts of the stream."""
        some = [each for each in portion if self._counts(each)]
        texts: Iterable[Sequence[object]] = (each.text for each in some)
        unit = CHARACTERS_A_TOKEN
        if self.tokenizer is not None:
            texts, unit = self.tokenizer.encode([each.prompt for each in some], chat=self._chat), 1
        for each, text in zip(some, texts, strict=True):
            tokens, common = -(-len(text) // unit), common_beginning(self._before, text) // unit
            self._before = text
            if each.new:
                self.asked[each.design, each.stage, tokens] += 1
                self.saved += min(common, tokens)
                self.saved_in_blocks += in_blocks(common, tokens)
                self.most_pictures = max(self.most_pictures, len(images_of(each.prompt)))
            if each.begins:
                self.begun[each.design, tokens] += 1

    def requests(self, steps: Mapping[str, StepTokens]) -> Iterator[tuple[int, int, int]]:
        """Tokens of a prompt, of its longest answer, and how many requests have them.

        Later steps, whose prompts are not known, count as the first one's and the longest answers.
        """
        for (design, stage, tokens), number in self.asked.items():
            yield tokens, steps[design].longest[stage], number
        for (design, tokens), number in self.begun.items():
            for answer, more in steps[design].later:
                yield tokens + more, answer, number


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


@dataclass(frozen=True)
class Outline:
    """The size of a plan.

    Attributes:
        datasets: a row a data set, see :func:`outline`.
        models: a row a model.
        notes: caveats about the figures.
    """

    datasets: list[dict[str, Any]]
    models: list[dict[str, Any]]
    notes: tuple[str, ...]


def outline(plan: Plan, models: Sequence[ModelEntry] = (), *, progress: Progress | None = None) -> Outline:
    """Count a plan's requests and tokens by data set and by model.

    A data set's row has ``dataset``; ``configurations``; ``examples``; ``shots``; ``prompts``; ``unique
    prompts``, those that occur for the first time in the study; of these ``estimated tokens``, ``longest
    prompt`` (estimated) and ``shared beginning``: the part of their tokens that is a prefix shared with the
    previous prompt of the data set, in the order of the run, from 0 to 1. Of several data sets a row
    ``total`` follows, and of prompts that are asked again a row ``replicates``; the others do not count
    these. What does not apply is null.

    A model's row has ``model``; ``requests``; ``unique requests``; ``prompt tokens`` of the unique ones;
    ``counted``: ``exact`` with the model's own tokenizer if it is on this machine, else ``estimated`` at four
    characters per token; ``saved tokens``: the prefixes shared with the previous prompt, which a prefix cache
    saves in the order of the run; ``saved in blocks``: the same for a cache of whole blocks of 16; ``longest
    prompt``; ``answer tokens``, at most; ``longest with answer``; ``context``, the most tokens of prompt and
    answer, and ``too long``, how many prompts take more (both null if that is unknown); ``gpus`` from the
    pool; and in US dollars (null without a price) ``cost of prompts``, ``cost of prompts cached`` (with saved
    blocks at the price of cached tokens), ``cost of answers`` at most, and ``cost``, their sum without a
    cache. Where nothing limits answers, their tokens and cost and that sum are null. Prompts that are asked
    again are included, and ``replicates`` (only if there are any) has the same of them alone, without
    ``model``.

    Args:
        plan: the plan.
        models: the models; those with the same tokenizer are counted once.
        progress: called with the number of prompts counted and their total.
    """

    def pair(tokenizer: Tokenizer | None = None, *, chat: bool = False) -> tuple[_Tally, _Tally]:
        """Of the prompts, and of those asked again."""
        return (
            _Tally(lambda each: not each.replicate, tokenizer, chat=chat),
            _Tally(lambda each: each.replicate > 0, tokenizer, chat=chat),
        )

    pairs: dict[tuple[Path, bool] | None, tuple[_Tally, _Tally]] = {None: pair()}
    of_models = []
    for entry in models:
        tokenizer, chat = tokenizer_of(entry), uses_chat_template(entry)
        key = None if tokenizer is None else (tokenizer.folder, chat)
        of_models.append((entry, pairs.setdefault(key, pair(tokenizer, chat=chat))))
    of_datasets = {
        name: _Tally(lambda each, name=name: not each.replicate and each.dataset == name)  # type: ignore[misc]
        for name in plan.cards
    }
    tallies = [*chain(*pairs.values()), *of_datasets.values()]
    prompts: Counter[str] = Counter()  # with repeats
    distinct = groupby(_distinct(plan, prompts, progress), attrgetter("replicate"))
    ordered = chain.from_iterable(in_prefix_order(some, attrgetter("text")) for _, some in distinct)
    while portion := list(islice(ordered, PROMPTS_AT_ONCE)):
        for tally in tallies:
            tally.include(portion)
    if progress is not None:
        progress(plan.size, plan.size)
    firsts, again = pairs[None]
    if len(of_datasets) > 1:
        of_datasets["total"] = firsts
    datasets = [_dataset_row(plan, name, prompts[name], tally) for name, tally in of_datasets.items()]
    if plan.replicated:
        unsaid = dict.fromkeys(("configurations", "examples", "shots"))
        datasets.append({**_dataset_row(plan, "replicates", prompts["replicates"], again), **unsaid})
    rows = [_row(entry, both, plan) for entry, both in of_models]
    return Outline(
        datasets, rows, (*_notes(plan, firsts, rows), *_length_notes(models, rows), *_long(models, datasets))
    )


def _distinct(plan: Plan, prompts: Counter[str], progress: Progress | None) -> Iterator[PlannedPrompt]:
    """The plan's prompts without repeats; ``prompts`` counts all of them by data set.

    First prompts of a strategy of several calls are kept even if another design has the same prompt, and one
    that several examples share, as it does not hold their questions, for each of these.
    """
    known: set[bytes] = set()
    begun: set[tuple[str, bytes, str]] = set()
    several = plan.steps
    for count, request in enumerate(plan.requests(), 1):
        if progress is not None and count % PROMPTS_AT_ONCE == 0:
            progress(count, plan.size)
        prompts.update(["replicates"] if request.replicate else [request.dataset, "total"])
        key, design = bytes.fromhex(request.key), request.config.design
        beginning = (design, key, request.example)
        begins = design in several and request.stage == 0 and beginning not in begun
        if begins:
            begun.add(beginning)
        new = key not in known
        known.add(key)
        if new or begins:
            prompt, text = request.prompt, text_of(request.prompt)
            stage, replicate = request.stage, request.replicate
            yield PlannedPrompt(request.dataset, prompt, text, design, stage, new, begins, replicate)


def _dataset_row(plan: Plan, name: str, prompts: int, tally: _Tally) -> dict[str, Any]:
    tokens = sum(length * number for (*_, length), number in tally.asked.items())
    examples = {**{each: len(some) for each, some in plan.examples.items()}, "total": plan.asked_examples}
    return {
        "dataset": name,
        "configurations": len(plan.configurations),
        "examples": examples.get(name),
        "shots": plan.shots.get(name),
        "prompts": prompts,
        "unique prompts": tally.asked.total(),
        "estimated tokens": tokens,
        "longest prompt": max((length for *_, length in tally.asked), default=0),
        "shared beginning": tally.saved / tokens if tokens else 0.0,
    }


def uses_chat_template(entry: ModelEntry) -> bool:
    """Whether the chat template, if any, applies to a model; not by default for completion servers."""
    completes = "completions" in entry.model and "chat" not in entry.model
    return not completes if entry.chat is None else entry.chat


def _row(entry: ModelEntry, tallies: tuple[_Tally, _Tally], plan: Plan) -> dict[str, Any]:
    """The row of a model, with one of what it is asked again."""
    row = {"model": entry.label, "requests": plan.size + plan.later, **_model_row(entry, tallies, plan)}
    if plan.replicated:
        requests = sum(len(designs.get(cell.config.design).steps) for cell in plan.replicated)
        row["replicates"] = {"requests": requests, **_model_row(entry, tallies[1:], plan)}
    return row


def _model_row(entry: ModelEntry, tallies: Sequence[_Tally], plan: Plan) -> dict[str, Any]:
    steps = {
        each.design: StepTokens.of(each.design, plan.asked_generation, entry) for each in plan.configurations
    }
    requests = [each for tally in tallies for each in tally.requests(steps)]
    context, unlimited = context_length(entry), "max_tokens" in entry.generation.left_out
    prompts = sum(tokens * number for tokens, _, number in requests)
    answers = sum(answer * number for _, answer, number in requests)
    saved_in_blocks = sum(tally.saved_in_blocks for tally in tallies)
    too_long = sum(number for tokens, answer, number in requests if tokens + answer > (context or 0))
    row: dict[str, Any] = {
        "unique requests": sum(number for *_, number in requests),
        "prompt tokens": prompts,
        "counted": "estimated" if tallies[0].tokenizer is None else "exact",
        "saved tokens": sum(tally.saved for tally in tallies),
        "saved in blocks": saved_in_blocks,
        "longest prompt": max((tokens for tokens, *_ in requests), default=0),
        "answer tokens": None if unlimited else answers,
        "context": context,
        "longest with answer": max((tokens + answer for tokens, answer, _ in requests), default=0),
        "too long": None if context is None else too_long,
        "gpus": entry.gpus,
        **dict.fromkeys(("cost of prompts", "cost of prompts cached", "cost of answers", "cost")),
    }
    if (price := entry.price) is not None:
        of_prompts, of_answers = price.of_prompts(prompts), price.of_answers(answers)
        row["cost of prompts"] = of_prompts
        row["cost of prompts cached"] = price.of_prompts(prompts, saved_in_blocks)
        if not unlimited:
            row |= {"cost of answers": of_answers, "cost": of_prompts + of_answers}
    return row


def _notes(plan: Plan, tally: _Tally, models: Sequence[object]) -> Iterator[str]:
    """The caveats that apply to any model, or to any data set."""
    if most := tally.most_pictures:
        several = f", up to {most} in one prompt (max_images of a server)" if most > 1 else ""
        yield f"prompts show pictures{several}: their tokens are not counted"
    if plan.later:
        as_first = "counted with a prompt as long as the first one's and the longest answers it may hold"
        yield f"steps that follow an answer are {as_first if models else 'not counted'}"


def _length_notes(models: Sequence[ModelEntry], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Warnings of prompts that a model does not take, or may not take where nothing is known of it."""
    unknown: dict[str, list[str]] = {}
    for entry, row in zip(models, rows, strict=True):
        about = "" if row["counted"] == "exact" else "about "
        longest = f"{about}{row['longest with answer']:,}"
        if entry.model.startswith("torr-"):  # baselines take any
            continue
        if row["too long"]:
            yield (
                f"{entry.label}: {about}{row['too long']:,} of {row['unique requests']:,} prompts do not fit:"
                f" with their longest answers they take more than its {row['context']:,} tokens, the longest "
                f"{longest}"
            )
        elif row["context"] is None and row["longest with answer"] > LONG:
            unknown.setdefault(longest, []).append(entry.label)
    for longest, names in unknown.items():
        yield (
            f"{', '.join(names)}: the longest prompt takes {longest} tokens with its answer; whether that "
            "fits is not known here (max_length=N among a model's arguments says what it takes)"
        )


def _long(models: Sequence[ModelEntry], datasets: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Warnings of long prompts, where no model is named yet."""
    for row in () if models else datasets:
        if row["longest prompt"] > LONG and row["dataset"] != "total":
            longest = f"about {row['longest prompt']:,}"
            yield f"{row['dataset']}: the longest prompt has {longest} tokens, which many models do not take"


# tokenizers, and what a model takes


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
                return self._tokens([self._applied(prompt) for prompt in prompts], special=False)
            except Exception as error:  # a template is a program
                _log.debug("%s: the chat template cannot be used: %s", self.folder, error)
        return self._tokens(
            ["\n\n".join(turn.content for turn in prompt) for prompt in prompts], special=True
        )

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        return len(self._tokens([text], special=False)[0])

    def _applied(self, prompt: Prompt) -> str:
        turns = [{"role": turn.role, "content": turn.content} for turn in prompt]
        return str(self._inner.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))

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
