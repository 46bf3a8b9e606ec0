"""``torr synth``: generated data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from ... import catalog
from ...core.errors import InputError
from .. import console
from ..command import OrderedCommand, command_app, emit, guarded, say, writing
from .annotate import accept_questions, qa
from .options import Json, names_in

app = command_app("Make data sets: by construction, or with questions that models write.")

_TYPES = range(1, 16)


app.command("accept", short_help="Make data of the questions about documents that people accepted.")(
    accept_questions
)
app.command(cls=OrderedCommand, short_help="Have models write questions about documents and filter them.")(qa)


@app.command(short_help="Make human-centric tables with questions, after HCT-QA.")
@guarded
def hctqa(
    out: Annotated[Path, Option(help="A new or empty folder.")],
    tables: Annotated[int | None, Option(min=1, help="How many; else every combination of layouts.")] = None,
    seed: Annotated[int, Option(help="Seed of the tables.")] = 0,
    parameters: Annotated[Path | None, Option(help="A folder with the three parameter files.")] = None,
    topics: Annotated[str | None, Option(help="Only these families of tables, by valueName: A,B.")] = None,
    questions: Annotated[str | None, Option(help="Only these types of questions, 1 to 15: 1,2.")] = None,
    formats: Annotated[str | None, Option(help="Files of each table: html,csv,latex,xlsx,png.")] = None,
    nonsense: Annotated[bool, Option("--nonsense", help="Also write all of it in made-up words.")] = False,
    replica: Annotated[int | None, Option(min=1, help="How many variants of each combination.")] = None,
    shuffle: Annotated[str | None, Option(help="Instead of the file's: none,row,cols,rowscols,all.")] = None,
    sft: Annotated[str | None, Option(help="Also write a fine-tuning set: alpaca or chat.")] = None,
    sft_table: Annotated[str, Option(help="Format of the tables in the fine-tuning set.")] = "html",
    as_json: Json = False,
) -> int:
    """Make human-centric tables with questions, SQL and answers, after HCT-QA."""
    options = {
        "tables": tables,
        "seed": seed,
        "parameters": parameters,
        "topics": names_in(topics),
        "kinds": _types(names_in(questions)),
        "formats": names_in(formats),
        "nonsense": nonsense,
        "replica": replica,
        "shuffle": names_in(shuffle),
        "sft": sft,
        "sft_table": sft_table,
    }
    with writing(out), console.counting("tables") as progress:
        result = catalog.data_set_makers.get("hctqa")(options, out, progress)
    if as_json:
        emit(result)
    else:
        say(f"{result['tables']:,} tables and {result['questions']:,} questions in {out}")
    return 0


def _types(given: tuple[str, ...]) -> tuple[int, ...]:
    for part in given:
        if not part.isdecimal() or int(part) not in _TYPES:
            raise InputError(f"--questions: found {part!r}, expected types of questions from 1 to 15: 1,2,5")
    return tuple(sorted({int(part) for part in given}))
