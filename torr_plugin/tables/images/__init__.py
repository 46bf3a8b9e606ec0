"""Tables as pictures: in goes a table, out comes PNG, drawn by typst (extra ``image``)."""

from __future__ import annotations

from .drawing import png

__all__ = ["png"]
