"""What all question writing shares: a task and its record, rounds of prompts to models, and what they cost.

A round asks models a prompt for each of some items, and stores the replies, which make the prompts of the
next round. Nothing is asked twice: the same command on the same folder goes on. A plan takes the same rounds
on made-up replies.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import jinja2
import yaml

from ..core.atomic_files import check_result_folder, read_error, write_atomically
from ..core.errors import InputError, RunError, nearest
from ..core.texts import estimate_tokens
from ..core.versions import versions
from ..leaderboard.text import slug
from ..prompts import Message, text_of
from ..prompts.message import spoilt
from ..recipes import request_key
from ..running import check_models, exclusive
from ..running.progress import Progress
from ..running.prompt_lists import PromptList, ask_prompts, predictions_in
from ..running.store.manifest import model_record
from ..running.store.shards import folder_name

if TYPE_CHECKING:
    from ..prompts import Prompt
    from ..recipes import ModelEntry
    from .annotation.task import AnnotationTask
    from .document_questions.task import SynthesisTask

    WritingTask: TypeAlias = AnnotationTask | SynthesisTask

T = TypeVar("T")
ItemT = TypeVar("ItemT", bound=Hashable)

PROMPTS_VERSION = 1
"""Counts changes of the prompts' words, since other words get other questions and answers."""

_FORMAT = 1
_FOLDER = Path(__file__).parent / "prompt_files"


def prompt(name: str, **values: object) -> Prompt:
    """The two messages of a template in ``prompt_files/``, without marks for pictures.

    The words are our own, and ask for what the prompts of RealHiTBench (appendix B.3; the judge: Table 19)
    and TableQuest (appendices A, B and F; the filter: section 2.1) ask for.
    """
    system, user = _template(name)
    return spoilt((Message("system", system), Message("user", user.render(values))))


@cache
def _template(name: str) -> tuple[str, jinja2.Template]:
    """What the system says, and the template of what the user says."""
    system, _, user = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").partition("\n---\n")
    # prompts are plain text: there is nothing to escape
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)  # noqa: S701
    return system, environment.from_string(user)


@cache
def prompt_values(name: str) -> Any:
    """What a YAML file in ``prompt_files/`` holds: what models are told of each level or type."""
    return yaml.safe_load((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))


@dataclass
class Rounds:
    """Asks round by round, and counts what does not become a question.

    Attributes:
        out: the folder; replies are in ``asked/<model>/``.
        max_tokens: of a reply.
        executor: ``local`` or ``ray``.
        retry_failed: ask again what has an error from an earlier attempt.
        progress: shows how far the models are, round by round.
        tell: shows remarks and the rounds.
        failed: requests with an error, of all rounds.
        malformed: what is wrong with the form of replies -> how many.
        repeated: questions left out because another about the same has the same words.
        remarks: for the user.
    """

    out: Path
    max_tokens: int = 4096
    executor: str = "local"
    retry_failed: bool = False
    progress: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(Progress())
    tell: Callable[[str], object] = lambda line: None
    failed: int = 0
    malformed: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    remarks: set[str] = field(default_factory=set)

    @property
    def generation(self) -> dict[str, Any]:
        """The generation parameters of all prompts; greedy, so that there is no seed."""
        return {"max_tokens": self.max_tokens, "temperature": 0.0, "until": []}

    def replies(
        self,
        what: str,
        models: Sequence[ModelEntry],
        prompts: Mapping[ItemT, Prompt],
        expected: Callable[[ItemT, str], str],
    ) -> dict[str, dict[ItemT, str]]:
        """Label -> item -> reply, without the items whose request failed; nobody is asked nothing.

        Args:
            what: models are asked for.
            models: who is asked.
            prompts: by item.
            expected: from an item and a model's label, a reply as long as may be expected, for a plan.

        Raises:
            RunError: another model of this name was asked before, or a file cannot be read or written.
            ModelError: a model cannot be loaded.
            Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
        """
        if not prompts:
            return {model.label: {} for model in models}
        keys = {item: request_key(prompt, self.generation) for item, prompt in prompts.items()}
        wanted = {keys[item]: prompt for item, prompt in prompts.items()}
        lists = [PromptList(model, wanted, _replies_of(self.out, model), "model") for model in models]
        self.tell(f"Asking for {what}: {', '.join(model.label for model in models)}")
        with self.progress() as shown:
            failed = ask_prompts(
                lists,
                self.generation,
                kept=self.out,
                executor=self.executor,
                progress=shown,
                retry_failed=self.retry_failed,
            )
        self.failed += sum(map(len, failed.values()))
        given = {asked.model.label: predictions_in(asked.folder) for asked in lists}
        return {
            label: {item: replies[key] for item, key in keys.items() if key in replies}
            for label, replies in given.items()
        }

    def read(
        self,
        what: str,
        model: ModelEntry,
        prompts: Mapping[ItemT, Prompt],
        expected: Callable[[ItemT, str], str],
        parse: Callable[[str], T | str],
    ) -> tuple[dict[ItemT, T], dict[ItemT, str]]:
        """What the replies of one model say, by item, and what is wrong with the form of the others.

        ``parse`` reads a reply, and gives a text where something is wrong with its form, which is counted.
        """
        replies = self.replies(what, [model], prompts, expected)[model.label]
        values, wrong = dict[ItemT, T](), dict[ItemT, str]()
        for item, reply in replies.items():
            value = parse(reply)
            if isinstance(value, str):
                wrong[item] = value
                self.malformed[f"{what.removesuffix('s')}: {value}"] += 1
            else:
                values[item] = value
        return values, wrong

    def without_repeated(self, questions: Sequence[T], words: Callable[[T], tuple[str, str]]) -> list[T]:
        """The questions; of those about one source in the same words the first.

        ``words`` gives the source of a question and its text.
        """
        different: dict[tuple[str, str], T] = {}
        for question in questions:
            source, text = words(question)
            different.setdefault((source, same_question(text)), question)
        self.repeated += len(questions) - len(different)
        return list(different.values())


