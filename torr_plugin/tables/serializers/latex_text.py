r"""LaTeX as tokens, and the text of a cell, caption or note, read and written.

White space is as in LaTeX: a run is one space, and white space at the ends is dropped. ``~`` is a no-break
space, ``\\`` inside a cell a newline. Accents such as ``\"o`` become letters, and commands for the look of a
text are dropped. Dollar signs are dropped, the text between them stays.
"""

# ruff: noqa: E501, RUF001, SIM905 - tables of names, with the very characters that they stand for

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"\\(?:[A-Za-z@]+|.|\Z)|%[^\n]*(?:\n[ \t]*)?|[{}&$~\[\]]|[ \t\r\n]+|[^\\%{}&$~\[\] \t\r\n]+", re.S
)


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text: commands, comments, braces, white space, words.

    ``closing`` has for the index of every bracket that is closed the index of the one that closes it.
    """

    items: list[str]
    closing: dict[int, int]

    def skip(self, index: int) -> int:
        """The first index from ``index`` on that is neither white space nor a comment."""
        items = self.items
        while index < len(items) and is_blank(items[index]):
            index += 1
        return index

    def argument(self, index: int) -> tuple[int, int] | None:
        """The inside of the ``{...}`` that begins at ``index``, white space before it passed over."""
        index = self.skip(index)
        if index < len(self.items) and self.items[index] == "{" and index in self.closing:
            return index + 1, self.closing[index]
        return None

    def option(self, index: int) -> tuple[int, int] | None:
        """The inside of the ``[...]`` that begins at ``index``, white space before it passed over."""
        index = self.skip(index)
        if index < len(self.items) and self.items[index] == "[" and index in self.closing:
            return index + 1, self.closing[index]
        return None

    def after(self, index: int, arguments: int) -> int:
        """The index behind so many arguments, and options before each, that begin at ``index``."""
        for _ in range(arguments):
            while option := self.option(index):
                index = option[1] + 1
            argument = self.argument(index)
            if argument is None:
                break
            index = argument[1] + 1
        return index

    def source(self, span: tuple[int, int] | None) -> str:
        """The text of a stretch of tokens without its white space at the ends."""
        return "".join(self.items[span[0] : span[1]]).strip() if span else ""


def is_blank(token: str) -> bool:
    """Whether a token is white space or a comment."""
    return token[0] in " \t\r\n%"


def tokenize(text: str) -> Tokens:
    """All tokens of a text; brackets that nothing closes stay without a partner."""
    items = _TOKEN.findall(text)
    closing: dict[int, int] = {}
    open_: list[int] = []
    for index, item in enumerate(items):
        if item in ("{", "["):
            open_.append(index)
        elif item == "}":
            _close_brace(items, closing, open_, index)
        elif item == "]" and open_ and items[open_[-1]] == "[":
            closing[open_.pop()] = index
    return Tokens(items, closing)


def _close_brace(items: list[str], closing: dict[int, int], open_: list[int], index: int) -> None:
    """A closing brace ends its group, and with it the square brackets left open inside."""
    while open_ and items[open_[-1]] == "[":
        open_.pop()
    if open_:
        closing[open_.pop()] = index


SYMBOLS = {
    "textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~", "textbar": "|", "textless": "<",
    "textgreater": ">", "textquotedbl": '"', "textunderscore": "_", "textdollar": "$", "textbraceleft": "{",
    "textbraceright": "}", "ldots": "…", "dots": "…", "textellipsis": "…", "cdots": "⋯", "pm": "±", "mp": "∓",
    "textpm": "±", "times": "×", "texttimes": "×", "div": "÷", "cdot": "·", "textperiodcentered": "·", "le": "≤",
    "leq": "≤", "ge": "≥", "geq": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "sim": "∼", "equiv": "≡",
    "infty": "∞", "rightarrow": "→", "to": "→", "leftarrow": "←", "uparrow": "↑", "downarrow": "↓",
    "textrightarrow": "→", "textuparrow": "↑", "textdownarrow": "↓", "Rightarrow": "⇒", "ast": "*",
    "star": "⋆", "bullet": "•", "textbullet": "•", "circ": "∘", "degree": "°", "textdegree": "°", "dag": "†",
    "dagger": "†", "ddag": "‡", "ddagger": "‡", "textdagger": "†", "checkmark": "✓", "cmark": "✓", "xmark": "✗",
    "euro": "€", "texteuro": "€", "EUR": "€", "pounds": "£", "textsterling": "£", "yen": "¥", "textyen": "¥",
    "copyright": "©", "textcopyright": "©", "textregistered": "®", "texttrademark": "™", "S": "§", "P": "¶",
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø", "l": "ł",
    "L": "Ł", "i": "ı", "j": "ȷ", "th": "þ", "TH": "Þ", "dh": "ð", "DH": "Ð", "textendash": "–",
    "textemdash": "—", "textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“",
    "textquotedblright": "”", "textquotesingle": "'", "guillemotleft": "«", "guillemotright": "»",
    "lvert": "|", "rvert": "|", "vert": "|", "mid": "|", "sum": "∑", "prod": "∏", "sqrt": "√", "partial": "∂",
    "nabla": "∇", "in": "∈", "cup": "∪", "cap": "∩", "subset": "⊂", "forall": "∀", "exists": "∃",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "textmu": "μ", "nu": "ν",
    "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ",
    "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ",
    "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
"""Commands that stand for a character."""

ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
"""Commands that put a mark on the next letter, and the combining character for it."""

SPACES = frozenset({",", ";", ":", ">", "quad", "qquad", "enspace", "thinspace", "space", "hfill", "hskip"})
"""Commands that make room."""

BREAKS = frozenset({"\\", "newline", "tabularnewline", "linebreak", "par", "item"})
"""Commands that begin a new line inside a cell."""

DROPPED = {
    "textcolor": 1, "color": 1, "cellcolor": 1, "rowcolor": 1, "colorbox": 1, "hspace": 1, "vspace": 1,
    "label": 1, "begin": 1, "end": 1, "rotatebox": 1, "parbox": 1, "scalebox": 1, "resizebox": 2, "href": 1,
    "fontsize": 2, "setlength": 2, "addtolength": 2, "raisebox": 1, "adjustbox": 1, "phantom": 1,
    "hphantom": 1, "vphantom": 1, "rule": 2, "diagbox": 0, "fcolorbox": 2, "renewcommand": 2, "arrayrulecolor": 1,
    "newcommand": 2, "foreignlanguage": 1, "selectlanguage": 1, "vcell": 0, "noalign": 1, "includegraphics": 1,
}  # fmt: skip
"""Commands whose first so many arguments are settings and no text."""

STYLES = frozenset(
    "bfseries bf it itshape em sl slshape sc scshape rm sf tt rmfamily sffamily ttfamily upshape mdseries "
    "normalfont tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge centering raggedright "
    "raggedleft arraybackslash protect relax strut displaystyle textstyle scriptstyle boldmath unboldmath left "
    "right big Big bigg Bigg limits leavevmode noindent indent xspace null ignorespaces unskip allowbreak "
    "nobreak printcell vfill hrulefill smallskip medskip bigskip thead makecell shortstack".split()
)
"""Commands that say how a text looks; nothing of it is left."""


_SPECIAL = {char: "\\" + char for char in "{}$&#_%"}
_SPECIAL |= {"\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "\u00a0": "~"}
# brackets and stars behind a row's end would be taken for its options, and two signs that LaTeX joins are
# kept apart
_ESCAPES = re.compile(
    r"[\\{}$&#^_~%\u00a0\x00-\x09\x0b-\x1f\x7f-\x9f]|\A[\[*]|\A +| +\Z|  +"
    r"|(?<=-)-|(?<=[`!?])`|(?<=')'|(?<=<)<|(?<=>)>|(?<=,),"
)
_is_special = re.compile(r"[\\{}$~%&]|--|``|''").search
_LIGATURES = re.compile("---?|``|''")
_JOINED = {"---": "—", "--": "–", "``": "“", "''": "”"}
_DOTTED = {"\u0131": "i", "\u0237": "j"}
_RUN = re.compile(r"[ \t\r\n]+")
_LENGTH = re.compile(r"[-+]?[0-9.,]*\s*(?:pt|em|ex|[cm]m|in|bp|pc|dd|cc|sp|mu|\\[A-Za-z]+)")
_SOFT = " "
_BREAK = "\n"


def escape(text: str) -> str:
    """One line of text as LaTeX."""
    return _ESCAPES.sub(_escaped, text)


def escape_lines(text: str, between: str) -> str:
    """A text of several lines as LaTeX, with ``between`` for newlines."""
    return between.join(map(escape, text.split("\n"))) if "\n" in text else escape(text)


def _escaped(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == " ":
        return "\\ " * len(found)
    if found in _SPECIAL:
        return _SPECIAL[found]
    if found in "[*":
        return "{" + found + "}"
    if found < " " or "\x7f" <= found < "\xa0":
        return f'\\symbol{{"{ord(found):02X}}}'
    return "{}" + found


@dataclass
class Content:
    """What a stretch of LaTeX says: its text, and the places that it asks for (below 0: upwards)."""

    text: str
    rowspan: int = 1
    colspan: int = 1


def read(tokens: Tokens, start: int, stop: int) -> Content:
    """What the tokens from ``start`` to before ``stop`` say."""
    raw = "".join(tokens.items[start:stop])
    if not _is_special(raw):
        return Content(_RUN.sub(" ", raw).strip(" "))
    return _LatexReader(tokens, stop).read(start)


@dataclass
class _LatexReader:
    """Reads on from token to token; nothing is nested, so that no input is too deep."""

    tokens: Tokens
    stop: int
    pieces: list[tuple[str, bool]] = field(default_factory=list)  # a text, and whether it is soft white space
    mark: str = ""
    spans: dict[str, int] = field(default_factory=dict)

    def read(self, index: int) -> Content:
        while index < self.stop:
            index = self._step(index, self.tokens.items[index])
        if self.mark:
            self._unmarked()
        return Content(_settled(self.pieces), self.spans.get("multirow", 1), self.spans.get("multicolumn", 1))

    def _step(self, index: int, item: str) -> int:
        """Take in the item; the index of the next."""
        if item[0] == "\\":
            return self._command(index + 1, item[1:])
        if item[0] in "{}$":
            if item == "}" and self.mark:
                self._unmarked()
        elif is_blank(item) or item == "&":
            if item[0] != "%" and not self.mark:
                self.pieces.append((_SOFT, True))
        else:
            self._say("\u00a0" if item == "~" else _LIGATURES.sub(lambda match: _JOINED[match[0]], item))
        return index + 1

    def _say(self, text: str) -> None:
        if self.mark and text:
            base = _DOTTED.get(text[0], text[0])
            text = unicodedata.normalize("NFC", base + self.mark) + text[1:]
            self.mark = ""
        self.pieces.append((text, False))

    def _unmarked(self) -> None:
        r"""A mark on nothing, as in ``\^{}``, is the sign itself."""
        sign = next(sign for sign, mark in ACCENTS.items() if mark == self.mark)
        self.mark = ""
        self.pieces.append((sign, False))

    def _command(self, index: int, name: str) -> int:
        # LaTeX drops the space behind any of them; in mathematics it sets signs such as ± with room around
        if name[:1].isalpha() and (name.startswith("text") or SYMBOLS.get(name, "a").isalpha()):
            index = self._beyond_spaces(index)
        if name in BREAKS:
            self.pieces.append((_BREAK, False))
            return past_row_end(self.tokens, index)
        if name in ("multirow", "multicolumn"):
            return self._span(index, name)
        if name in ("symbol", "char"):
            return self._symbol(index)
        if name in ACCENTS:
            self.mark = ACCENTS[name]
            return index
        if name in SPACES or name in DROPPED or name in STYLES:
            return self._silent(index, name)
        return self._word(index, name)

    def _beyond_spaces(self, index: int) -> int:
        items = self.tokens.items
        return index + 1 if index < self.stop and items[index][0] in " \t\r\n" else index

    def _silent(self, index: int, name: str) -> int:
        if name in SPACES:
            self.pieces.append((_SOFT, True))
        option = self.tokens.option(index) if index < self.stop and self.tokens.items[index] == "[" else None
        index = option[1] + 1 if option else index
        environment = self.tokens.source(self.tokens.argument(index)) if name == "begin" else ""
        return self.tokens.after(
            index, DROPPED.get(name, 0) + (environment in ("tabular", "array", "minipage"))
        )

    def _word(self, index: int, name: str) -> int:
        """A sign, a character's name, or an unknown command, which stays if it takes nothing."""
        if name in ("", " ", "\t", "\n", "\r"):
            self._say(" " if name else "\\")
            return self._beyond_spaces(index)
        if name in SYMBOLS:
            self._say(SYMBOLS[name])
        elif not name[0].isalpha():
            self._say("" if name in "-/!@()[]" else name)
        elif self.tokens.option(index) or self.tokens.argument(index):
            option = self.tokens.option(index)
            return option[1] + 1 if option else index
        else:
            self._say("\\" + name)
        return index

    def _span(self, index: int, name: str) -> int:
        option = self.tokens.option(index)
        index = option[1] + 1 if option else index
        argument = self.tokens.argument(index)
        if argument is None:
            return index
        found = re.fullmatch(r"-?\s*[0-9]{1,9}", self.tokens.source(argument))
        self.spans.setdefault(name, int(found[0].replace(" ", "")) if found else 1)
        return self.tokens.after(argument[1] + 1, 1)

    def _symbol(self, index: int) -> int:
        argument = self.tokens.argument(index)
        source = self.tokens.source(argument)
        code = int(source, 10) if re.fullmatch("[0-9]{1,7}", source) else 0x110000
        if re.fullmatch('"[0-9A-Fa-f]{1,6}', source):
            code = int(source[1:], 16)
        if argument is None or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            return index
        self._say(chr(code))
        return argument[1] + 1


def past_row_end(tokens: Tokens, index: int) -> int:
    r"""The index behind the options of ``\\`` at ``index - 1``: a star, a length in brackets."""
    if index < len(tokens.items) and tokens.items[index] == "*":
        index += 1
    option = tokens.option(index)
    return option[1] + 1 if option and _LENGTH.fullmatch(tokens.source(option)) else index


def _settled(pieces: list[tuple[str, bool]]) -> str:
    """The pieces joined: a run of soft white space is one space, none at the ends and around newlines."""
    texts: list[str] = []
    waiting = False
    for text, is_soft in pieces:
        if is_soft:
            waiting = bool(texts) and texts[-1] != _BREAK
        elif text:
            if waiting and text != _BREAK:
                texts.append(" ")
            waiting = False
            texts.append(text)
    return "".join(texts)
