"""Start Ray on this machine, or join a cluster."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....core.errors import RunError
from ....core.installing import install_hint
from ...answer import one_line
from ...dispatch import DispatchRules
from ..base import Executor
from .driver import RayExecutor
from .worker import LOADER

_REACH = 10.0  # seconds
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_DEDUP_LOGS": "0"}


@contextmanager
def ray_executor(
    address: str | None = None, *, rules: DispatchRules | None = None, loader: str = LOADER
) -> Iterator[Executor]:
    """Asks models in Ray actors: on the cluster at an address, or that is joined, else on this machine.

    Ray is left afterwards if it was started or joined here.

    Args:
        address: ``auto`` (the cluster that this machine is a node of) or ``host:port``.
        rules: of the dispatcher.
        loader: ``package.module:function`` that makes the model inside an actor.

    Raises:
        RunError: Ray is not installed, does not start, or there is no cluster at the address.
    """
    try:
        import ray
    except ImportError as error:
        raise RunError(f"the executor 'ray' needs Ray: {install_hint('.[ray]')}") from error
    if address is not None and "://" in address:
        raise RunError(
            f"--ray-address: found {address!r}, expected 'auto' or 'host:port' of the cluster, on one of its "
            "nodes; a connection by Ray Client would lose what is in flight with every interruption"
        )
    ours = not ray.is_initialized()
    if ours:
        _reach(address)
        _start(ray, address)
    try:
        with _without_messages(ray):
            yield RayExecutor(ray, rules=rules, loader=loader, joined=address is not None or not ours)
    finally:
        if ours:
            ray.shutdown()


def _reach(address: str | None) -> None:
    """Check that something listens at an address; Ray itself tries for minutes."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS")  # what Ray takes ``auto`` for where it is set
    if not address or address == "local":
        return
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH).close()
    except (OSError, ValueError) as error:
        raise RunError(f"no Ray cluster at {address!r}: {one_line(error)}") from error


@contextmanager
def _without_messages(ray: Any) -> Iterator[None]:
    """Keep Ray from printing to stdout, where our result goes, why its processes died; Ray has no option."""
    module = ray._private.worker
    show = getattr(module, "print_to_stdstream", None)
    if show is not None:
        module.print_to_stdstream = lambda *_, **__: None
    try:
        yield
    finally:
        if show is not None:
            module.print_to_stdstream = show


def _start(ray: Any, address: str | None) -> None:
    before = {name: os.environ.get(name) for name in _QUIET}
    stop = signal.getsignal(signal.SIGTERM)
    os.environ.update({name: value for name, value in _QUIET.items() if before[name] is None})
    try:
        if address is None:
            # "local", as the user named no cluster, even if one runs here or is in RAY_ADDRESS
            ray.init("local", include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        else:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray wraps whatever its processes ended with
        what = "Ray does not start" if address is None else f"no Ray cluster at {address!r}"
        raise RunError(f"{what}: {one_line(error)}") from error
    finally:
        for name in (name for name, value in before.items() if value is None):
            os.environ.pop(name, None)
        if threading.current_thread() is threading.main_thread():  # Ray sets its own handler of SIGTERM
            signal.signal(signal.SIGTERM, stop or signal.SIG_DFL)
