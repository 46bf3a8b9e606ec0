"""One study through ``torr run``, lm-eval, unitxt and HELM: the same prompts, the same scores, seconds each.

    python benchmarks/harnesses.py [--study quickstart] [--examples 4] [--harness torr,lm-eval,unitxt,helm]
              [--write benchmarks/README.md | --check benchmarks/README.md] [--table NAME] [--json]

Each harness is run by its own command in a process of its own, the embedded model ``torr-lexical`` answers,
and what the harness wrote itself is read: prompts, answers and scores. Ends with 1 where any of them differs,
and with ``--check`` where the table of the page says anything else (but for the seconds).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from harness_results import Results
from harness_sides import SIDES, Study

MODEL = "torr-lexical"
BEGIN, END = "<!-- made by benchmarks/harnesses.py{} -->", "<!-- end -->"
HEADER = (
    "| harness | prompts | same prompts | same answers | same scores | performance | seconds |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
)
TOLERANCE = 1e-9


def compared(study: Study, harnesses: list[str], folder: Path) -> list[dict[str, object]]:
    """A row a harness, the first of which the others are compared with."""
    rows: list[dict[str, object]] = []
    first: Results | None = None
    for name in harnesses:
        place = folder / name
        place.mkdir()
        found = SIDES[name](study, place)
        first = first or found
        rows.append({"harness": name, **found.beside(first, TOLERANCE), "seconds": round(found.seconds, 1)})
    return rows


def table(rows: list[dict[str, object]]) -> list[str]:
    """The rows as Markdown."""
    return [
        *HEADER,
        *(
            "| {harness} | {prompts:,} | {same_prompts:,} | {same_answers:,} | {same_scores} | "
            "{performance:.4f} | {seconds} |".format(**row)
            for row in rows
        ),
    ]


def whole(rows: list[dict[str, object]]) -> bool:
    """Whether nothing differs."""
    return all(
        row["prompts"] == row["same_prompts"] == row["same_answers"] == rows[0]["prompts"]
        and row["same_scores"] == f"{row['scores']:,} of {row['scores']:,}"
        and row["scores"]
        for row in rows
    )


def written(page: Path, lines: list[str], begin: str) -> None:
    """Put the table between the page's marks."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(END)
    page.write_text("\n".join([before + begin, "", *lines, "", END]) + after, encoding="utf-8")


def differs(page: Path, lines: list[str], begin: str) -> list[str]:
    """What the page's table says otherwise, seconds aside; harnesses that were not run are not looked at."""
    text = page.read_text(encoding="utf-8").partition(begin)[2].partition(END)[0]
    there = {_without_seconds(line) for line in text.splitlines() if line.startswith("|")}
    return [line for line in lines if _without_seconds(line) not in there]


def _without_seconds(line: str) -> str:
    return line.rstrip("| ").rpartition("|")[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--study", default="quickstart")
    parser.add_argument("--cards", help="some of its data sets, divided by commas")
    parser.add_argument("--examples", type=int, default=4)
    parser.add_argument("--harness", default=",".join(SIDES), help="the others are compared with the first")
    parser.add_argument("--write", type=Path, help="a page whose table is replaced")
    parser.add_argument("--check", type=Path, help="a page whose table must say the same")
    parser.add_argument("--table", help="which of the page's tables, by the name in its mark; else the first")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    study = Study(
        str(Path(options.study).resolve()) if options.study.endswith(".yaml") else options.study,
        options.examples,
        MODEL,
        tuple((options.cards or "").split(",")) if options.cards else (),
    )
    with tempfile.TemporaryDirectory() as folder:
        rows = compared(study, options.harness.split(","), Path(folder))
    lines = table(rows)
    print(json.dumps({"rows": rows}) if options.json else "\n".join(lines))
    begin = BEGIN.format(f" --table {options.table}" if options.table else "")
    if options.write:
        written(options.write, lines, begin)
    other = differs(options.check, lines, begin) if options.check else []
    for line in other:
        print(f"{options.check}: says otherwise; found now {line}", file=sys.stderr)
    return 0 if whole(rows) and not other else 1


if __name__ == "__main__":
    sys.exit(main())
