"""How to cite a study (plain text and BibTeX), and the shell commands that reproduce it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from .. import __version__
from ..catalog.folders import card_document
from ..core.errors import InputError, counted
from .study import Study
from .text import sentence, slug, visible

TORR_PLAIN = (
    "Shir Ashury-Tahan, Yifan Mai, Rajmohan C, Ariel Gera, Yotam Perlitz, Asaf Yehudai, Elron Bandel, Leshem "
    "Choshen, Eyal Shnarch, Percy Liang and Michal Shmueli-Scheuer. The Mighty ToRR: A Benchmark for Table "
    "Reasoning and Robustness. 2025. arXiv:2502.19412."
)
TORR_BIBTEX = """@misc{ashurytahan2025torr,
  title = {The Mighty {ToRR}: A Benchmark for Table Reasoning and Robustness},
  author = {Ashury-Tahan, Shir and Mai, Yifan and C, Rajmohan and Gera, Ariel and Perlitz, Yotam and
            Yehudai, Asaf and Bandel, Elron and Choshen, Leshem and Shnarch, Eyal and Liang, Percy and
            Shmueli-Scheuer, Michal},
  year = {2025},
  eprint = {2502.19412},
  archiveprefix = {arXiv}
}
"""
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # BibTeX counts braces, escaped or not
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    **{char: f"\\{char}" for char in "$&#%_"},
}
_ARXIV = re.compile(r"\d{4}\.\d{4,5}(v\d+)?")
_HUB = re.compile(r"[\w.-]+(/[\w.-]+)?")


@dataclass(frozen=True)
class Citation:
    """One work: what it is, as a sentence and as BibTeX ("" where only a place is known)."""

    of: str
    plain: str
    bibtex: str = ""


def citations(study: Study) -> tuple[Citation, ...]:
    """Beside the study: the benchmark whose definitions it uses, and papers and places of its data sets."""
    return (
        Citation(
            "ToRR, which defines performance and ToRR\N{RIGHT SINGLE QUOTATION MARK}s robustness",
            TORR_PLAIN,
            TORR_BIBTEX,
        ),
        *_datasets(study),
    )


def study_citation(study: Study, address: str = "") -> Citation:
    """The study itself; ``address``: where it is published, "" where that is not known."""
    counts = f"{counted(len(study.models), 'model')} on {counted(len(study.datasets), 'data set')}"
    version = str((study.source.study.get("versions") or {}).get("torr-plugin") or "")
    made = f"torr-plugin {version}".strip()
    begun, day = _begun(study), _day(study)
    published = "" if begun else f", published {day}"
    note = f"{counts}, made with {made}{published}; fingerprint of the scores {study.fingerprint}"
    return _ours("This study", study.slug, study.title, day, note, dated=begun, address=address)


def site_citation(title: str, studies: Sequence[Study], address: str = "") -> Citation:
    """A site of several studies, as of the last of them."""
    note = f"{len(studies)} studies of how well models read tables, made with torr-plugin {__version__}"
    day = max(map(_day, studies))
    return _ours("This site", slug(title), title, day, note, dated=day, address=address)


def _ours(of: str, key: str, title: str, day: str, note: str, *, dated: str, address: str) -> Citation:
    """``day`` gives BibTeX its year; ``dated``: the day that the text has after the title, or ""."""
    year = day[:4]
    lines = [
        f"@misc{{{key}{year},",
        f"  title = {{{bibtex_text(title)}}},",
        *([f"  year = {{{year}}},", f"  month = {{{int(day[5:7])}}},"] if day else []),
        *([f"  url = {{{address}}},"] if address else []),
        f"  note = {{{bibtex_text(note)}}}",
        "}",
    ]
    plain = f"{title}. {dated + '. ' if dated else ''}{sentence(note)}.{' ' + address if address else ''}"
    return Citation(of, plain, "\n".join(lines) + "\n")


def bibtex_text(text: str) -> str:
    """Text on one line, with TeX's special characters escaped."""
    line = " ".join(str(visible(text)).split())
    return "".join(_SPECIAL.get(char, char) for char in line)


