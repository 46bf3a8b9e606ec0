"""What all question writing shares: a task and its folder, rounds of prompts to models, and what they cost.

A round asks models a prompt for each of some items, and stores the replies, which make the prompts of the
next round. Nothing is asked twice: the same command on the same folder goes on.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import yaml

from ..core.atomic_files import check_result_folder, read_error, write_atomically
from ..core.errors import InputError, RunError, nearest
from ..core.texts import estimate_tokens
from ..core.versions import versions
from ..leaderboard.text import slug
from ..prompts import text_of
from ..recipes import request_key
from ..running import check_models, exclusive
from ..running.asking import PromptList, ask_prompts, predictions_in
from ..running.progress import Progress
from ..running.store.manifest import model_record
from ..running.store.shards import folder_name

if TYPE_CHECKING:
    from ..prompts import Prompt
    from ..recipes import ModelEntry

T = TypeVar("T")
ItemT = TypeVar("ItemT", bound=Hashable)

FORMAT = 1


@dataclass(frozen=True)
class FolderKind:
    """The folder that a command writes its record, its questions and their review to.

    Attributes:
        command: writes it.
        record: the name of its record.
        fixed: the fields of the record that must stay the same.
    """

    command: str
    record: str
    fixed: tuple[str, ...]

    def write(self, folder: Path, record: Mapping[str, Any]) -> None:
        """Write the record.

        Raises:
            RunError: it cannot be written, or what is there was made otherwise.
        """
        path = folder / self.record
        before = self.read(folder) if path.exists() else record
        for name in self.fixed:
            if before.get(name) != record[name]:
                version = "version " if name == "prompts" else ""
                raise RunError(
                    f"{path}: {name}: found {version}{before.get(name)!r}, now {record[name]!r}; choose "
                    f"another --out, so that questions of both kinds do not mix"
                )
        text = yaml.safe_dump(dict(record), sort_keys=False, allow_unicode=True)
        write_atomically(path, text.encode("utf-8", "replace"))

    def read(self, folder: Path) -> Mapping[str, Any]:
        """What the record says.

        Raises:
            RunError: there is none, it cannot be read, or another version wrote it.
        """
        path = folder / self.record
        if not path.exists():
            raise RunError(f"{folder}: no {self.record}; expected a folder that {self.command!r} wrote")
        record = self._parsed(path, "YAML", yaml.safe_load)
        if not isinstance(record, dict) or record.get("format") != FORMAT or "prompts" not in record:
            raise RunError(f"{path}: is no record of format {FORMAT}; expected what {self.command!r} wrote")
        return record

    def lines(self, path: Path) -> list[dict[str, Any]]:
        """The rows of a file of JSON lines in the folder.

        Raises:
            RunError: there is none, or it cannot be read.
        """
        if not path.exists():
            raise RunError(f"{path}: is not there; the same {self.command!r} writes it when it ends")
        rows: list[dict[str, Any]] = self._parsed(
            path, "JSON lines", lambda text: [json.loads(line) for line in text.split("\n") if line]
        )
        return rows

    def _parsed(self, path: Path, form: str, parse: Callable[[str], Any]) -> Any:
        try:
            return parse(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise read_error(path, error) from error
        except (yaml.YAMLError, ValueError, InputError):
            raise RunError(f"{path}: is not {form}; expected what {self.command!r} wrote") from None


def as_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """JSON lines."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode("utf-8", "replace")


@dataclass(frozen=True)
class PlannedRound:
    """A round as it is planned: who is asked which prompts, each so many ``times`` with another question."""

    name: str
    model: ModelEntry
    prompts: Sequence[Prompt]
    times: int = 1


