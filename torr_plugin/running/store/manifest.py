"""``study.yaml``, the manifest of a run: what it is of, which models were asked, and with what."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import yaml
from pydantic import BaseModel, Field, ValidationError, model_validator

from ...core.atomic_files import read_error, read_text, write_atomically
from ...core.errors import RunError, elided
from ...core.redaction import NOT_RECORDED, without_secrets
from ...core.texts import ThinkingMarks
from ...core.validation import faults, listed
from ...core.versions import ENGINES, changed, installed_version, versions
from ...core.yaml_files import read_yaml
from ...recipes.model_entries import DESCRIBING, Price, without_room
from ..answer import ANSWERED_BY, SENT, SERVED
from ..model_classes import SERVER_ARGUMENTS, asks_a_server, recorded_chat
from .shards import folder_name, has_answers

if TYPE_CHECKING:
    from ...recipes import ModelEntry, Plan

STUDY_FILE = "study.yaml"
FORMAT = 1
MOST_BYTES = 16 << 20
_DESCRIBING = ("description", "licence", "skills", "keeps_labels")
# arguments that change no answer: how long one waits for it, how many are asked at once
_NOT_DECISIVE = frozenset(
    {
        *("think_end_token", "max_gen_toks", "batch_size", "max_batch_size"),
        *SERVER_ARGUMENTS,
    }
)

# what of study.yaml a resumed run keeps
_KEPT = ("created", "versions", "resumed", "reused", "models", "written")


class _AnsweredBy(BaseModel, strict=True):
    """What answered: versions of packages by their names, or what a server's replies name."""

    models: list[str] = []


class _RecordedModel(BaseModel, strict=True):
    label: str
    folder: str
    model: str
    args: dict[Any, Any]
    chat: Any
    generation: dict[str, Any] = {}
    think_start: str | None = None
    think_end: str | None = None
    price: Price | None = None
    answered_by: _AnsweredBy | None = None

    @model_validator(mode="after")
    def _below_predictions(self) -> _RecordedModel:
        if folder_name(self.label) != self.folder and not re.fullmatch("[a-z0-9-]+", self.folder):
            raise ValueError(f"found the folder {self.folder!r}; expected a plain name")
        return self


class _Attempt(BaseModel, strict=True):
    versions: dict[str, str | None]


class _Study(BaseModel, strict=True):
    """The keys of study.yaml that are read here; a run may be somebody else's."""

    versions: dict[str, str | None] = {}
    resumed: list[_Attempt] = []
    reused: list[dict[str, Any]] = []
    imported: dict[str, Any] = {}
    recipe: dict[str, Any] = {}
    datasets: dict[str, dict[str, Any]] = {}
    configurations: list[Any] = []
    design_bases: dict[str, str] = {}
    generation: dict[str, Any] = {}
    written: dict[str, Annotated[int, Field(ge=0, le=10**15)]] = {}
    models: list[_RecordedModel] = []


def read_study(directory: Path) -> dict[str, Any]:
    """The contents of a run's study.yaml.

    Raises:
        RunError: there is none, it is not ours, or a newer version wrote it.
    """
    path = directory / STUDY_FILE
    if not os.path.isfile(path):
        raise RunError(
            f"{directory}: is not a run (it has no {STUDY_FILE}); expected a directory that 'torr run' wrote"
        )
    study = read_record(path)
    if not isinstance(study, dict) or not isinstance(study.get("format"), int):
        raise RunError(f"{path}: has no number 'format'; expected a file that 'torr run' wrote")
    if study["format"] > FORMAT:
        raise RunError(
            f"{path}: format {study['format']} is newer than this version reads ({FORMAT}); update it"
        )
    try:
        _Study.model_validate(study)
    except ValidationError as error:
        raise RunError(f"{path}: {listed(faults(error, _Study, study))}") from error
    return {"models": [], **study}


def read_record(path: Path) -> Any:
    """The contents of a YAML file that a command wrote.

    Raises:
        RunError: it cannot be read, or is not YAML.
    """
    text = read_text(path, MOST_BYTES, lambda what: RunError(f"{path}: {what}"))
    try:
        return read_yaml(text)
    except ValueError as error:
        raise RunError(f"{path}: {error}") from error


