"""What torr-plugin knows of a class of lm-eval models, decided once; and the arguments that it takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..core.errors import ModelError, nearest
from .registry import baselines, models

if TYPE_CHECKING:
    from lm_eval.api.model import LM

EngineKind = Literal["vllm", "server", "lm-eval"]

# lm-eval's base classes, by name: importing them needs their libraries
_TRANSFORMERS, _SERVER, _CHAT_SERVER = "HFLM", "TemplateAPI", "LocalChatCompletion"
_VLLM_MODULE = "lm_eval.models.vllm_causallms"
_BATCHING_THEMSELVES = frozenset({"SGLangLM", "TRTLLM", "VLLM"})
_TRUNCATING = frozenset({"HFLM", "SGLangLM", "VLLM"})
# marked MULTIMODAL for sounds
_AUDIO = frozenset({"HFAUDIOLMQWEN", "HFAudioLM"})
_SENDING = ("model_call", "amodel_call", "get_batched_requests", "generate_until")


@dataclass(frozen=True, slots=True)
class ModelClass:
    """A class of lm-eval models.

    Attributes:
        lm_class: the class itself.
        engine: what drives its models, unless an option of theirs leaves only lm-eval's own way.
        server: it sends requests to a server (lm-eval's ``TemplateAPI``).
        chat_only: it takes chat messages and no plain text.
        chat_replies: its server replies with a message in each choice.
        multimodal: lm-eval marks it so; a prompt may carry images or sounds.
        images: it can be shown images.
        image_placeholders: a text for it marks the place of each image.
        batches_itself: it runs as many requests at once as it can, and idles when given few.
        truncates: it cuts the beginning off prompts that are too long.
        transformers: it is built on lm-eval's ``hf``.
        generates_rows: it is built on ``hf``, and generates texts as that does.
    """

    lm_class: type[LM]
    engine: EngineKind
    server: bool
    chat_only: bool
    chat_replies: bool
    multimodal: bool
    images: bool
    image_placeholders: bool
    batches_itself: bool
    truncates: bool
    transformers: bool
    generates_rows: bool

    def create(self, arguments: Mapping[str, Any]) -> LM:
        """Load a model of this class; weights go to the device that this machine has, unless one is named."""
        return self.lm_class.create_from_arg_obj(self.with_device(arguments))

    def with_device(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with a ``device``, for classes that would take CUDA where there is none."""
        if not self.transformers or "device" in arguments:
            return dict(arguments)
        import torch

        if torch.cuda.is_available():
            return dict(arguments)
        return {**arguments, "device": "mps" if torch.backends.mps.is_available() else "cpu"}


def model_class_of(lm_class: type[Any]) -> ModelClass:
    """Describe a class of lm-eval models."""
    bases: dict[str, type[Any]] = {base.__name__: base for base in reversed(lm_class.__mro__)}
    server, transformers = bases.get(_SERVER), bases.get(_TRANSFORMERS)
    multimodal = bool(getattr(lm_class, "MULTIMODAL", False))
    chat_only = any("Chat" in name for name in bases)
    return ModelClass(
        lm_class,
        engine=_engine(lm_class, server, multimodal=multimodal),
        server=server is not None,
        chat_only=chat_only,
        chat_replies=_CHAT_SERVER in bases,
        multimodal=multimodal,
        # lm-eval marks all classes of servers multimodal; those that take messages can send an image
        images=multimodal and not bases.keys() & _AUDIO and (server is None or chat_only),
        image_placeholders=multimodal and server is None,
        batches_itself=bool(bases.keys() & _BATCHING_THEMSELVES),
        truncates=bool(bases.keys() & _TRUNCATING),
        transformers=transformers is not None,
        generates_rows=transformers is not None
        and not multimodal
        and _inherits(lm_class, transformers, "generate_until"),
    )


def _engine(lm_class: type[Any], server: type[Any] | None, *, multimodal: bool) -> EngineKind:
    if lm_class.__module__ == _VLLM_MODULE and not multimodal:
        return "vllm"
    if server is not None and _inherits(lm_class, server, *_SENDING):
        return "server"
    return "lm-eval"


def _inherits(lm_class: type[Any], base: type[Any], *methods: str) -> bool:
    """Whether a class uses these methods of its base as they are."""
    return all(getattr(lm_class, name, None) is getattr(base, name, None) for name in methods)


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


_UNEXPECTED = re.compile(r"unexpected keyword argument '([^']{1,100})'")


def unexpected_argument(error: BaseException, lm_class: type[Any]) -> str:
    """The nearest of a class's arguments for one that it refuses; empty for any other error."""
    found = _UNEXPECTED.search(str(error)) if isinstance(error, TypeError) else None
    return f"; {nearest(found[1], known_arguments(lm_class))}" if found else ""


def known_arguments(lm_class: type[Any]) -> set[str]:
    """The arguments of a class and of those that it passes the rest to."""
    return {
        parameter.name
        for signature in _signatures(lm_class)
        for parameter in signature.parameters.values()
        if parameter.name != "self"
        and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }


def default_of(lm_class: type[Any], name: str) -> Any:
    """The default of an argument; None where it has none."""
    found = (each.parameters[name].default for each in _signatures(lm_class) if name in each.parameters)
    return next(found, None)


def takes_no_others(lm_class: type[Any]) -> bool:
    """Whether the known arguments are all; lm-eval's servers take others too, and drop them unseen."""
    if any(base.__name__ == _SERVER for base in lm_class.__mro__):
        return True
    made_by_lm_eval = lm_class.create_from_arg_obj.__module__ == "lm_eval.api.model"
    ours = f"{lm_class.__module__}:{lm_class.__name__}" in map(models.get, baselines())
    return (made_by_lm_eval or ours) and not _passes_on(next(_signatures(lm_class)))


def _signatures(lm_class: type[Any]) -> Iterator[inspect.Signature]:
    """The signatures of a class and its bases, as far as one passes what it does not know to the next."""
    for base in lm_class.__mro__:
        if "__init__" in vars(base):
            found = inspect.signature(vars(base)["__init__"])
            yield found
            if base.__name__ == _SERVER or not _passes_on(found):
                return


def _passes_on(signature: inspect.Signature) -> bool:
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.parameters.values())
