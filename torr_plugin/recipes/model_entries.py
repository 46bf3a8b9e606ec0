"""The models of a recipe: class and arguments as in lm-eval, generation parameters, prices; pools."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    Strict,
    field_validator,
    model_serializer,
    model_validator,
)

from ..catalog.schema import short_for
from ..core.errors import RecipeError, nearest
from ..core.redaction import masked
from ..core.texts import NO_MARKS, ThinkingMarks, names_in
from ..core.validation import validate
from ..core.yaml_files import YamlFile, read_yaml_file


class ConfigSection(BaseModel):
    """Base model of a mapping in a YAML file: frozen, unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, protected_namespaces=()
    )


def _some(value: object) -> object:
    # checked before the items: pydantic's own minimum counts valid items only and hides their errors
    if isinstance(value, list | tuple) and not value:
        raise RecipeError("the list is empty, so nothing would run; expected at least one entry")
    return value


Text = Annotated[str, Strict(), Field(min_length=1)]
AnyText = Annotated[str, Strict()]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict(), Field(ge=0)]
Positive = Annotated[int, Strict(), Field(ge=1)]
Share = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
SOME = BeforeValidator(_some)
"""Marks a list that must not be empty."""


LISTED = BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
"""Marks a list that may be written as a single name."""
Names = Annotated[tuple[Text, ...], SOME, LISTED]


Temperature = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


class _Sampling(ConfigSection):
    """What most studies leave to the model."""

    top_p: Share | None = None
    """The share of probability that is sampled from."""

    top_k: Positive | None = None
    """How many of the likeliest tokens are sampled from."""

    seed: Whole | None = None
    """The seed of sampling, for servers and engines that have one."""

    reasoning_effort: Text | None = None
    """How long a model thinks, as its server or chat template calls it: ``low``, ``medium``, ``high``."""

    chat_template_kwargs: dict[str, JsonValue] | None = None
    """Arguments of the chat template, such as ``enable_thinking``."""

    extra_body: dict[str, JsonValue] | None = None
    """Further fields of the body that a server is sent."""

    @model_validator(mode="before")
    @classmethod
    def _stop(cls, value: object) -> object:
        """``stop``, as servers call it, is another name of ``until``."""
        if not isinstance(value, dict) or "stop" not in value:
            return value
        if "until" in value:
            raise RecipeError("found both 'stop' and 'until'; expected one of them")
        return {**{name: each for name, each in value.items() if name != "stop"}, "until": value["stop"]}


