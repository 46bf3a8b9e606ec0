"""All models: lm-eval's own, the embedded baselines, those of plugins; what each needs to be used here.

Beside them what a class of lm-eval models can do, and the arguments that it takes.
"""

from __future__ import annotations

import inspect
import logging
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from ..core.errors import OWN, ModelError, described, nearest
from ..core.registry import Registry
from ..core.versions import ENGINES, install_hint, pip_command, versions

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..recipes import ModelEntry


Kind = Literal["in process", "server", "baseline", "plugin"]

_BASELINES = {
    "torr-constant": "torr_plugin.running.baselines.lm:Constant",
    "torr-judge": "torr_plugin.running.baselines.judge:RuleJudge",
    "torr-lexical": "torr_plugin.running.baselines.lm:Lexical",
    "torr-majority": "torr_plugin.running.baselines.lm:Majority",
    "torr-random-cell": "torr_plugin.running.baselines.lm:RandomCell",
}


class _Models(Registry[str]):
    """Refuse a target that is not ``package.module:Class``."""

    def register(self, name: str, value: str, *, origin: str = OWN) -> str:
        if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*", str(value)):
            raise ModelError(f"model {name!r} of {origin}: found {value!r}, expected 'package.module:Class'")
        return super().register(name, value, origin=origin)


models: Registry[str] = _Models("model")
"""Our own models and those of plugins by name, each as ``package.module:Class``."""
for _name, _target in _BASELINES.items():
    models.register(_name, _target)

_registered: set[str] = set()


def add_model(name: str, target: str, *, origin: str = OWN) -> None:
    """Register an lm-eval model by name; its module is imported on first use.

    Args:
        name: as recipes and ``--model`` name it.
        target: ``"package.module:Class"``, a subclass of ``lm_eval.api.model.LM``.
        origin: the plugin that brings it.

    Raises:
        InputError: the target has another form, or the name is taken.
    """
    models.register(name, target, origin=origin)


def added_models() -> dict[str, str]:
    """The models of plugins, name -> target; the Ray executor passes them to its workers."""
    return {name: models.get(name) for name in models if name not in _BASELINES}


def baselines() -> frozenset[str]:
    """The names of the embedded baselines."""
    return frozenset(_BASELINES)


def model_names() -> list[str]:
    """The names of all models, sorted; only lm-eval's own list is loaded."""
    return sorted(_registry())


def check_name(name: str, label: str | None = None) -> None:
    """Refuse an unknown model before any work is done.

    Args:
        name: as recipes and ``--model`` name it.
        label: its name in results, which finds it in a file of many models.

    Raises:
        ModelError: no such model; the message has the nearest names.
    """
    known = _registry()
    if name not in known:
        whose = "" if label in (None, name) else f"model {label!r}: "
        raise ModelError(f"{whose}unknown model {name!r}; {nearest(name, known)}")


def lm_class(name: str) -> type[LM]:
    """The class of a model.

    Raises:
        ModelError: no such model, or a package that it needs is missing; the message says how to install it.
    """
    check_name(name)
    try:
        with patched_library(name):
            found: type[LM] = _registry()[name]
    except ImportError as error:
        raise missing_package(name, error) from error
    except (Exception, SystemExit) as error:  # a model's module may fail in any way on being imported
        raise ModelError(f"{_called(name)}: its module cannot be imported: {described(error)}") from error
    return found


def patched_library(name: str) -> AbstractContextManager[None]:
    """What is changed in a model's library while its class is imported, and while the model is made."""
    if not name.startswith("vllm"):
        return nullcontext()
    from .engines.vllm_patches import patched_vllm

    return patched_vllm()


def missing_package(name: str, error: ImportError) -> ModelError:
    """The error of a model whose package is not installed, with the command that installs it."""
    wanted = f"package {error.name!r}" if error.name else "a package that is not installed"
    return ModelError(f"{_called(name)} needs {wanted}: {_remedy(name)} ({described(error)})")


def check_installed(name: str) -> None:
    """Refuse a model of lm-eval's whose packages are not installed.

    Raises:
        ModelError: with the command that installs them.
    """
    need = None if name in models else requirements_of(name)
    for module in _missing(need.modules if need else ()):
        raise ModelError(f"{_called(name)} needs package {module!r}: {_remedy(name)}")


def _called(name: str) -> str:
    whose = "" if models.origin(name) == OWN else f" of plugin {models.origin(name)!r}"
    return f"model {name!r}{whose}"


def _remedy(name: str) -> str:
    if models.origin(name) != OWN:
        return "install it beside the plugin"
    need = requirements_of(name)
    if need is not None and need.install:
        return install_hint(need.install)
    return f"install it, see lm-eval's documentation of {name!r}"


