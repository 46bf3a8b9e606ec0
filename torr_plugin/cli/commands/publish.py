"""``torr publish``: checks runs and makes a static site of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from ... import leaderboard, recipes, running
from ...core.errors import counted
from .. import console
from ..command import emit, guarded, say, say_error, say_in_columns
from ..results import results
from .options import Json, ModelFacts

if TYPE_CHECKING:
    from ...leaderboard.checking import PublishingIssue
    from ...leaderboard.site_config import SiteOptions


@dataclass(frozen=True)
class SiteLine:
    """What a site shows and where it goes."""

    runs: Annotated[
        list[Path] | None,
        Argument(help="Run directories, or scores files (Parquet, CSV, JSONL); else those of --config."),
    ] = None
    out: Annotated[Path, Option(help="Where the site goes.")] = Path("site")
    config: Annotated[Path | None, Option(help="A site.yaml: studies, titles, theme, contact, citation.")] = (
        None
    )
    theme: Annotated[str | None, Option(help="A bundled theme, or a theme's folder or CSS file.")] = None
    models: ModelFacts = None
    charts: Annotated[bool, Option(help="Draw an image for links to the site.")] = True

    def options(self) -> SiteOptions:
        """The site, completed by its configuration."""
        from ...leaderboard.site_config import site_options

        return site_options(
            self.runs,
            self.out,
            config=self.config,
            theme=self.theme,
            models=self.models,
            charts=self.charts,
        )


@guarded
def publish(
    line: SiteLine,
    check: Annotated[bool, Option("--check", help="Only list what is wrong with the runs.")] = False,
    anyway: Annotated[bool, Option("--anyway", help="Publish despite errors.")] = False,
    as_json: Json = False,
) -> int:
    """Check runs and turn them into a static site.

    The site opens without a network. Exit code 1 if the check finds errors: then nothing is built, unless
    --anyway is given.
    """
    from ...leaderboard.checking import check as check_runs

    site = line.options()
    if not check:
        running.refuse_repeats(site.runs)
        leaderboard.check_site_folder(site.out, site.runs)
    with console.counting("studies checked"):
        described = recipes.read_models(site.models) if site.models else None
        found = check_runs(site.runs, described, site.words)
    plain = [asdict(each) for each in found]
    errors = sum(each.level == "error" for each in found)
    if check or (errors and not anyway):
        if as_json:
            emit({"studies": site.studies, "errors": errors, "findings": plain})
        else:
            _show(found)
            results().write(f"{_verdict(found, site.studies)}\n")
        if not check:
            say_error("not published; fix the errors, or add --anyway")
        return 1 if errors else 0
    with console.counting("pages and examples") as progress:
        page = site.build(progress)
    if as_json:
        emit({**site.outcome(page), "findings": plain})
        return 0
    shown = [each for each in found if each.level != "note"]
    say_in_columns(*(f"{each.level}: {each.where}: {each.what}; {each.advice}" for each in shown))
    if len(shown) < len(found):
        say(f"{_verdict(found, site.studies)} `torr publish --check` says all.")
    for missing in site.left_out:
        say(f"Left out: found no {missing}")
    say(f"The leaderboard: {page}")
    return 0


def _show(found: Sequence[PublishingIssue]) -> None:
    """A paragraph a finding, with its advice."""
    for each in found:
        console.print_paragraph(f"{each.level}: {each.where}", [each.what, f"> {each.advice}"])


def _verdict(found: Sequence[PublishingIssue], runs: int) -> str:
    """How many findings of each level there are, on one line."""
    counts = {level: sum(each.level == level for each in found) for level in ("error", "warning", "note")}
    totals = ", ".join(counted(number, level) for level, number in counts.items() if number)
    return f"{counted(runs, 'study', 'studies')} checked: {totals or 'nothing to fix'}."
