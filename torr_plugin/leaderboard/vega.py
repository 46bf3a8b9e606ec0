"""The Vega library, once a site: of the version that draws our files, so that both look alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from ..core.atomic_files import file_in_place_of
from ..core.user_cache import user_cache
from .files import DataFile

_NOTE = (
    "/* Vega {vega}, Vega-Lite {lite} and Vega-Embed {embed}, University of Washington Interactive Data Lab, "
    "BSD 3-Clause licence, and the libraries they rest on: LICENSES.txt beside this file. "
    "vl-convert {maker} */\n"
)
_END = "\n/* the whole of it */\n"


def vega_files() -> Iterator[DataFile]:
    """``assets/vega.js``, which sets ``vegaEmbed``; its licences are an asset like the others."""
    yield DataFile("assets/vega.js", _library())


@cache
def _library() -> str:
    """The library: three seconds to make, and so kept in the user's cache, under its versions.

    A cache that cannot be read or written, or holds part of a file, costs the three seconds and nothing else.
    """
    from importlib.metadata import version

    import vl_convert

    versions = {
        "vega": vl_convert.get_vega_version(),
        "lite": vl_convert.get_vegalite_versions()[-1],
        "embed": vl_convert.get_vega_embed_version(),
        "maker": version("vl-convert-python"),
    }
    note = _NOTE.format(**versions)
    kept = user_cache() / "vega" / f"{'-'.join(versions.values())}.js"
    with suppress(OSError, UnicodeDecodeError):
        found = kept.read_text(encoding="utf-8")
        if found.startswith(note) and found.endswith(_END):
            return found
    made = note + str(vl_convert.javascript_bundle()) + _END  # type: ignore[call-arg]  # its stub asks for a snippet
    with suppress(OSError):
        _keep(kept, made)
    return made


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with file_in_place_of(path) as aside:
        aside.write_text(text, encoding="utf-8")