def _registry() -> Mapping[str, Any]:
    """lm-eval's registry with ours in it; registering again changes nothing."""
    import lm_eval.models  # noqa: F401 - fills the registry
    from lm_eval.api.registry import model_registry

    registry: Any = model_registry
    for name in set(models) - _registered:
        target = models.get(name)
        if name not in registry:
            registry.register(name, target=target)
        elif _target_of(registry, name) != target:  # lm-eval after 0.4.13 reads our entry points
            logging.getLogger(__name__).warning(
                "torr: model %r of %s was left out: lm-eval has a model of this name; rename it",
                *(name, models.origin(name)),
            )
            models.remove(name)
            continue
        _registered.add(name)
    return registry  # type: ignore[no-any-return]


def _target_of(registry: Any, name: str) -> str | None:
    """The target of a name in lm-eval's registry, which holds a class, a text, or an entry point."""
    target = dict(registry.items())[name]
    if isinstance(target, type):
        return f"{target.__module__}:{target.__name__}"
    return target if isinstance(target, str) else getattr(target, "value", None)


@dataclass(frozen=True, slots=True)
class ModelRequirements:
    """What a model of lm-eval needs.

    Attributes:
        kind: whether it runs in process or on a server.
        modules: what its code imports.
        install: what :func:`..core.versions.pip_command` takes; None where only lm-eval's documentation
            helps.
        key: the environment variable with its key; None where it needs none.
    """

    kind: Kind
    modules: tuple[str, ...]
    install: str | None = None
    key: str | None = None


def _local(modules: str, install: str | None = None) -> ModelRequirements:
    return ModelRequirements("in process", tuple(modules.split()), install)


def _server(modules: str, install: str, key: str | None = None) -> ModelRequirements:
    return ModelRequirements("server", tuple(modules.split()), install, key)


_HF = "torch transformers accelerate"
_API = "aiohttp requests tenacity"
# by the beginning of the name; the longest that matches counts
_REQUIREMENTS = {
    **dict.fromkeys(("hf", "huggingface", "steered"), _local(_HF, ".[hf]")),
    "dummy": _local("transformers", ".[hf]"),
    "mamba_ssm": _local(f"{_HF} mamba_ssm", ".[hf] mamba-ssm"),
    "ipex": _local(f"{_HF} optimum", ".[hf] lm-eval[ipex]"),
    "openvino": _local(f"{_HF} optimum", ".[hf] lm-eval[optimum]"),
    "habana": _local(f"{_HF} optimum", ".[hf] lm-eval[habana]"),
    "neuronx": _local("torch transformers optimum", "optimum-neuron[neuronx]"),
    "nemo_lm": _local("torch nemo lightning"),
    "megatron_lm": _local("torch megatron"),
    "onnxruntime": _local("numpy transformers onnxruntime", "lm-eval[onnxruntime]"),
    "onnxruntime-genai": _local("numpy transformers onnxruntime_genai", "lm-eval[onnxruntime-genai]"),
    "winml": _local("numpy transformers onnxruntime_genai winui3"),
    "vllm": _local("vllm", ".[vllm]"),
    "vllm-vlm": _local("vllm ray", ".[vllm,ray]"),
    "sglang": _local("sglang", "sglang"),
    "trtllm": _local("tensorrt_llm", "tensorrt-llm"),
    **dict.fromkeys(("local-", "sglang-generate"), _server(_API, ".[api]")),
    "openai-": _server(_API, ".[api]", "OPENAI_API_KEY"),
    "openai-completions": _server(f"{_API} tiktoken", ".[api]", "OPENAI_API_KEY"),
    "azure-openai-": _server(f"{_API} openai", ".[api] openai", "AZURE_OPENAI_API_KEY"),
    "anthropic-chat": _server(_API, ".[api]", "ANTHROPIC_API_KEY"),
    "anthropic-completions": _server("anthropic", "anthropic", "ANTHROPIC_API_KEY"),
    "litellm": _server(f"{_API} litellm", ".[api] lm-eval[litellm]"),
    "watsonx_llm": _server("ibm_watsonx_ai dotenv", "lm-eval[ibm_watsonx_ai]", "WATSONX_API_KEY"),
    "textsynth": _server("requests", "requests", "TEXTSYNTH_API_SECRET_KEY"),
    **dict.fromkeys(("gguf", "ggml"), _server("requests", "requests")),
}


def requirements_of(name: str) -> ModelRequirements | None:
    """What one of lm-eval's models needs; None for a model that is not in this list."""
    begins = [prefix for prefix in _REQUIREMENTS if name.startswith(prefix)]
    return _REQUIREMENTS[max(begins, key=len)] if begins else None


