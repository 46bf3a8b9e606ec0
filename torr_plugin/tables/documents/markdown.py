"""Read Markdown with tables into a document, by way of HTML.

Rules for markdown-it turn Markdown into the HTML that the reader of filings takes in, with tables as the
format ``html`` writes them: pipe tables of our own reading, formulas, footnotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from ...core.errors import ParseError, TableError
from ..serializers.drawn import DELIMITER, Markdown, split_line, unescape
from ..serializers.markup import Html, escape
from ..serializers.structure import most_places
from .document import Document
from .filing import check_text, read_html

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

_FRONT = re.compile(r"\A\ufeff?---[ \t]*\n((?:[^\n]*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TITLE = re.compile(r"^title:[ \t]*([\"']?)(.*?)\1[ \t]*$", re.M)
_KEY = re.compile(r"[\w-]+:")


def read_markdown(text: str, *, title: str = "") -> Document:
    """The document that a Markdown text shows: CommonMark with pipe tables, as papers and web pages have it.

    Headings of both kinds, paragraphs, items of lists, quotes and code become blocks of text without marks of
    emphasis and links; formulas (``$x_i$``) stay as written. Tables are pipe tables, short rows filled and
    long ones kept, those of the format ``markdown`` with their comments, and ``<table>`` amid the text.
    Captions (``Table 3: ...``) above or below a table become its title, footnotes below it its notes, as in
    :func:`read_filing`; :func:`to_html` gives the canonical HTML of TableQuest's appendix F. Time is linear.

    Args:
        text: the Markdown.
        title: the document's; by default that of the metadata between lines of ``---``, else its first
            heading of level 1.

    Raises:
        ParseError: binary data, lists and quotes nested too deep, tables that cover too many places, and what
            :func:`read_filing` refuses of HTML amid the text.
    """
    check_text(text, "markdown")
    metadata, body = _parted(text.replace("\r\n", "\n").replace("\r", "\n"))
    parser = _parser()
    tokens = parser.parse(body)
    if any(token.level >= MOST_NESTED - 1 for token in tokens):
        raise ParseError(f"markdown: lists and quotes are nested more than {MOST_NESTED // 2} deep")
    html = parser.renderer.render(tokens, parser.options, {})
    document = read_html(f"<body>{html}</body>", "markdown")
    return Document(document.blocks, title or metadata or _first_heading(document))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return html_renderer()


def _parted(text: str) -> tuple[str, str]:
    """The title that the metadata give, and the text below them."""
    front = _FRONT.match(text)
    if not front or not _KEY.match(front[1]):
        return "", text
    found = _TITLE.search(front[1])
    return found[2] if found else "", text[front.end() :]


def _first_heading(document: Document) -> str:
    return next((text.text for text in document.texts if text.kind == "heading" and text.level == 1), "")


BlockRule: TypeAlias = "Callable[[StateBlock, int, int, bool], bool]"

MOST_NESTED = 100
"""Levels of elements; a list or a quote takes two at most."""

_COMMENT = re.compile(r"<!-- (?:title|note|header rows|header columns|merged): .*-->")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,40}\]:")
_OPEN, _CLOSE = re.compile(r"<table\b", re.I), re.compile(r"</table\s*>", re.I)
_MARKUP = re.compile(r"(?<!\\)(?:[*_`\[$~]|<(?!br\b))|\\[(\[]", re.I)
_FORMULA = re.compile(
    r"\$\$[^$]+\$\$|\$(?![\s$])[^$\n]*(?<![\s\\])\$(?!\d)|"
    r"\\\((?:[^\\]|\\[^()])*\\\)|\\\[(?:[^\\]|\\[^\[\]])*\\\]"
)
_HTML, _MARKDOWN = Html(), Markdown()


def html_renderer() -> MarkdownIt:
    """The parser and renderer of Markdown."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"maxNesting": MOST_NESTED}).enable("strikethrough")
    made.block.ruler.before("code", "pipe_table", _pipe_table, {"alt": ["paragraph", "reference"]})
    for name, rule in (("html_table", _html_table), ("footnote", _footnote)):
        made.block.ruler.before("code", name, rule, {"alt": ["paragraph", "reference", "blockquote"]})
    made.inline.ruler.before("escape", "formula", _formula)
    made.add_render_rule("hr", lambda *_: "\n")
    made.add_render_rule("image", _image)
    made.add_render_rule("fence", _code)
    made.add_render_rule("code_block", _code)
    return made


def _code(renderer: Any, tokens: Any, place: int, *_: Any) -> str:
    """Code, its lines kept."""
    return f"<p>{escape(tokens[place].content)}</p>\n"


def _image(renderer: Any, tokens: Any, place: int, options: Any, env: Any) -> str:
    """A picture as its description."""
    return escape(renderer.renderInlineAsText(tokens[place].children, options, env))