@dataclass
class PlannedRounds(Rounds):
    """The same rounds without a model: replies are as expected, and the tokens of prompts are counted.

    Attributes:
        tokens: round and model's label -> of each prompt.
    """

    tokens: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def replies(
        self,
        what: str,
        models: Sequence[ModelEntry],
        prompts: Mapping[ItemT, Prompt],
        expected: Callable[[ItemT, str], str],
    ) -> dict[str, dict[ItemT, str]]:
        """Label -> item -> the expected reply."""
        counts = [estimate_tokens(text_of(prompt)) for prompt in prompts.values()]
        for model in models:
            self.tokens.setdefault((what, model.label), []).extend(counts)
        return {model.label: {item: expected(item, model.label) for item in prompts} for model in models}


def model_called(
    available: Sequence[ModelEntry], label: str | None, option: str, default: int = 0
) -> ModelEntry:
    """The model of a label; without one that at the index ``default``.

    Raises:
        InputError: there is none; the option is named.
    """
    if not available:
        raise InputError("no model: name one by --model (as in lm-eval) or a file of them by --models")
    known = {model.label: model for model in available}
    if label is None:
        return available[default]
    if label not in known:
        raise InputError(f"{option}: no model is called {label!r}; {nearest(label, known)}")
    return known[label]


def _models(task: WritingTask) -> list[ModelEntry]:
    return list({model.label: model for who in task.roles.values() for model in who}.values())


def record_of(task: WritingTask, rounds: Rounds) -> dict[str, Any]:
    """What the record of a task says; a role in the plural has a list of models, another one."""
    return {
        "format": _FORMAT,
        "versions": dict(versions()),
        "prompts": PROMPTS_VERSION,
        **task.settings(),
        "generation": rounds.generation,
        **{
            role: [model.label for model in who] if role.endswith("s") else who[0].label
            for role, who in task.roles.items()
        },
        "models": [model_record(model, folder_name(model.label)) for model in _models(task)],
    }


@contextmanager
def started(task: WritingTask, rounds: Rounds) -> Iterator[None]:
    """Within a task's folder, which nobody else can write to meanwhile, and which has the record.

    Raises:
        InputError: a model or the folder is wrong, or the folder is of another task.
    """
    check_models(_models(task), here=False)  # with all answers there, what they need may be gone
    check_result_folder(rounds.out, task.record_name, "earlier questions")
    # errors about the source come before anything is written
    record, _ = record_of(task, rounds), task.about
    with exclusive(rounds.out):
        write_record(task, rounds.out, record)
        for note in task.notes:
            rounds.tell(note)
        yield


