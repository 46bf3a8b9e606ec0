"""A log of inspect_ai, ``.eval`` or ``.json``: its header, and its samples one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ...core.redaction import without_secrets
from ...core.validation import validate
from ...recipes import ModelEntry
from .eval_archive import opened_archive
from .files import HarnessModel, Repeat, Text, at, number
from .json_stream import members_of
from .log import model_entry
from .names import digest, plain_name

SUCCESS, STARTED = "success", "started"

_HEADER, _SUMMARIES, _JOURNAL = "header.json", "summaries.json", "_journal/"
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_ERRORS = ("stderr", "bootstrap_stderr")
_MEANS = ("accuracy", "mean")
MOST_EPOCHS = 10_000
_GIST = 200  # characters; summaries shorten texts to some 1000, and blanks in them to one


# -- the header ------------------------------------------------------------------------------------------


class _Scorer(HarnessModel):
    name: Text
    metrics: Any = None

    def scores(self) -> list[str]:
        """Its scores: by key, where its metrics are an object."""
        if not isinstance(self.metrics, dict):
            return [self.name]
        return [f"{self.name}.{key}" for key in self.metrics if "*" not in key]


class _Value(HarnessModel):
    value: Any = None


class ReportedScore(HarnessModel):
    """A score of the whole log, with inspect's metrics of it."""

    name: Text
    scorer: Text
    reducer: Text | None = None
    scored_samples: int | None = None
    metrics: dict[str, _Value] = at("metrics", default={})

    @property
    def score(self) -> str:
        """What samples' scores are called."""
        return self.name if self.name == self.scorer else f"{self.scorer}.{self.name}"

    @property
    def mean(self) -> float | None:
        """The mean over samples; None where inspect computed another metric."""
        return next((number(self.metrics[name].value) for name in _MEANS if name in self.metrics), None)

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        return next((number(self.metrics[name].value) for name in _ERRORS if name in self.metrics), None)


class _Headline(HarnessModel):
    scorer: Text
    score: Text


class _Results(HarnessModel):
    total_samples: int = 0
    completed_samples: int = 0
    scores: list[ReportedScore] = at("scores", default=[])
    headline: _Headline | None = None


class EvalHead(HarnessModel):
    """What a log says of its run, without the samples."""

    status: Text = STARTED
    task: Text = at("eval", "task")
    version: Any = at("eval", "task_version", default=None)
    created: Text = at("eval", "created", default="")
    model: Text = at("eval", "model")
    arguments: dict[str, Any] | None = at("eval", "task_args_passed", default=None)
    model_args: dict[str, Any] | None = at("eval", "model_args", default=None)
    generation: dict[str, Any] | None = at("eval", "model_generate_config", default=None)
    sample_ids: list[int | str] | None = at("eval", "dataset", "sample_ids", default=None)
    epochs: int | None = at("eval", "config", "epochs", default=None, ge=1, le=MOST_EPOCHS)
    scorers: list[_Scorer] | None = at("eval", "scorers", default=None)
    packages: dict[str, Any] = at("eval", "packages", default={})
    results: _Results | None = None

    def entry(self, label: str) -> ModelEntry:
        """The model, under a label that tells it from the same one with other parameters."""
        args = {"model": self.model, **self.parameters}
        return model_entry("eval.model", model="inspect", args=args, name=label, chat=True)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the model was loaded and asked with, without keys; of a ``hf/local`` its folder."""
        given = without_secrets((self.model_args or {}) | (self.generation or {}))
        return {name: given[name] for name in sorted(given)}

    @property
    def config(self) -> str:
        """The arguments that the task was given; empty if none."""
        given = self.arguments or {}
        return plain_name(",".join(f"{name}={given[name]}" for name in sorted(given))) if given else ""

    @property
    def ours(self) -> bool:
        """Whether torr export wrote the log."""
        return "torr-plugin" in self.packages

    @property
    def expected(self) -> int:
        """How many samples there are to be, in all epochs; 0 where it is not known."""
        if self.results is not None and self.results.total_samples:
            return self.results.total_samples
        return len(self.sample_ids or ()) * (self.epochs or 1)

    def score_names(self) -> list[str]:
        """The scores that samples are to have, the main one first."""
        reported = self.results.scores if self.results is not None else []
        names = [each.score for each in reported]
        names += [name for each in self.scorers or () for name in each.scores() if not names]
        if self.results is not None and (headline := self.results.headline) is not None:
            names = [each.score for each in reported if each.name == headline.score] + names
        return list(dict.fromkeys(names))


# -- samples ---------------------------------------------------------------------------------------------


class SampleSummary(HarnessModel):
    """A sample, whole or as its summary has it."""

    id: int | str
    epoch: Repeat = 1
    input: Any = None
    target: Any = None
    scores: dict[str, _Value] | None = None
    score: _Value | None = None  # of the first releases, which had one scorer
    error: Any = None
    metadata: dict[str, Any] | None = None

    def numbers(self) -> dict[str, float | None]:
        """The scores by name, of an object by scorer and key; None for what is no number."""
        found = dict[str, float | None]()
        given = self.scores or ({"score": self.score} if self.score is not None else {})
        for name, score in given.items():
            if isinstance(score.value, dict):
                found |= {f"{name}.{key}": score_number(value) for key, value in score.value.items()}
            else:
                found[name] = score_number(score.value)
        return found

    def place(self, config: str, *, ours: bool) -> tuple[int | str, str, str]:
        """Item, configuration and cluster; a log of ours has a sample an example and configuration."""
        known = self.metadata or {}
        if ours and {"example", "config"} <= known.keys():
            return str(known["example"]), str(known["config"]), str(known.get("table", ""))
        return self.id, config, ""

    def same(self) -> str:
        """A digest of the beginnings of the question and the target, which summaries keep."""
        return digest(_gist(self.input), _gist(self.target))


def score_number(value: object) -> float | None:
    """A score as inspect's own metrics read it; None for NaN (unscored) and for what is none."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        if value in _LETTERS:
            return _LETTERS[value]
        try:
            return number(_WORDS[value.lower()] if value.lower() in _WORDS else float(value))
        except ValueError:
            return None
    return number(value)