def asks_a_server(name: str) -> bool:
    """Whether a model's answers come from a server; of a plugin's class whether it is one of servers."""
    if name in models and name not in _BASELINES:
        with suppress(ModelError):
            return ModelClass(lm_class(name)).server
    need = requirements_of(name)
    return need is not None and need.kind == "server"


def recorded_chat(model: str, chat: bool | str | None) -> bool | str | None:
    """A model's chat setting for study.yaml; ``by template`` where neither user nor model decides."""
    if chat is not None or _always_alike(model):
        return chat
    return "by template"


def _always_alike(model: str) -> bool:
    """Whether a template makes no difference: baselines, and servers that take messages only."""
    need = requirements_of(model)
    return model in baselines() or (need is not None and need.kind == "server" and "chat" in model)


def engine_versions(name: str) -> dict[str, str]:
    """The versions of the packages here that make a model's answers; empty for baselines and servers."""
    if name in _BASELINES or asks_a_server(name):
        return {}
    return {package: version for package, version in versions().items() if package in ENGINES}


def _missing(modules: Sequence[str]) -> tuple[str, ...]:
    """Those of the modules that are not installed."""
    return tuple(each for each in modules if sys.modules.get(each) is None and find_spec(each) is None)


@dataclass(frozen=True, slots=True)
class ModelAvailability:
    """Whether a model can be used here.

    Attributes:
        name: its name, as in ``--model``.
        kind: ``in process`` (an engine loads its weights), ``server``, ``baseline`` or ``plugin``.
        missing: the modules it needs that are not installed; of a plugin's model its own package alone.
        install: the command that installs them; None where nothing is missing, or where only lm-eval's
            documentation helps.
        origin: ``lm-eval``, ``torr-plugin`` or a plugin's name.
        key: the environment variable with its key, if it needs one.
    """

    name: str
    kind: Kind
    missing: tuple[str, ...] = ()
    install: str | None = None
    origin: str = "lm-eval"
    key: str | None = None


def availability() -> list[ModelAvailability]:
    """All models, by name."""
    return [_available(name) for name in model_names()]


def _available(name: str) -> ModelAvailability:
    if name in _BASELINES:
        return ModelAvailability(name, "baseline", origin=OWN)
    if name in models:
        package = re.split("[.:]", models.get(name))[0]
        return ModelAvailability(name, "plugin", _missing([package]), origin=models.origin(name))
    need = requirements_of(name) or _local("")  # one of a newer lm-eval
    missing = _missing(need.modules)
    install = pip_command(need.install) if missing and need.install else None
    return ModelAvailability(name, need.kind, missing, install, key=need.key)


# lm-eval's base class of servers, by name: importing it needs its libraries
_SERVER = "TemplateAPI"
# marked MULTIMODAL for sounds
_AUDIO = frozenset({"HFAUDIOLMQWEN", "HFAudioLM"})
_SENDING = ("model_call", "amodel_call", "get_batched_requests", "generate_until")