class Generation(_Sampling):
    """How models answer; part of every request's key, but for ``thinking_tokens``."""

    max_tokens: Positive = 100
    """The longest answer, in tokens of the model."""

    temperature: Temperature = 0.0
    """0 for the likeliest answer, higher for more randomness."""

    until: Annotated[tuple[Text, ...], LISTED] = ()
    """Stop texts (also ``stop``): an answer ends at the first of them."""

    thinking_tokens: Whole = 8192
    """Room for thoughts beside ``max_tokens``, in tokens, for models that are known to think."""

    @model_serializer(mode="wrap")
    def _without_unset(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        always = ("max_tokens", "temperature", "until")
        given = plain(self)
        return {
            name: value
            for name, value in given.items()
            if name in always or (name in self.model_fields_set and value is not None)
        }

    def in_keys(self) -> dict[str, Any]:
        """The parameters of every request's key, as plain data."""
        return without_room(self.model_dump(mode="json"))


def without_room(generation: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters without the room for thoughts, which only some models are given."""
    return {name: value for name, value in generation.items() if name != "thinking_tokens"}


class ModelGeneration(_Sampling):
    """One model's own parameters; what is null is not sent, and what is not there is the study's."""

    max_tokens: Positive | None = None
    """The longest answer, in tokens of the model."""

    temperature: Temperature | None = None
    """0 for the likeliest answer, higher for more randomness."""

    until: Annotated[tuple[Text, ...] | None, LISTED] = None
    """Stop texts (also ``stop``): an answer ends at the first of them."""

    thinking_tokens: Whole | None = None
    """Room for thoughts beside ``max_tokens``, in tokens; by default the study's, if it thinks."""

    @property
    def given(self) -> dict[str, Any]:
        """What is there, also if it is null, as plain data."""
        return self.model_dump(mode="json", exclude_unset=True)

    @property
    def left_out(self) -> frozenset[str]:
        """The parameters that are not to be sent."""
        return frozenset(name for name, value in self.given.items() if value is None)


TOKENS_A_PRICE = 1_000_000

Dollars = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


class Price(ConfigSection):
    """US dollars per million tokens."""

    prompt: Dollars
    """Of prompts."""

    completion: Dollars
    """Of answers."""

    cached: Dollars | None = None
    """Of prompt tokens found in a prefix cache; by default as ``prompt``."""

    cache_write: Dollars | None = None
    """Of prompt tokens put into a prefix cache; by default as ``prompt``."""

    def of_prompts(self, tokens: float, cached: float = 0, written: float = 0) -> float:
        """US dollars for prompts of ``tokens``, some of which came from a prefix cache or were put there."""
        read, write = (self.prompt if rate is None else rate for rate in (self.cached, self.cache_write))
        return ((tokens - cached - written) * self.prompt + cached * read + written * write) / TOKENS_A_PRICE

    def of_answers(self, tokens: float) -> float:
        """US dollars for answers of ``tokens``."""
        return tokens * self.completion / TOKENS_A_PRICE


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WORDS: dict[str, Any] = {"true": True, "false": False, "none": None}
_NAME = re.compile(r"([^=,]*)=\s*")
_QUOTED = re.compile(r"(['\"])(.*?)\1", re.DOTALL)
# texts, also in brackets
_MARKS = ("think_start", "think_end", "think_end_token")


def parse_model_args(text: str) -> dict[str, Any]:
    """Parse ``"pretrained=x,dtype=auto"`` into ``{"pretrained": "x", "dtype": "auto"}``; or a JSON object.

    Values are typed as in lm-eval: ``true``, ``false``, ``none``, whole and decimal numbers; a quoted value
    stays text. Unlike there, values in ``[]`` or ``{}`` are JSON, and a comma inside them or inside quotes
    does not end a value: ``stop=["a", "b"],x=1``. Only the first ``=`` of a part separates name and value.

    Raises:
        RecipeError: a part without a name or ``=``, a repeated name, an open quote, invalid JSON.
    """
    if text.lstrip().startswith("{"):
        whole, after = _json(text.strip(), "model args")
        if after:
            raise RecipeError(f"model args: found {masked(after)!r} after the JSON object; expected nothing")
        return dict(whole)
    parsed, rest = dict[str, Any](), text.lstrip(", ")
    while rest:
        found = _NAME.match(rest)
        name = found[1].strip() if found else ""
        if not found or not name:
            part = rest.partition(",")[0].strip()
            raise RecipeError(f"model args: found {masked(part)!r}; expected name=value, joined by commas")
        if name in parsed:
            raise RecipeError(f"model args: {name!r} is given twice")
        parsed[name], rest = _value(name, rest[found.end() :])
        rest = rest.lstrip(", ")
    return parsed


def _value(name: str, text: str) -> tuple[Any, str]:
    """The value that a text begins with, and what follows it."""
    if text[:1] in ("[", "{") and name not in _MARKS:
        value, after = _json(text, f"model args: {name}")
    elif quoted := _QUOTED.match(text):
        value, after = quoted[2], text[quoted.end() :]
    elif text[:1] in ("'", '"') and name not in _MARKS:
        raise RecipeError(f"model args: {name}: a quote is left open in {masked(f'{name}={text}')!r}")
    else:
        plain, _, after = text.partition(",")
        return _typed(plain.strip()), after
    if after.strip() and not after.lstrip().startswith(","):
        raise RecipeError(f"model args: {name}: found {masked(after)!r} after its value; expected a comma")
    return value, after


def _typed(value: str) -> Any:
    if value.lower() in _WORDS:
        return _WORDS[value.lower()]
    if _NUMBER.fullmatch(value):
        return int(value) if re.fullmatch(r"[+-]?\d+", value) else float(value)
    return value


def _json(text: str, where: str) -> tuple[Any, str]:
    """The JSON that a text begins with, and what follows it."""
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError) as error:
        raise RecipeError(f"{where}: found {masked(text)!r}; expected JSON ({error})") from error
    return value, text[end:]


@dataclass(frozen=True, slots=True)
class Trust:
    """What the command line allows a model; no file can say it.

    Attributes:
        typed: its arguments are the command line's own.
        hosts: where keys of the environment may go besides their vendors' hosts, as in an address.
        code: code that comes with the model may run.
    """

    typed: bool = False
    hosts: frozenset[str] = frozenset()
    code: bool = False

    @property
    def runs_code(self) -> bool:
        """Whether code that comes with the model may run."""
        return self.typed or self.code


_Amount = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
DESCRIBING = ("maker", "family", "size", "open", "licence", "context", "price", "link", "released")
"""The fields of a model that say what it is; they change nothing that it is asked."""


def _web_address(value: str) -> str:
    """An address that a page may link to."""
    if not re.fullmatch(r"https?://\S+", value):
        raise RecipeError(f"found {value!r}; expected an address that begins with https:// or http://")
    return value


def _written_day(value: object) -> object:
    """A day as text, where YAML read it as a date."""
    return value.isoformat() if isinstance(value, date) else value


class RayOptions(ConfigSection):
    """What a copy (replica) of a model needs on a Ray cluster, beside its GPUs."""

    cpus: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] | None = None
    """CPUs; by default one beside GPUs, else all of a node."""

    accelerator_type: Text | None = None
    """The kind of GPU, by Ray's name, e.g. ``H100``."""

    resources: dict[Text, _Amount] = Field(default_factory=dict)
    """Custom resources, as ``ray start --resources`` names them."""

    replicas: Positive | None = None
    """The most copies at once; by default one for every 256 requests, as many as fit."""

    load_minutes: _Amount = 60.0
    """A copy that has not loaded by then is given up."""


