"""Documents: blocks of text and tables in order, as in an annual report or a paper.

In: a filing's HTML (:func:`read_filing`), Markdown (:func:`read_markdown`), JSON (:meth:`Document.of_json`).
Out: text with each table in a format (:meth:`Document.written`), canonical HTML (:func:`to_html`), and chunks
that keep a table with the text that refers to it (:func:`chunks`).
"""

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .chunking import Chunk as Chunk
    from .chunking import Reference as Reference
    from .chunking import chunks as chunks
    from .chunking import introduces as introduces
    from .chunking import references as references
    from .document import Block as Block
    from .document import Document as Document
    from .document import TextBlock as TextBlock
    from .document import sentence_ends as sentence_ends
    from .document import to_html as to_html
    from .filing import read_filing as read_filing
    from .markdown import read_markdown as read_markdown

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