@dataclass(frozen=True, kw_only=True)
class WritingTask(ABC):
    """What questions are to be written, and by whom, as a person says it.

    Attributes:
        available: the models, with labels that differ.
        max_tokens: of a reply.
    """

    folder_kind: ClassVar[FolderKind]
    available: Sequence[ModelEntry]
    max_tokens: int = 4096

    @property
    @abstractmethod
    def roles(self) -> Mapping[str, ModelEntry | Sequence[ModelEntry]]:
        """What models do -> who does it, as the record has it.

        Raises:
            InputError: no model, or an unknown label.
        """

    @property
    @abstractmethod
    def about(self) -> Mapping[str, int]:
        """What is asked about: how many ``tables``, or ``documents`` and ``chunks``."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """Remarks for the user."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What the record says of this task: version of the prompts, options, fingerprints of the source."""

    @abstractmethod
    def planned(self) -> Iterable[PlannedRound]:
        """The rounds, with questions and answers as long as they may be expected to be."""

    @property
    def models(self) -> tuple[ModelEntry, ...]:
        """All models that are asked, each once."""
        found = [each if isinstance(each, Sequence) else [each] for each in self.roles.values()]
        return tuple({each.label: each for some in found for each in some}.values())

    @property
    def generation(self) -> dict[str, Any]:
        """The generation parameters of all prompts; greedy, so that there is no seed."""
        return {"max_tokens": self.max_tokens, "temperature": 0.0, "until": []}

    def model(self, label: str | None, option: str, default: int = 0) -> ModelEntry:
        """The model of a label; without one that at the place ``default``.

        Raises:
            InputError: there is none; the option is named.
        """
        if not self.available:
            raise InputError("no model: name one by --model (as in lm-eval) or a file of them by --models")
        known = {each.label: each for each in self.available}
        if label is None:
            return self.available[default]
        if label not in known:
            raise InputError(f"{option}: no model is called {label!r}; {nearest(label, known)}")
        return known[label]

    def record(self) -> dict[str, Any]:
        """What the record says."""
        return {
            "format": FORMAT,
            "versions": dict(versions()),
            **self.settings(),
            "generation": self.generation,
            **{
                role: [each.label for each in who] if isinstance(who, Sequence) else who.label
                for role, who in self.roles.items()
            },
            "models": [model_record(each, folder_name(each.label)) for each in self.models],
        }


@dataclass(frozen=True)
class Asking:
    """How models are asked.

    Attributes:
        executor: ``local`` or ``ray``.
        retry_failed: ask again what has an error from an earlier attempt.
        progress: shows how far the models are, round by round.
        tell: shows remarks and the rounds.
    """

    executor: str = "local"
    retry_failed: bool = False
    progress: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(Progress())
    tell: Callable[[str], object] = lambda line: None


QUIETLY = Asking()
"""In this process, showing nothing."""


@dataclass(frozen=True)
class Rounds:
    """Asks round by round.

    Attributes:
        out: the folder; replies are in ``asked/<model>/``.
        generation: the generation parameters of all prompts.
        how: models are asked.
        failed: the keys of the prompts that have an error, of all rounds.
        malformed: what is wrong with the form of replies -> how many.
    """

    out: Path
    generation: Mapping[str, Any]
    how: Asking
    failed: list[str] = field(default_factory=list)
    malformed: Counter[str] = field(default_factory=Counter)

    def replies(
        self, what: str, prompts: Mapping[ItemT, Prompt], models: Iterable[ModelEntry]
    ) -> dict[str, dict[ItemT, str]]:
        """Label -> item -> reply, without the items whose request failed; nobody is asked nothing.

        Raises:
            RunError: another model of this name was asked before, or a file cannot be read or written.
            ModelError: a model cannot be loaded.
            Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
        """
        keys = {item: request_key(prompt, self.generation) for item, prompt in prompts.items()}
        wanted = {keys[item]: prompt for item, prompt in prompts.items()}
        lists = [PromptList(each, wanted, _replies_of(self.out, each), "model") for each in models]
        if not prompts:
            return {each.model.label: {} for each in lists}
        self.how.tell(f"Asking for {what}: {', '.join(each.model.label for each in lists)}")
        with self.how.progress() as shown:
            failed = ask_prompts(
                lists,
                self.generation,
                kept=self.out,
                executor=self.how.executor,
                progress=shown,
                retry_failed=self.how.retry_failed,
            )
        self.failed.extend(key for keys in failed.values() for key in keys)
        said = {each.model.label: predictions_in(each.folder) for each in lists}
        return {
            label: {item: replies[key] for item, key in keys.items() if key in replies}
            for label, replies in said.items()
        }

    def replies_of(self, model: ModelEntry, what: str, prompts: Mapping[ItemT, Prompt]) -> dict[ItemT, str]:
        """Item -> reply of one model; errors as above."""
        return self.replies(what, prompts, [model])[model.label]

    def read(
        self,
        model: ModelEntry,
        what: str,
        prompts: Mapping[ItemT, Prompt],
        parse: Callable[[str], T | str],
        form: str,
    ) -> tuple[dict[ItemT, T], dict[ItemT, str]]:
        """What the replies of one model say, by item, and what is wrong with the form of the others.

        Args:
            model: who is asked.
            what: it is asked for.
            prompts: by item.
            parse: reads a reply; gives a text where something is wrong with its form.
            form: the word for what is read, under which such texts are counted.
        """
        found = {item: parse(reply) for item, reply in self.replies_of(model, what, prompts).items()}
        wrong = {item: each for item, each in found.items() if isinstance(each, str)}
        self.malformed.update(f"{form}: {each}" for each in wrong.values())
        return {item: each for item, each in found.items() if not isinstance(each, str)}, wrong


