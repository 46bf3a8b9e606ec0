"""``torr synth accept``: from reviewed questions about documents to data that cards read."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ... import catalog
from ...workflows import synth_qa
from .. import console
from ..command import emit, guarded, writing
from .options import Json, MirrorTo, Reviews


@guarded
def accept(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `torr synth qa` wrote.")],
    review: Reviews = None,
    to: MirrorTo = None,
    all_kept: Annotated[
        bool, typer.Option("--all-kept", help="Also take what the filter kept and nobody reviewed.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Make a mirror of the questions that people accepted and of their documents, for the cards tablequest.*.

    Questions that were rejected, not reviewed or dropped by the filter are left out and counted. The column
    provenance says what a reviewer changed.
    """
    mirror = to or catalog.mirror_folder() or Path("data")
    with writing(mirror):
        found = synth_qa.accept_questions(folder, mirror, reviews=review or (), unreviewed=all_kept)
    if as_json:
        emit(asdict(found))
    else:
        console.show_accepted_questions(found, there=os.environ.get("TORR_DATA") == str(mirror))
    return 0
