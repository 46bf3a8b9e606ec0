"""Documents: blocks of text and tables in order, as in an annual report or a paper.

In: a filing's HTML (:func:`read_filing`), Markdown (:func:`read_markdown`), JSON (:meth:`Document.of_json`).
Out: text with each table in a format (:meth:`Document.written`), canonical HTML (:func:`to_html`), and chunks
that keep a table with the text that refers to it (:func:`chunks`).
"""

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .chunking import Chunk as Chunk
    from .chunking import chunks as chunks
    from .document import Block as Block
    from .document import Document as Document
    from .document import TextBlock as TextBlock
    from .document import sentence_ends as sentence_ends
    from .filing import read_filing as read_filing
    from .html_writing import to_html as to_html
    from .markdown import read_markdown as read_markdown
    from .referring import Reference as Reference
    from .referring import introduces as introduces
    from .referring import references as references

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".chunking": ["Chunk", "chunks"],
        ".document": ["Block", "Document", "TextBlock", "sentence_ends"],
        ".filing": ["read_filing"],
        ".html_writing": ["to_html"],
        ".markdown": ["read_markdown"],
        ".referring": ["Reference", "introduces", "references"],
    },
)