def recorded_study(directory: Path) -> dict[str, Any]:
    """:func:`read_study` of a run; empty where there is none yet."""
    return read_study(directory) if (directory / STUDY_FILE).exists() else {}


def write_study(directory: Path, study: Mapping[str, Any]) -> None:
    """Write study.yaml atomically.

    Raises:
        RunError: it cannot be written.
    """
    # libyaml where it is there: ten times as quick, and what it writes is always read back as it was
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text = yaml.dump(plain(study), Dumper=dumper, sort_keys=False, allow_unicode=True, width=110)
    write_atomically(directory / STUDY_FILE, text.encode("utf-8"))


def plain(value: Any) -> Any:
    """Reduce a value to what YAML gives back: mappings, sequences, scalars; lone surrogates replaced."""
    if isinstance(value, Mapping):
        return {plain(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def study_of(
    path: Path, there: Mapping[str, Any], plan: Plan, models: Sequence[ModelEntry]
) -> dict[str, Any]:
    """The study.yaml of a plan's run in ``path``, new or resumed, with these models; writes nothing.

    Args:
        path: the run's directory.
        there: its :func:`recorded_study`.
        plan: what is asked.
        models: those that are asked.

    Raises:
        RunError: ``path`` holds something else, or another study's run; or a label stands for another model
            than before.
    """
    now = new_study(plan.record(), plan.fingerprint)
    if there:
        _refuse_another_study(path, plan, there, now)
        now |= {name: there[name] for name in _KEPT if name in there}
    else:
        _refuse_other_contents(path)
    return with_models(now, models, path)


def _refuse_another_study(path: Path, plan: Plan, there: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    if there.get("fingerprint") != plan.fingerprint:
        where = difference(decisive(there), decisive(now))
        where = where or f"fingerprint: {there.get('fingerprint')} there, {plan.fingerprint} here"
        raise RunError(
            f"{path}: holds the run of another study ({where}); ask as before, or choose another "
            f"--out, with --reuse {path} for its answers"
        )
    if there.get("seed") != now.get("seed"):
        raise RunError(
            f"{path / STUDY_FILE}: seed: found {there.get('seed')!r}; expected {now.get('seed')!r}, "
            "with which the requests of this run were made"
        )


def _refuse_other_contents(path: Path) -> None:
    try:
        names = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
    except FileNotFoundError:
        return
    except OSError as error:
        raise read_error(path, error) from error
    if names:
        raise RunError(
            f"{path}: is not empty and not a run (it holds {names[0]!r}); choose another --out, or empty it"
        )


def new_study(record: Mapping[str, Any], fingerprint: str) -> dict[str, Any]:
    """The study.yaml of a new run."""
    recorded = plain(record)
    for name in {"recipe", "generation"} & recorded.keys():
        recorded[name] = without_secrets(recorded[name])
    ours = {
        "format": FORMAT,
        "fingerprint": fingerprint,
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "versions": dict(versions()),
    }
    return {**ours, **{name: recorded[name] for name in recorded if name not in ours}, "models": []}


def decisive(study: Mapping[str, Any]) -> dict[str, Any]:
    """The fields in which studies differ, the most telling first."""
    recipe = study.get("recipe") or {}
    return {
        "seed": study.get("seed"),
        **{name: recipe.get(name) for name in ("demonstrations", "generation") if name in recipe},
        # their order makes no other study
        "configurations": sorted(map(str, study.get("configurations") or ())),
        "datasets": {
            name: {field: value for field, value in facts.items() if field not in _DESCRIBING}
            for name, facts in (study.get("datasets") or {}).items()
        },
    }


def difference(there: Any, here: Any, where: str = "") -> str | None:
    """The first field in which two records differ, as ``field: 7 there, 8 here``; None if equal."""
    if there == here:
        return None
    if isinstance(there, dict) and isinstance(here, dict):
        name = next(name for name in {**there, **here} if there.get(name) != here.get(name))
        return difference(there.get(name), here.get(name), f"{where}.{name}" if where else str(name))
    return f"{where}: {_shortened(there)} there, {_shortened(here)} here"


def _shortened(value: Any) -> str:
    return "nothing" if value is None else elided(repr(value), 80)


def model_record(entry: ModelEntry, folder: str) -> dict[str, Any]:
    """How study.yaml names a model; keys and passwords are left out."""
    return {
        "label": entry.label,
        "folder": folder,
        "model": entry.model,
        "args": plain(without_secrets(entry.args)),
        "chat": recorded_chat(entry.model, entry.chat),
        **entry.description,
        **({"generation": without_secrets(entry.generation.given)} if entry.generation.given else {}),
        **({"think_start": entry.marks.start} if entry.marks.start else {}),
        **({"think_end": entry.marks.end} if entry.marks.end else {}),
    }


def with_models(study: Mapping[str, Any], entries: Sequence[ModelEntry], directory: Path) -> dict[str, Any]:
    """Add models to a study where it does not have them yet.

    A model that could not be loaded, or answered nothing, may come back with other arguments.

    Raises:
        RunError: a label is another model's in this run.
    """
    models = {str(model["label"]): model for model in study["models"]}
    for entry in entries:
        label = plain(entry.label)
        known = models.get(label)
        folder = (
            known["folder"] if known else folder_name(label, [each["folder"] for each in models.values()])
        )
        record = model_record(entry, folder)
        if known:
            differs = model_difference(known, record)
            if differs and has_answers(directory / "predictions" / folder):
                raise RunError(
                    f"{directory}: model {label!r} was asked otherwise before ({differs}); give it another "
                    "name (models: - name: ...), or choose another --out"
                )
            record |= {name: known[name] for name in (ANSWERED_BY, SENT) if name in known}
        models[label] = record
    return {**study, "models": list(models.values())}


def model_difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """In what two records of study.yaml are not the same model asked in the same way; None if they are.

    Secrets do not matter, nor do the marks of thoughts, by which stored answers are read anew, nor how long
    an answer may be, as what was cut is asked again, nor how many prompts are asked at once.
    """
    return difference(_identity(one), _identity(other))


def _identity(model: Mapping[str, Any]) -> dict[str, Any]:
    args = without_secrets(plain(model["args"]))
    generation = without_secrets(without_room(model.get("generation") or {}))
    return {
        "model": model["model"],
        "args": {
            name: value for name, value in args.items() if value != NOT_RECORDED and name not in _NOT_DECISIVE
        },
        "chat": model["chat"],
        "generation": {name: value for name, value in generation.items() if name != "max_tokens"},
    }


def marks_of(model: Mapping[str, Any]) -> ThinkingMarks:
    """The marks of a model's thoughts in its record."""
    return ThinkingMarks(model.get("think_start"), model.get("think_end"))


def design_bases(study: Mapping[str, Any]) -> dict[str, str]:
    """Design -> the design that it is compared with, as a study states it; empty where it does not."""
    return dict(study.get("design_bases") or {})


def model_descriptions(study: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What a run's study.yaml says of its models: label -> any of its descriptive fields."""
    described = {
        str(model["label"]): {name: model[name] for name in DESCRIBING if name in model}
        for model in study.get("models") or ()
    }
    return {label: found for label, found in described.items() if found}


def with_attempt(study: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Record under ``resumed`` which versions changed here since the last attempt; give them in words."""
    now, last = versions(), dict[str, str | None](study.get("versions") or {})
    for attempt in study.get("resumed") or ():
        last.update(attempt["versions"])
    # an earlier version of this package recorded others, too
    others = {name: installed_version(name) for name in last.keys() - now.keys()}
    now = {**now, **{name: number for name, number in others.items() if number}}
    differ = changed(last, now)
    if differ is None:
        return dict(study), None
    other = {name: now.get(name) for name, version in last.items() if version != now.get(name)}
    attempt = {"at": datetime.now(timezone.utc).isoformat(timespec="seconds"), "versions": other}
    return {**study, "resumed": [*(study.get("resumed") or ()), attempt]}, differ


def served_by(model: Mapping[str, Any]) -> list[str]:
    """The models that a server's replies named, as its record has them; empty where it has none."""
    return list((model.get(ANSWERED_BY) or {}).get(SERVED, ()))


def other_engine(model: Mapping[str, Any], now: Mapping[str, str]) -> str | None:
    """In which packages that answer a model's former answers differ from ``now``; None if in none.

    A server's answers do not depend on what is installed here.
    """
    answered_by = model.get(ANSWERED_BY)
    if answered_by is None or asks_a_server(model["model"]):
        return None
    return changed(answered_by, now, ENGINES)