def _day(study: Study) -> str:
    """When it was begun, or else published: today, or the day of ``SOURCE_DATE_EPOCH``."""
    return _begun(study) or _today()


def _today() -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    at = datetime.fromtimestamp(int(epoch), timezone.utc) if epoch.isdecimal() else datetime.now(timezone.utc)
    return at.date().isoformat()


def _begun(study: Study) -> str:
    """The day on which it was begun; "" where that is not known, as of a scores file."""
    found = str(study.source.study.get("created") or "")[:10]
    return found if re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-\d\d", found) else ""


def _datasets(study: Study) -> tuple[Citation, ...]:
    datasets: Mapping[str, Any] = study.source.study.get("datasets") or {}
    places = {name: card_source(str((datasets.get(name) or {}).get("card") or "")) for name in study.datasets}
    return tuple(Citation(f"Data set {name}", f"{place}.") for name, place in places.items() if place)


def card_source(card: str) -> str:
    """Where a card's data is from, as its file says; "" of one that is not installed, or cannot be read."""
    if not card.startswith("cards."):
        return ""  # a file of someone's disk
    try:
        found = card_document(card).content
    except InputError:
        return ""
    arxiv = str((found.get("__tags__") or {}).get("arxiv") or "")
    parts = [f"arXiv:{arxiv}"] if _ARXIV.fullmatch(arxiv) else []
    hub = (found.get("loader") or {}).get("hub") or {}
    if _HUB.fullmatch(path := str(hub.get("path") or "")):
        revision = str(hub.get("revision") or "not stated")[:40]
        parts.append(f"{path} on the Hugging Face hub, revision {revision}")
    return "; ".join(parts)


HARNESSES = ("eee", "helm", "inspect", "lm-eval", "unitxt")
"""Of ``torr import``."""

_DEFAULTS = {"resamples": 1000, "level": 0.95}


def commands_again(study: Study) -> tuple[str, ...]:
    """The commands from the recipe, the harness's folder or the scores file to the pages, quoted for a shell.

    The recipe is that of the site's own folder, in which they are to be run.
    """
    recorded, run = study.source.study, f"runs/{study.slug}"
    if not recorded:
        path = study.source.path.name
        # a name that begins with a hyphen would be an option
        return (_leaderboard(f"./{path}" if path.startswith("-") else path),)
    again = _analysis(study, run)
    imported = recorded.get("imported")
    if isinstance(imported, Mapping):
        return (_import(imported, run), *again, _leaderboard(run))
    limit = recorded.get("limit")
    chosen = ("--limit", str(limit)) if limit else ()
    command = ("torr", "run", f"{study.paths.data}/recipe.yaml", *chosen, "--out", run)
    return (shlex.join(command), *again, _leaderboard(run))


def _leaderboard(path: str) -> str:
    return shlex.join(("python", "-m", "torr_plugin.leaderboard", path, "--out", "site"))


def _import(imported: Mapping[str, Any], run: str) -> str:
    named = str(imported.get("harness") or "").lower()
    harness = named if named in HARNESSES else "HARNESS"
    options: list[str] = []
    for option in imported.get("options") or ():
        try:
            options += shlex.split(str(option))
        except ValueError:  # quotes that do not end
            options.append(str(option))
    return shlex.join(("torr", "import", harness, "FOLDER", *options, "--out", run))


def _analysis(study: Study, run: str) -> tuple[str, ...]:
    """The command that analyses as it was done here, where a run would not do so by itself."""
    recorded, settings = study.source.study, study.analysis.settings
    recipe = recorded.get("recipe")
    wanted = {**_DEFAULTS, **((recipe.get("analysis") or {}) if isinstance(recipe, Mapping) else {})}
    seed = recorded.get("seed") or 0
    if settings.seed == seed and all(getattr(settings, name) == wanted[name] for name in _DEFAULTS):
        return ()
    options = f"--resamples {settings.resamples} --level {settings.level:g} --seed {settings.seed}".split()
    return (shlex.join(("torr", "analyse", run, *options, "--out", run)),)
