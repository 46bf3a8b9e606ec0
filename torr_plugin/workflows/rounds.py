"""Rounds of prompts, each asked of models and stored; the replies make the next. What rounds would cost."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..core.errors import InputError, nearest
from ..core.tokens import estimate_tokens
from ..prompts import Message
from ..prompts.message import spoilt
from ..recipes import request_key
from ..recipes.tokens import text_of
from ..running.asking import PromptList, ask_prompts, predictions_in
from ..running.progress import Progress
from ..running.store.manifest import folder_name

if TYPE_CHECKING:
    from ..prompts import Prompt
    from ..recipes import ModelEntry
    from ..synthesis.annotation.prompts import PromptTexts

ItemT = TypeVar("ItemT", bound=Hashable)


@dataclass(frozen=True)
class AskedRounds:
    """Asks round by round, and nothing twice.

    Attributes:
        out: the folder; replies are in ``asked/<model>/``.
        generation: the generation parameters of all prompts.
        executor: ``local`` or ``ray``.
        retry_failed: ask again what has an error from an earlier attempt.
        progress: shows how far the models are, round by round.
        tell: shows the rounds.
        failed: (round, label) -> keys of the prompts that have an error.
    """

    out: Path
    generation: Mapping[str, Any]
    executor: str
    retry_failed: bool
    progress: Callable[[], AbstractContextManager[Progress]]
    tell: Callable[[str], object]
    failed: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def replies(
        self, what: str, prompts: Mapping[ItemT, Prompt], models: Iterable[ModelEntry]
    ) -> dict[str, dict[ItemT, str]]:
        """Label -> item -> reply, without the items whose request failed.

        Raises:
            RunError: another model of this name was asked before, or a file cannot be read or written.
            ModelError: a model cannot be loaded.
            Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
        """
        keys = {item: request_key(prompt, self.generation) for item, prompt in prompts.items()}
        wanted = {keys[item]: prompt for item, prompt in prompts.items()}
        lists = [PromptList(each, wanted, model_folder(self.out, each), "model") for each in models]
        self.tell(f"Asking for {what}: {', '.join(each.model.label for each in lists)}")
        with self.progress() as shown:
            failed = ask_prompts(
                lists,
                self.generation,
                kept=self.out,
                executor=self.executor,
                progress=shown,
                retry_failed=self.retry_failed,
            )
        self.failed.update({(what, label): found for label, found in failed.items()})
        said = {each.model.label: predictions_in(each.folder) for each in lists}
        return {
            label: {item: replies[key] for item, key in keys.items() if key in replies}
            for label, replies in said.items()
        }


def as_prompt(texts: PromptTexts) -> Prompt:
    """The messages of a prompt, which show no picture."""
    return spoilt((Message("system", texts.system), Message("user", texts.user)))


def model_called(models: Mapping[str, ModelEntry], label: str, option: str) -> ModelEntry:
    """The model of a label.

    Raises:
        InputError: there is none; the option is named.
    """
    if label not in models:
        raise InputError(f"{option}: no model is called {label!r}; {nearest(label, models)}")
    return models[label]


def model_folder(out: Path, model: ModelEntry) -> Path:
    """Where a model's replies are, in all its roles."""
    return out / "asked" / folder_name(model.label)


def planned_round(
    out: Path, name: str, model: ModelEntry, prompts: Sequence[Prompt], *, max_tokens: int, times: int = 1
) -> dict[str, Any]:
    """A round where each prompt is sent so many times, with another question each time.

    Returns:
        ``round``, ``model``, ``prompts`` (at most), ``answered`` (replies of this model that ``out`` has, of
        all rounds), ``prompt tokens`` (estimated), ``longest prompt``, ``answer tokens`` (at most) and
        ``cost`` (US dollars at most; None without a price).
    """
    tokens = [estimate_tokens(text_of(prompt)) for prompt in prompts]
    whole, answers, price = times * sum(tokens), times * len(prompts) * max_tokens, model.price
    return {
        "round": name,
        "model": model.label,
        "answered": _replies_there(model_folder(out, model)),
        "prompts": times * len(prompts),
        "prompt tokens": whole,
        "longest prompt": max(tokens, default=0),
        "answer tokens": answers,
        "cost": None if price is None else price.of_prompts(whole) + price.of_answers(answers),
    }


def _replies_there(folder: Path) -> int:
    return len(predictions_in(folder)) if folder.exists() else 0
