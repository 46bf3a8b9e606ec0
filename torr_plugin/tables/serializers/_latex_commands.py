"""What LaTeX's commands mean for the text of a cell."""

# ruff: noqa: E501, RUF001, SIM905 - tables of names, with the very characters that they stand for

from __future__ import annotations

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