def _gist(value: object) -> str:
    if isinstance(value, list):
        value = " ".join(map(text_of, value))
    return " ".join(str(value)[: 8 * _GIST].split())[:_GIST]


def text_of(message: object) -> str:
    """The text of a message, or of a part of one; empty where it has none."""
    if isinstance(message, str):
        return message
    content = message.get("content", message.get("text", "")) if isinstance(message, Mapping) else ""
    return "\n".join(filter(None, map(text_of, content))) if isinstance(content, list) else str(content or "")


# -- a file ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EvalFile:
    """A log.

    Attributes:
        path: its file.
        head: what it says of its run.
    """

    path: Path
    head: EvalHead

    @classmethod
    def read(cls, path: Path) -> EvalFile:
        """Read the header.

        Raises:
            InputError: this is no log of inspect_ai, or damaged.
        """
        if path.suffix == ".eval":
            with opened_archive(path) as archive:
                name = _HEADER if _HEADER in archive.names else f"{_JOURNAL}start.json"
                if name not in archive.names:
                    raise InputError(
                        f"{path}: has neither {_HEADER} nor {name}; expected a log of inspect_ai"
                    )
                found = archive.value(name)
        else:
            found = _json_head(path)
        return cls(path, validate(EvalHead, found, str(path)))

    def summaries(self) -> Iterator[SampleSummary]:
        """The samples; of one that was asked again in a run, the last counts.

        Raises:
            InputError: the log is unfinished and ``.json``, or damaged, or a sample has not its fields.
        """
        if self.path.suffix != ".eval":
            self.check_finished()
        for at_, value in enumerate(self._values()):
            yield validate(SampleSummary, value, f"{self.path}: sample {at_}")

    def check_finished(self) -> None:
        """Refuse a log that is still written, or whose run was killed.

        Raises:
            InputError: it is one.
        """
        if self.head.status == STARTED:
            raise InputError(
                f"{self.path}: unfinished log: found status {STARTED!r}; expected a finished one: "
                "retry it with inspect eval-retry, or leave it out"
            )

    def _values(self) -> Iterator[Any]:
        if self.path.suffix != ".eval":
            yield from (value for key, value in members_of(self.path, "samples") if key == "samples")
            return
        with opened_archive(self.path) as archive:
            if _SUMMARIES in archive.names:
                yield from (value for _, value in archive.members(_SUMMARIES))
            else:  # of a killed run
                yield from archive.pieces(f"{_JOURNAL}summaries/")


def _json_head(path: Path) -> dict[str, Any]:
    found = dict[str, Any]()
    for key, value in members_of(path, "samples"):
        if key is not None and key != "samples":
            found[key] = value
        elif {"status", "eval", "results"} <= found.keys():
            break
    return found
