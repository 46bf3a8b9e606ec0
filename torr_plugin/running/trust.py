"""What a recipe may not decide alone: where a key of the environment goes, and whose code runs.

A recipe is read as a stranger's. A key goes to its vendor's host, over a connection whose certificate is
checked. It goes elsewhere, and code that comes with a model runs, only where the command line says so
(:class:`torr_plugin.recipes.model_entries.Trust`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..core.errors import ModelError
from .model_classes import models, requirements_of

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..recipes import ModelEntry


_OPENAI, _A_PROVIDERS = "OPENAI_API_KEY", "a provider's key"
_VENDORS = {
    _OPENAI: "api.openai.com",
    "ANTHROPIC_API_KEY": "api.anthropic.com",
    "TEXTSYNTH_API_SECRET_KEY": "api.textsynth.com",
}
# keys of one's own resource: the environment names it
_ENDPOINTS = {"AZURE_OPENAI_API_KEY": "AZURE_OPENAI_ENDPOINT", "WATSONX_API_KEY": "WATSONX_URL"}
# their ``header`` stands in place of the key; lm-eval's other classes send the key nevertheless
_TAKING_HEADERS = ("local-", "openai-")
_KEY_HEADERS = frozenset({"authorization", "x-api-key", "api-key"})
_UNCHECKED = ("verify_certificate", "ca_cert_path")
LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1|0\.0\.0\.0")
_KEY_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_SHORTEST = 8

# arguments that name a program, a class or a plugin to load, or a file that is one
_RUNS_CODE = (
    *("trust_remote_code", "steer_path", "custom_generate", "custom_weight_loader", "log_config_file"),
    *("worker_cls", "worker_extension_cls", "scheduler_cls", "model_class_overrides", "logits_processors"),
    *("io_processor_plugin", "reasoning_parser_plugin", "tool_parser_plugin"),
    *("kv_transfer_config", "ec_transfer_config", "use_kernels", "inductor_passes"),
)
# kernels of the hub; classes by their path
_RUNS_CODE_WITH = {"attn_implementation": "/", "distributed_executor_backend": "."}
# their checkpoints are pickles, which run as they are read
_PICKLED = ("nemo_lm", "megatron_lm")
_NO = ("", "false", "0", "no", "none", "auto", "[]", "{}")


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A key of the environment that a model would be asked with.

    Attributes:
        variable: its name in the environment.
        host: where it would go.
        allowed: whether it may.
        needed: without it the model cannot be asked.
    """

    variable: str
    host: str
    allowed: bool
    needed: bool


def check_trust(entry: ModelEntry) -> None:
    """Refuse a model that would send a key, or run code, as only a file says.

    Raises:
        ModelError: with what to type where that is wanted.
    """
    if (argument := _code_of(entry)) and not entry.trust.runs_code:
        raise ModelError(
            f"model {entry.label!r} ({entry.model}): {argument} runs code that comes with the model, as a "
            "file says; add --trust-remote-code to allow it (in Python: recipes.with_trust)"
        )
    use = key_use(entry)
    if use and use.needed and not use.allowed:
        raise ModelError(f"model {entry.label!r} ({entry.model}): {_refusal(use.variable, use.host)}")


def _refusal(variable: str, host: str) -> str:
    return f"{variable} is not sent to {host}, as a file says so; add --send-key {host} to send it"


def key_use(entry: ModelEntry) -> KeyUse | None:
    """The key that a model of lm-eval takes from the environment; None where it takes none."""
    needs, name = requirements_of(entry.model), entry.model
    if name in models or needs is None or (entry.args.get("header") and name.startswith(_TAKING_HEADERS)):
        return None
    if name.startswith("litellm"):  # a model's name may be an address there
        given = str(entry.args.get("model"))
        address = given[given.find("http") :] if "://" in given else ""
        host = urlsplit(address).netloc if address else f"the provider of {given}"
        return KeyUse(_A_PROVIDERS, host, not address or _may_go(entry, _A_PROVIDERS, address), needed=True)
    variable = needs.key or (_OPENAI if name.startswith("local-") and os.environ.get(_OPENAI) else None)
    if variable is None:
        return None
    address = str(entry.args.get("base_url") or _endpoint(variable) or "")
    host = urlsplit(address).netloc if address else f"the host that {_ENDPOINTS[variable]} names"
    # an address without a host is none, which is said elsewhere
    allowed = not address or not host or _may_go(entry, variable, address)
    return KeyUse(variable, host, allowed, needed=needs.key is not None)