def planned_rounds(task: WritingTask, out: Path, max_tokens: int = 4096) -> list[dict[str, Any]]:
    """What a task would ask and cost, at most, without asking: a row for each round and model.

    Returns:
        ``round``, ``model``, ``prompts`` (at most), ``answered`` (replies of this model that ``out`` has, of
        all rounds), ``prompt tokens`` (estimated), ``longest prompt``, ``answer tokens`` (at most) and
        ``cost`` (US dollars at most; None without a price).

    Raises:
        InputError: a model or an argument is unknown, or a table does not fit its format.
    """
    check_models(_models(task), here=False)
    rounds = PlannedRounds(out, max_tokens)
    task.ask(rounds)
    models = {model.label: model for model in _models(task)}
    rows = []
    for (what, label), tokens in rounds.tokens.items():
        replies, price = _replies_of(out, models[label]), models[label].price
        answers = len(tokens) * max_tokens
        rows.append(
            {
                "round": what,
                "model": label,
                "answered": len(predictions_in(replies)) if replies.exists() else 0,
                "prompts": len(tokens),
                "prompt tokens": sum(tokens),
                "longest prompt": max(tokens, default=0),
                "answer tokens": answers,
                "cost": None if price is None else price.of_prompts(sum(tokens)) + price.of_answers(answers),
            }
        )
    return rows


def _replies_of(out: Path, model: ModelEntry) -> Path:
    """Where a model's replies are, in all its roles."""
    return out / "asked" / folder_name(model.label)


def write_record(task: WritingTask, folder: Path, record: Mapping[str, Any]) -> None:
    """Write the record of a task.

    Raises:
        RunError: it cannot be written, or what is there was made otherwise.
    """
    path = folder / task.record_name
    before = read_record(task, folder) if path.exists() else record
    for name in task.fixed:
        if before.get(name) != record[name]:
            version = "version " if name == "prompts" else ""
            raise RunError(
                f"{path}: {name}: found {version}{before.get(name)!r}, now {record[name]!r}; choose another "
                "--out, so that questions of both kinds do not mix"
            )
    text = yaml.safe_dump(dict(record), sort_keys=False, allow_unicode=True)
    write_atomically(path, text.encode("utf-8", "replace"))


def read_record(task: WritingTask | type[WritingTask], folder: Path) -> Mapping[str, Any]:
    """What the record of a task says.

    Raises:
        RunError: there is none, it cannot be read, or another version wrote it.
    """
    path = folder / task.record_name
    if not path.exists():
        raise RunError(f"{folder}: no {task.record_name}; expected a folder that {task.command!r} wrote")
    record = _parsed(path, "YAML", yaml.safe_load, task.command)
    if not isinstance(record, dict) or record.get("format") != _FORMAT or "prompts" not in record:
        raise RunError(f"{path}: is no record of format {_FORMAT}; expected what {task.command!r} wrote")
    return record


def read_lines(path: Path, command: str) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines that a command wrote.

    Raises:
        RunError: there is none, or it cannot be read.
    """
    if not path.exists():
        raise RunError(f"{path}: is not there; the same {command!r} writes it when it ends")
    rows: list[dict[str, Any]] = _parsed(
        path, "JSON lines", lambda text: [json.loads(line) for line in text.split("\n") if line], command
    )
    return rows


def _parsed(path: Path, form: str, parse: Callable[[str], Any], command: str) -> Any:
    try:
        return parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise read_error(path, error) from error
    except (yaml.YAMLError, ValueError, InputError):
        raise RunError(f"{path}: is not {form}; expected what {command!r} wrote") from None


def as_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """JSON lines."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode("utf-8", "replace")


def same_question(text: str) -> str:
    """What equal questions share: their words, without case and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def question_id(source: str, kind: str, question: str) -> str:
    """A question's id: equal for equal words about the same source."""
    digest = hashlib.sha256(json.dumps([source, kind, same_question(question)]).encode()).hexdigest()
    return f"{slug(source)}-{kind}-{digest[:16]}"