@dataclass(frozen=True, kw_only=True)
class WritingReport:
    """What became of a task.

    Attributes:
        folder: where it is.
        repeated: questions left out because another about the same has the same words.
        failed: requests with an error.
        notes: remarks for the user.
    """

    folder: Path
    repeated: int
    failed: int
    notes: tuple[str, ...]


@contextmanager
def started(task: WritingTask, out: Path, how: Asking) -> Iterator[Rounds]:
    """The rounds of a task in its folder, which nobody else can write to meanwhile.

    Raises:
        InputError: a model or the folder is wrong, or the folder is of another task.
    """
    check_models(task.models, here=False)  # with all answers there, what they need may be gone
    check_result_folder(out, task.folder_kind.record, "earlier questions")
    record = task.record()  # an error about the source comes before anything is written
    with exclusive(out):
        task.folder_kind.write(out, record)
        for note in task.notes:
            how.tell(note)
        yield Rounds(out, task.generation, how)


def planned_rounds(task: WritingTask, out: Path) -> list[dict[str, Any]]:
    """What a task would ask and cost, at most, without asking: a row for each round and model.

    Returns:
        ``round``, ``model``, ``prompts`` (at most), ``answered`` (replies of this model that ``out`` has, of
        all rounds), ``prompt tokens`` (estimated), ``longest prompt``, ``answer tokens`` (at most) and
        ``cost`` (US dollars at most; None without a price).

    Raises:
        InputError: a model or an argument is unknown, or a table does not fit its format.
    """
    check_models(task.models, here=False)
    return [_row(each, task.max_tokens, _replies_of(out, each.model)) for each in task.planned()]


def _row(planned: PlannedRound, max_tokens: int, replies: Path) -> dict[str, Any]:
    tokens = [estimate_tokens(text_of(prompt)) for prompt in planned.prompts]
    prompts, price = planned.times * len(tokens), planned.model.price
    whole, answers = planned.times * sum(tokens), prompts * max_tokens
    return {
        "round": planned.name,
        "model": planned.model.label,
        "answered": len(predictions_in(replies)) if replies.exists() else 0,
        "prompts": prompts,
        "prompt tokens": whole,
        "longest prompt": max(tokens, default=0),
        "answer tokens": answers,
        "cost": None if price is None else price.of_prompts(whole) + price.of_answers(answers),
    }


def _replies_of(out: Path, model: ModelEntry) -> Path:
    """Where a model's replies are, in all its roles."""
    return out / "asked" / folder_name(model.label)


def same_question(text: str) -> str:
    """What equal questions share: their words, without case and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def without_repeated(questions: Iterable[T], words: Callable[[T], tuple[str, str]]) -> list[T]:
    """The questions; of those about one source in the same words the first.

    Args:
        questions: all.
        words: gives the source of a question and its text.
    """
    found: dict[tuple[str, str], T] = {}
    for each in questions:
        source, text = words(each)
        found.setdefault((source, same_question(text)), each)
    return list(found.values())


def question_id(source: str, kind: str, question: str) -> str:
    """A question's id: equal for equal words about the same source."""
    digest = hashlib.sha256(json.dumps([source, kind, same_question(question)]).encode()).hexdigest()
    return f"{slug(source)}-{kind}-{digest[:16]}"