def _formula(state: StateInline, silent: bool) -> bool:
    """A formula of LaTeX, as written; a dollar sign before a digit closes none: sums of money stay."""
    if state.src[state.pos] not in "$\\":
        return False
    match = _FORMULA.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        state.push("text", "", 0).content = match[0]
    state.pos = match.end()
    return True


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph for ``[^1]: text``, which CommonMark may take for the address of a link."""
    if not _is_footnote(state, start):
        return False
    if not silent:
        state.line = start + 1
        while state.line < end and _line(state, state.line) and not _is_footnote(state, state.line):
            state.line += 1
        state.push("paragraph_open", "p", 1).map = [start, state.line]
        inline = state.push("inline", "", 0)
        inline.content = state.getLines(start, state.line, state.blkIndent, False).strip()
        inline.map, inline.children = [start, state.line], []
        state.push("paragraph_close", "p", -1)
    return True


def _is_footnote(state: StateBlock, line: int) -> bool:
    return bool(_FOOTNOTE.match(_line(state, line)))


def _html_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A ``<table>`` up to the line that ends it, blank lines and all; without an end it is any other HTML."""
    if not _OPEN.match(_line(state, start)) or state.is_code_block(start) or start > _last_close(state):
        return False
    if silent:
        return True
    depth = 1
    state.line = start
    while depth > 0 and state.line < min(end, _last_close(state) + 1):
        line = _line(state, state.line)
        depth += len(_OPEN.findall(line)) - len(_CLOSE.findall(line)) - (state.line == start)
        state.line += 1
    _push_html(state, start, state.getLines(start, state.line, state.blkIndent, True))
    return True


def _last_close(state: StateBlock) -> int:
    """The last line that ends a table, -1 if none does."""
    if "last_close" not in state.env:
        place = state.src.lower().rfind("</table")
        state.env["last_close"] = -1 if place < 0 else state.src.count("\n", 0, place)
    return int(state.env["last_close"])


def _pipe_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A table of pipes as GitHub's Markdown has it, but long rows keep all their cells."""
    if start + 1 >= end or state.sCount[start + 1] < state.blkIndent:
        return False
    head, delimiter = _line(state, start), _line(state, start + 1)
    if "|" not in head or "|" not in delimiter or not DELIMITER.fullmatch(delimiter):
        return False
    if state.is_code_block(start) or len(split_line(head)) != len(split_line(delimiter)):
        return False
    if silent:
        return True
    ends = state.md.block.ruler.getRules("blockquote")
    state.line = start + 2
    while state.line < end and _goes_on(state, end, ends):
        state.line += 1
    lines = state.getLines(start, state.line, state.blkIndent, False).split("\n")
    comments = _comments(state, start)
    _push_html(state, start, _table_html(lines, comments, state.md.renderInline))
    return True


def _goes_on(state: StateBlock, end: int, ends: Sequence[BlockRule]) -> bool:
    """Whether the next line is a row."""
    line = state.line
    if not _line(state, line) or state.sCount[line] < state.blkIndent or state.is_code_block(line):
        return False
    return _line(state, line).startswith("|") or not any(rule(state, line, end, True) for rule in ends)


def _comments(state: StateBlock, start: int) -> list[str]:
    """The comments of the format ``markdown`` right above a table, taken out of the tokens."""
    found: list[str] = []
    while state.tokens and (last := state.tokens[-1]).type == "html_block" and last.map:
        if last.map[1] != start - len(found) or not _COMMENT.fullmatch(last.content.strip()):
            break
        found.insert(0, state.tokens.pop().content.strip())
    return found


def _table_html(lines: list[str], comments: list[str], inline: Callable[[str], str]) -> str:
    """The table of these lines as HTML."""
    if comments:
        try:
            return _HTML.serialize(_MARKDOWN.parse("\n".join(comments + lines)))
        except TableError:
            pass  # comments of someone else's
    rows = [[_cell(text, inline) for text in split_line(line)] for line in (lines[0], *lines[2:])]
    width = max(map(len, rows))
    if width * len(rows) > (most := most_places(sum(map(len, rows)))):
        raise ParseError(f"markdown: a table covers more than {most} places")
    rows = [row + [""] * (width - len(row)) for row in rows]
    if len(rows) == 1:
        return f'<table data-header-rows="0">{_row("td", rows[0])}</table>'
    body = "\n".join([_row("td", row) for row in rows[1:]])
    return f"<table><thead>{_row('th', rows[0])}</thead><tbody>\n{body}\n</tbody></table>"


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr><{tag}>" + f"</{tag}><{tag}>".join(cells) + f"</{tag}></tr>"


def _cell(text: str, inline: Callable[[str], str]) -> str:
    return inline(text.replace("\\|", "|")) if _MARKUP.search(text) else escape(unescape(text))


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _push_html(state: StateBlock, start: int, html: str) -> None:
    token = state.push("html_block", "", 0)
    token.map, token.content = [start, state.line], f"\n{html}\n"