class ModelEntry(ConfigSection):
    """A model: a model class of lm-eval, its arguments and a label."""

    model: Text
    """lm-eval's model class: ``hf``, ``vllm``, ``torr-lexical``, ..."""

    args: dict[str, JsonValue] = Field(default_factory=dict)
    """lm-eval's arguments, as a mapping or in its one-line form ``a=b,c=d``."""

    name: Text | None = None
    """The model's name in results; by default derived from ``model`` and ``args``."""

    chat: Flag | None = None
    """Whether to apply the chat template; the default depends on the model class."""

    gpus: Share | Whole | None = None
    """GPUs for one copy on a cluster, or a share of one; by default according to its arguments."""

    ray: RayOptions = RayOptions()
    """What else one copy needs on a Ray cluster."""

    price: Price | None = None
    """What tokens cost, for ``torr plan`` and ``torr status``."""

    generation: ModelGeneration = ModelGeneration()
    """Its own generation parameters, which outdo the study's; what is null is not sent."""

    think_start: Text | None = None
    """The text that begins its thoughts, where that is none of the known ones (also among ``args``)."""

    think_end: Text | None = None
    """The text that ends its thoughts, where that is none of the known ones (also among ``args``)."""

    maker: Text | None = None
    """Who made it."""

    family: Text | None = None
    """Its family, e.g. ``llama-3.1``; models of a family differ in size."""

    size: _Amount | None = None
    """Billions of parameters."""

    open: Flag | None = None
    """Whether its weights are published."""

    licence: Text | None = None
    """The licence of its weights, e.g. ``Apache-2.0``."""

    context: Positive | None = None
    """The longest prompt that it reads, in tokens."""

    link: Annotated[Text, AfterValidator(_web_address)] | None = None
    """Where more is said of it."""

    released: Annotated[Text, BeforeValidator(_written_day)] | None = None
    """When it came out: ``2026-08``."""

    _trust: Trust = PrivateAttr(default_factory=Trust)

    _short = short_for("model")

    @property
    def description(self) -> dict[str, Any]:
        """What is set of :data:`DESCRIBING`."""
        return self.model_dump(include=set(DESCRIBING), exclude_none=True)

    @property
    def trust(self) -> Trust:
        """What the command line allows it."""
        return self._trust

    @model_validator(mode="before")
    @classmethod
    def _from_args(cls, value: object) -> object:
        """Take out of ``args`` what lm-eval's models do not take, or would not use."""
        if not isinstance(value, dict) or not value.get("args"):
            return value
        args = value["args"]
        try:
            args = parse_model_args(args) if isinstance(args, str) else args
        except RecipeError:  # which the field's own validator reports
            return value
        if not isinstance(args, dict):
            return value
        args = dict(args)
        found = {name: args.pop(name) for name in ("think_start", "think_end") if name in args}
        return {**value, "args": args, **found}

    @field_validator("args", mode="before")
    @classmethod
    def _one_line(cls, value: object) -> object:
        return parse_model_args(value) if isinstance(value, str) else ({} if value is None else value)

    @property
    def label(self) -> str:
        """The name in results: ``name``, or the end of argument ``pretrained`` or ``model``, or ``model``.

        :func:`labelled` makes the labels of a study distinct.
        """
        if self.name is not None:
            return self.name
        given = next(
            (self.args[key] for key in ("pretrained", "model") if isinstance(self.args.get(key), str)), None
        )
        last = str(given).replace("\\", "/").rstrip("/").rpartition("/")[2] if given else ""
        return last if last and not self.model.startswith("torr-") else self.model

    @property
    def digest(self) -> str:
        """Six hex digits that identify the model and its arguments."""
        own = [self.generation.given] if self.generation.given else []
        identity = json.dumps([self.model, self.args, self.chat, *own], sort_keys=True)
        return hashlib.sha256(identity.encode()).hexdigest()[:6]

    @property
    def marks(self) -> ThinkingMarks:
        """The marks around its thoughts, beside those that are known."""
        token = self.args.get("think_end_token")
        return ThinkingMarks(self.think_start, self.think_end or (token if isinstance(token, str) else None))

    def generation_under(
        self, study: Mapping[str, Any], step: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The parameters that it is asked with, ``max_tokens`` with the room for thoughts, if it has any.

        ``thinking_tokens`` is in them only where the model has its own, as some servers are told.

        Args:
            study: the study's; its ``thinking_tokens`` are for models that think.
            step: those in which a step differs; a longer answer than the model's own stays so long, and a
                seed is that of a replicate.
        """
        step = step or {}
        of_args = {"max_tokens": most} if isinstance(most := self.args.get("max_gen_toks"), int) else {}
        own: dict[str, Any] = {**of_args, **self.generation.given}
        asked = {**study, **step, **own}
        if step.get("max_tokens") is not None and own.get("max_tokens") is not None:
            asked["max_tokens"] = max(step["max_tokens"], own["max_tokens"])
        if "seed" in step and "seed" not in self.generation.left_out:
            asked["seed"] = step["seed"]
        room = asked.pop("thinking_tokens", None)
        if room and own.get("thinking_tokens"):
            asked["thinking_tokens"] = room
        if room and (self._thinks or own.get("thinking_tokens")) and asked.get("max_tokens") is not None:
            asked["max_tokens"] += room
        return asked

    @property
    def _thinks(self) -> bool:
        """Whether something that is said about it makes it think."""
        switches = {**self.args, **(self.generation.chat_template_kwargs or {})}
        return bool(
            self.marks.end
            or self.generation.reasoning_effort
            or switches.get("enable_thinking")
            or switches.get("thinking")
        )


LONGEST_VERDICT, LONGEST_CHOICE = 1024, 2048
"""The most tokens of a judge's reply about an answer, and about a pair of them: room to reason first."""


class JudgeEntry(ModelEntry):
    """A model that judges the answers of the others, once these are done."""

    kind: Literal["yes-no", "score", "pair"] = "yes-no"
    """``yes-no``: whether an answer is right. ``score``: a score from 0 to 100, with the table.
    ``pair``: which of two models' answers is better."""

    cards: Names | None = None
    """The cards whose answers are judged; by default all."""

    max_tokens: Positive | None = None
    """The longest verdict, in tokens of the judge, 1024 by default, and 2048 of pairs; more for a model that
    thinks long, as a reply that is cut is unclear."""

    baseline: Text | None = None
    """Of pairs: the model that all others are compared with; by default each is compared with each."""

    scale: Annotated[int, Field(strict=True, ge=2, le=100)] | None = None
    """Of pairs: the best rating, if the judge is also to rate each answer, from 1; by default no ratings."""

    orders: Literal["both", "one"] | None = None
    """Of pairs: ``both``, the default, asks twice, with either answer first; ``one`` asks once."""

    table: Flag | None = None
    """Of pairs: whether the judge sees the table of the question; by default not."""

    @model_validator(mode="after")
    def _options_of_pairs(self) -> JudgeEntry:
        given = [name for name in ("baseline", "scale", "orders", "table") if getattr(self, name) is not None]
        if self.kind != "pair" and given:
            raise RecipeError(
                f"{given[0]}: found with kind {self.kind!r}; expected kind 'pair', or leave it out"
            )
        return self

    @property
    def label(self) -> str:
        """As of other models; one without a name that does not say yes or no has its kind in it."""
        own = super().label
        return own if self.name is not None or self.kind == "yes-no" else f"{own}-{self.kind}"

    @property
    def digest(self) -> str:
        """Six hex digits that identify the model, its arguments and what it is asked."""
        return hashlib.sha256(f"{super().digest} {self.kind}".encode()).hexdigest()[:6]

    @property
    def longest_reply(self) -> int:
        """The most tokens of a verdict."""
        return self.max_tokens or (LONGEST_CHOICE if self.kind == "pair" else LONGEST_VERDICT)


E = TypeVar("E", bound=ModelEntry)


def labelled(models: Sequence[E]) -> tuple[E, ...]:
    """Make the labels of models distinct, ignoring case, since a label names a folder.

    A model without a ``name`` whose label is taken gets a hash of its arguments appended. Earlier models keep
    their labels, so that adding a model to a study does not rename the others.

    Raises:
        RecipeError: two models have the same ``name``, or are equal.
    """
    taken: set[str] = set()
    distinct: list[E] = []
    for entry in models:
        renamed = entry
        if entry.name is None and entry.label.lower() in taken:
            renamed = entry.model_copy(update={"name": f"{entry.label}-{entry.digest}"})
        if renamed.label.lower() in taken or any(
            (entry.name, entry.digest) == (other.name, other.digest) for other in models[: len(distinct)]
        ):
            raise RecipeError(
                f"two models are called {entry.label!r}; give them different names, or leave one out"
            )
        taken.add(renamed.label.lower())
        distinct.append(renamed)
    return tuple(distinct)


def with_descriptions(models: Sequence[ModelEntry], known: Sequence[ModelEntry]) -> list[ModelEntry]:
    """Complete models by what a pool knows of models with the same labels.

    A model takes what it does not say itself of the known one's description, ``gpus``, ``ray``, ``price``,
    generation parameters and the marks of its thoughts.
    """
    others = {entry.label: entry for entry in known}
    return [_completed(entry, others.get(entry.label, entry)) for entry in models]


def _completed(entry: ModelEntry, known: ModelEntry) -> ModelEntry:
    names = known.model_fields_set - entry.model_fields_set - {"model", "args", "name", "chat"}
    if entry.marks != NO_MARKS:
        names -= {"think_start", "think_end"}
    return entry.model_copy(update={name: getattr(known, name) for name in names})


def with_trust(models: Sequence[E], hosts: Sequence[str] = (), *, code: bool = False) -> list[E]:
    """Models with what the command line allows them.

    Args:
        models: the models of any source; arguments that were typed stay so.
        hosts: where keys may go, each as ``HOST``, ``HOST:PORT`` or an address.
        code: code that comes with a model may run.
    """
    names = frozenset((urlsplit(each).netloc if "://" in each else each).lower() for each in hosts)
    return [trusted(entry, Trust(entry.trust.typed, names, code)) for entry in models]


def trusted(entry: E, trust: Trust) -> E:
    """A model that is allowed what the command line says."""
    copy = entry.model_copy()
    copy._trust = trust
    return copy


def with_generation(models: Sequence[ModelEntry], texts: Sequence[str]) -> list[ModelEntry]:
    """Models with further generation parameters, as ``--gen`` gives them: ``KEY=VALUE,...`` or JSON.

    Raises:
        RecipeError: no such parameter, or a value of another kind.
    """
    given: dict[str, Any] = {}
    for text in texts:
        given |= parse_model_args(text)
    given = {name: None if value == "null" else value for name, value in given.items()}
    parsed = validate(ModelGeneration, given, "--gen", error_type=RecipeError)
    new = {name: getattr(parsed, name) for name in parsed.model_fields_set}
    return [
        entry.model_copy(update={"generation": entry.generation.model_copy(update=new)}) for entry in models
    ]


def model_entry(model: str, args: str = "") -> ModelEntry:
    """A model given on the command line; where its arguments send a key is the user's own word.

    Raises:
        RecipeError: the arguments cannot be read.
    """
    if not model:
        raise RecipeError("found an empty model name; expected one of lm-eval's, e.g. hf")
    return trusted(ModelEntry(model=model, args=parse_model_args(args)), Trust(typed=True))


_EXPECTED = "a list of models, each a mapping with 'name' and any of 'model', 'args', " + ", ".join(
    map(repr, DESCRIBING)
)


class _PoolEntry(ModelEntry):
    """A model of the file: as in a recipe, but ``model`` may be missing if only a description is needed."""

    model: AnyText = ""
    """lm-eval's model class."""

    @model_validator(mode="after")
    def _named(self) -> _PoolEntry:
        if not self.label:
            raise RecipeError("neither 'name' nor 'model'; expected the model's name as in the scores")
        return self


class _PoolFile(ConfigSection):
    """The whole file."""

    models: Annotated[tuple[_PoolEntry, ...], SOME]
    """The models."""


def read_pool(path: str | Path) -> tuple[ModelEntry, ...]:
    """The models of a pool file, for ``torr run`` and ``torr plan``.

    Args:
        path: a YAML file: a list of models as a recipe has them under ``models``, or a mapping with such a
            list under ``models``.

    Returns:
        The models in the file's order, with distinct labels.

    Raises:
        RecipeError: as for :func:`read_models`, or a model lacks ``model``, its lm-eval model class.
    """
    file, pool = _read(path)
    for at, entry in enumerate(pool.models):
        if not entry.model:
            raise file.error(
                ("models", at),
                "the key 'model' is missing; expected lm-eval's name of the kind of model, e.g. vllm",
            )
    try:
        return labelled([ModelEntry(**dict(entry)) for entry in pool.models])
    except RecipeError as error:  # names that differ in case only
        raise RecipeError(f"{file.path}: {error}") from error


def read_models(path: str | Path) -> dict[str, dict[str, Any]]:
    """The model descriptions in a pool file, for :func:`torr_plugin.analysis.analyse`.

    Args:
        path: a list of mappings, or a mapping with such a list under ``models``.

    Returns:
        name -> any of the fields in :data:`DESCRIBING`.

    Raises:
        RecipeError: the file cannot be read, a field is unknown or of the wrong type, or a name is repeated;
            ``FILE:LINE: FIELD: found; expected``.
    """
    return {entry.label: entry.description for entry in _read(path)[1].models}


def selected_models(models: Sequence[ModelEntry], names: Sequence[str]) -> list[ModelEntry]:
    """The models with the given names, in the models' order; all if ``names`` is empty.

    Args:
        models: models with distinct labels.
        names: labels; each item may also hold several, separated by commas.

    Raises:
        RecipeError: no model has such a name (with the nearest), or the items hold no name.
    """
    selected = names_in(names)
    known = [entry.label for entry in models]
    if names and not selected:
        raise RecipeError(f"--only: found no name; expected one of: {', '.join(sorted(known))}")
    for name in selected:
        if name not in known:
            raise RecipeError(f"--only: no model is called {name!r}; {nearest(name, known)}")
    return [entry for entry in models if not selected or entry.label in selected]


def _read(path: str | Path) -> tuple[YamlFile, _PoolFile]:
    file = read_yaml_file(Path(path), _EXPECTED, kinds=(dict, list))
    pool = file.validate(_PoolFile, {"models": file.data} if isinstance(file.data, list) else file.data)
    labels = [entry.label for entry in pool.models]
    for at, label in enumerate(labels):
        if label in labels[:at]:
            line, _ = file.place(("models", at))
            raise RecipeError(f"{file.path}:{line}: two models are called {label!r}; expected one")
    return file, pool
