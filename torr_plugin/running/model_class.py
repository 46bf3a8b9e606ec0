"""What torr-plugin knows of a class of lm-eval models, decided once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..core.errors import ModelError

if TYPE_CHECKING:
    from lm_eval.api.model import LM

EngineKind = Literal["vllm", "server", "lm-eval"]

# lm-eval's base classes, by name: importing them needs their libraries
_TRANSFORMERS, SERVER_BASE, _CHAT_SERVER = "HFLM", "TemplateAPI", "LocalChatCompletion"
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
    server, transformers = bases.get(SERVER_BASE), bases.get(_TRANSFORMERS)
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