class ModelClass:
    """A class of lm-eval models.

    Attributes:
        lm_class: the class itself.
        bases: it and its base classes, by name.
        server: it sends requests to a server (lm-eval's ``TemplateAPI``).
        chat_only: it takes chat messages and no plain text.
        multimodal: lm-eval marks it so; a prompt may carry images or sounds.
        images: it can be shown images.
    """

    def __init__(self, lm_class: type[Any]) -> None:
        self.lm_class: type[LM] = lm_class
        self.bases: dict[str, type[Any]] = {base.__name__: base for base in reversed(lm_class.__mro__)}
        self.server = _SERVER in self.bases
        self.chat_only = any("Chat" in name for name in self.bases)
        self.multimodal = bool(getattr(lm_class, "MULTIMODAL", False))
        # lm-eval marks all classes of servers multimodal; those that take messages can send an image
        seeing = self.chat_only if self.server else not self.bases.keys() & _AUDIO
        self.images = self.multimodal and seeing

    @property
    def engine(self) -> Literal["vllm", "server", "lm-eval"]:
        """What drives its models, unless an option of theirs leaves only lm-eval's own way."""
        if self.lm_class.__module__ == "lm_eval.models.vllm_causallms" and not self.multimodal:
            return "vllm"
        if self.server and self._sends_as_lm_eval:
            return "server"
        return "lm-eval"

    @property
    def _sends_as_lm_eval(self) -> bool:
        """Whether a server's class sends requests and reads replies by lm-eval's own code."""
        reads = getattr(self.lm_class, "parse_generations", None)
        reads_itself = not getattr(reads, "__module__", "lm_eval.models.").startswith("lm_eval.models.")
        return self.inherits(_SERVER, *_SENDING) and not reads_itself

    def inherits(self, base: str, *methods: str) -> bool:
        """Whether it has this base, and uses these methods of it as they are."""
        own, theirs = self.lm_class, self.bases.get(base)
        return theirs is not None and all(
            getattr(own, name, None) is getattr(theirs, name, None) for name in methods
        )

    def create(self, arguments: Mapping[str, Any]) -> LM:
        """Load a model of this class; weights go to the device that this machine has, unless one is named."""
        return self.lm_class.create_from_arg_obj(self.with_device(arguments))

    def with_device(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with a ``device``, for classes that would take CUDA where there is none."""
        if "HFLM" not in self.bases or "device" in arguments:
            return dict(arguments)
        import torch

        if torch.cuda.is_available():
            return dict(arguments)
        return {**arguments, "device": "mps" if torch.backends.mps.is_available() else "cpu"}

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the class and of those that it passes the rest to, with their defaults."""
        return {
            parameter.name: parameter.default
            for signature in reversed([*_signatures(self.lm_class)])
            for parameter in signature.parameters.values()
            if parameter.name != "self"
            and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        }


def _signatures(lm_class: type[Any]) -> Iterator[inspect.Signature]:
    """The signatures of a class and its bases, as far as one passes what it does not know to the next."""
    for base in lm_class.__mro__:
        if "__init__" in vars(base):
            found = inspect.signature(vars(base)["__init__"])
            yield found
            kinds = {parameter.kind for parameter in found.parameters.values()}
            if base.__name__ == _SERVER or inspect.Parameter.VAR_KEYWORD not in kinds:
                return


# -- arguments -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ServerArguments:
    """How our client asks a server; each field is an argument of the model, by lm-eval's name if it has one.

    Each is a whole number of at least 1. None of them changes an answer, so a run goes on with others. A
    further one is a field here, read in ``engines/server/`` and a line of docs/models.md, whose defaults
    a test compares with these.

    Attributes:
        num_concurrent: the most requests at once; None: as many as the server turns out to take.
        max_retries: attempts of a request; None: 5 where the server fails, 12 where it has too many.
        timeout: seconds for one attempt, from connecting to the last byte of the reply.
        wait_for_server: seconds without any answer, as it loads, restarts or fails, until it is given up.
    """

    num_concurrent: int | None = None
    max_retries: int | None = None
    timeout: int = 300
    wait_for_server: int = 600

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> ServerArguments:
        """Those among a model's arguments.

        Raises:
            ModelError: one of them is no whole number of at least 1.
        """
        found = {name: given[name] for name in SERVER_ARGUMENTS if given.get(name) is not None}
        return cls(**{name: positive_integer(name, value) for name, value in found.items()})


SERVER_ARGUMENTS = tuple(field.name for field in fields(ServerArguments))


def positive_integer(name: str, value: Any) -> int:
    """A model's argument that counts something, also where it is given as text.

    Raises:
        ModelError: it is no whole number of at least 1.
    """
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < 1:
        raise ModelError(f"{name} is {value!r}, expected a whole number of at least 1")
    return number


def arguments_of(entry: ModelEntry, model_class: ModelClass, generation: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a model is made with: its own, and what of the generation belongs there.

    Raises:
        ModelError: the entry has arguments or parameters that models of this class do not take.
    """
    arguments: dict[str, Any] = dict(entry.args)
    known = model_class.arguments
    if model_class.server:
        _refuse_unknown(arguments, {*known, *(SERVER_ARGUMENTS if model_class.engine == "server" else ())})
        ServerArguments.of(arguments)
        if arguments.get("max_length") is not None:
            positive_integer("max_length", arguments["max_length"])
        return arguments
    if entry.model in baselines():
        _refuse_unknown(arguments, known)
    if known.get("trust_remote_code") is True and not entry.trust.runs_code:
        arguments.setdefault("trust_remote_code", False)
    if entry.think_end and "think_end_token" in known:
        arguments.setdefault("think_end_token", entry.think_end)
    if entry.generation.extra_body:
        raise ModelError("extra_body: found for a model that is no server; expected it to be left out")
    template = dict(generation.get("chat_template_kwargs") or {})
    if effort := generation.get("reasoning_effort"):
        template["reasoning_effort"] = effort
    if "chat_template_args" in known:
        given: Any = arguments.get("chat_template_args") or {}
        return arguments | ({"chat_template_args": {**given, **template}} if template else {})
    if entry.generation.chat_template_kwargs or entry.generation.reasoning_effort:
        raise ModelError("chat_template_kwargs and reasoning_effort: its chat template takes none")
    return arguments


def _refuse_unknown(arguments: Mapping[str, Any], known: Collection[str]) -> None:
    """Refuse arguments that a class does not know, or would drop without a word."""
    for name in arguments:
        if name not in known:
            hint = nearest(name, known) if known else "it takes none"
            raise ModelError(f"unknown argument {name!r}; {hint}")
