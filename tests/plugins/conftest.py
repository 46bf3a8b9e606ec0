"""What the tests of plugins share: the example plugin in this process, and plugins installed in a folder."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from torr_plugin.plugins import registered
from torr_plugin.plugins.loading import _loaded, _manager, _pending, _unregister

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "plugin"

Install = Callable[..., None]


@pytest.fixture(scope="module")
def example() -> Iterator[dict[str, tuple[str, ...]]]:
    """What the example plugin adds, registered in this process for the tests of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLE))
        with registered(importlib.import_module("torr_example"), "example") as adds:
            yield adds


@pytest.fixture
def forgotten() -> Iterator[None]:
    """The plugins that are found anew, in the test and after it."""
    _forget()
    yield
    _forget()


def _forget() -> None:
    for plugin in _loaded:
        if plugin.problem is None:
            _unregister(plugin.name)
    _loaded.clear()
    _pending.cache_clear()
    _manager.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgotten: None) -> Install:
    """Installs a plugin into ``tmp_path``, which this process imports from."""
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()

    def made(name: str, source: str, **more: str) -> None:
        sys.modules.pop(name.replace("-", "_"), None)
        write_plugin(tmp_path, name, source, **more)
        importlib.invalidate_caches()

    return made


def write_plugin(
    folder: Path, name: str, source: str, *, entry: str = "", attribute: str = "", version: str = "1.2"
) -> None:
    """Write a plugin as pip would install it: a module, and what says that it is one."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(source)
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    target = f"{module}:{attribute}" if attribute else module
    (info / "entry_points.txt").write_text(f"[torr_plugin]\n{entry or name} = {target}\n")