def _endpoint(variable: str) -> str | None:
    """The vendor's address; for keys of one's own resource that of the environment."""
    host = _VENDORS.get(variable)
    return f"https://{host}" if host else os.environ.get(_ENDPOINTS.get(variable, ""))


def _may_go(entry: ModelEntry, variable: str, address: str) -> bool:
    """Whether a key may go to an address; compared as written, so that no two readings of it differ."""
    parts = urlsplit(address)
    host, endpoint = parts.netloc.lower(), urlsplit(_endpoint(variable) or "")
    if entry.trust.typed or host in entry.trust.hosts:
        return True
    if any(name in entry.args for name in _UNCHECKED) or parts.scheme != (endpoint.scheme or None):
        return False
    vendors_own = variable in _VENDORS and re.fullmatch(r"[a-z]+\." + re.escape(endpoint.netloc), host)
    return host == endpoint.netloc.lower() or bool(vendors_own)


def guard_key(lm: LM, entry: ModelEntry) -> str:
    """Take a key that may not go to a server's address out of a loaded model of lm-eval's ``TemplateAPI``.

    Returns:
        What to type to send it; "" where nothing was taken out.

    Raises:
        ModelError: the model cannot be asked without it.
    """
    try:
        headers: Mapping[str, Any] = dict(lm.header)
    except Exception:  # a key is missing, or no mapping was given: said where headers are read
        return ""
    variable = None if headers == entry.args.get("header") else _key_in(headers)
    if variable is None or _may_go(entry, variable, str(lm.base_url)):
        return ""
    refusal = _refusal(variable, urlsplit(str(lm.base_url)).netloc)
    needs = requirements_of(entry.model)
    if entry.model in models or needs is None or needs.key:
        raise ModelError(refusal)
    key = os.environ[variable]
    lm.header = {name: value for name, value in headers.items() if key not in str(value)}
    return refusal


def _key_in(headers: Mapping[str, Any]) -> str | None:
    """The variable of the environment whose value is in the headers; those that we know come first."""
    sent, known = "\n".join(map(str, headers.values())), [*_VENDORS, *_ENDPOINTS]
    others = [
        name for name, value in os.environ.items() if _KEY_NAME.search(name) and len(value) >= _SHORTEST
    ]
    return next((name for name in (*known, *others) if (key := os.environ.get(name)) and key in sent), None)


def key_lines(entries: Sequence[ModelEntry]) -> list[str]:
    """Where keys go, a line each; where one does not, though the environment has it."""
    return list(dict.fromkeys(line for entry in entries for line in _key_lines(entry)))


def _key_lines(entry: ModelEntry) -> Iterator[str]:
    use, header = key_use(entry), entry.args.get("header")
    if use is None:
        host = urlsplit(str(entry.args.get("base_url") or "")).netloc
        if host and isinstance(header, Mapping) and not _KEY_HEADERS.isdisjoint(map(str.lower, header)):
            yield f"the key in its own header goes to {host} ({entry.label})"
    elif use.allowed:
        goes = "goes" if os.environ.get(use.variable) else "is not set; it would go"
        yield f"{use.variable} {goes} to {use.host} ({entry.label})"
    elif not LOOPBACK.fullmatch(urlsplit(f"//{use.host}").hostname or ""):
        yield f"{_refusal(use.variable, use.host)} ({entry.label})"


def _code_of(entry: ModelEntry) -> str | None:
    """The argument of a model, at any depth, or the model itself, that runs code which comes with it."""
    if entry.model in _PICKLED:
        return entry.model
    for name, value in _inside(entry.args):
        text = str(value).strip().lower()
        if name in _RUNS_CODE and text not in _NO:
            return name
        if name in _RUNS_CODE_WITH and _RUNS_CODE_WITH[name] in text:
            return name
    return None


def _inside(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name), inner
            yield from _inside(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _inside(inner)
    elif isinstance(value, str) and value.lstrip()[:1] in ("{", "["):  # engines read some of these as JSON
        with suppress(ValueError, RecursionError):
            yield from _inside(json.loads(value))
