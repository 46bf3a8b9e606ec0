"""Long documents from end to end: made, read, cut into chunks and asked about; seconds and memory by number.

    python benchmarks/documents.py [--documents 20] [--pages 10] [--full] [--json]

The bundled annual reports, one behind another until a document is long enough, with one question each: a
tenth, three tenths and all of the documents; ``--full`` is 1,000 of 100 pages. Every stage has a process of
its own and tells its processor time and its peak of resident memory.

``make``: the HTML and the questions. ``read``: every document by ``read_filing``; ``chunk``: cut into chunks
of about 4,000 tokens. ``ask``: a study of the card ``tablequest.extraction`` with ``torr-lexical``, planned,
asked, stored, scored, analysed. Beside reading, on the same files: ``lxml`` alone, which gives the text of
the page without tables, and ``pandas.read_html``, which gives its tables without text, on at most 20 of them.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

CHUNK_TOKENS = 4_000
PEER_DOCUMENTS = 20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--full", action="store_true", help="1,000 documents of 100 pages")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--stage", choices=list(STAGES), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    documents, pages = (1_000, 100) if given.full else (given.documents, given.pages)
    if given.stage:
        logging.disable(logging.WARNING)
        found = STAGES[given.stage](given.folder, documents, pages)
        print(json.dumps({**found, "MiB": peak_mib()}))
        return
    sizes = sorted({max(1, documents * tenths // 10) for tenths in (1, 3, 10)})
    measured = [row for size in sizes for row in of_size(size, pages)]
    if given.json:
        print(json.dumps({"pages": pages, "stages": measured}))
        return
    print(f"{'documents':>9} {'stage':<8} {'seconds':>9} {'ms each':>8} {'MiB':>7}")
    for row in measured:
        each = 1000 * row["seconds"] / row["documents"]
        figures = f"{row['seconds']:9.1f} {each:8.1f} {row['MiB']:7,.0f}"
        print(f"{row['documents']:9,} {row['stage']:<8} {figures}")


def of_size(documents: int, pages: int) -> Iterator[dict[str, Any]]:
    """Every stage of so many documents, each in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for stage in STAGES:
            command = [sys.executable, __file__, "--stage", stage, "--folder", name]
            options = ["--documents", str(documents), "--pages", str(pages)]
            done = subprocess.run(
                [*command, *options],
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "TORR_DATA": str(folder / "made")},
            )
            if done.returncode:
                raise SystemExit(f"{stage}: {done.stderr.strip()[-2000:]}")
            yield {"stage": stage, "documents": documents, **json.loads(done.stdout.splitlines()[-1])}


def make(folder: Path, documents: int, pages: int) -> dict[str, Any]:
    """The mirror of the documents; each begins with another of the bundled reports of three pages."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from torr_plugin.catalog.generated import generate
    from torr_plugin.tables.documents import to_html

    rows = generate("filings", seed=0, sizes={"test": 180})["test"]
    asked = [row for row in rows if row["level"] == "extraction"][::3]
    bodies = [to_html(row["document"]) for row in asked]
    mirror = folder / "made" / "tablequest"
    mirror.mkdir(parents=True)
    start, characters = time.process_time(), 0
    schema = pa.schema([("path", pa.string()), ("content", pa.string())])
    with pq.ParquetWriter(mirror / "documents.parquet", schema) as writer:
        for number in range(documents):
            html = "".join(bodies[(number + part) % len(bodies)] for part in range(max(1, pages // 3)))
            writer.write_batch(pa.record_batch([[f"{number}.html"], [html]], schema=schema))
            characters += len(html)
    names = ("question", "answer", "level", "steps", "evidence", "company", "year")
    questions = [
        {
            "id": f"q{number}",
            "document": str(number),
            **{name: asked[number % len(asked)][name] for name in names},
        }
        | {"table": int(asked[number % len(asked)]["evidence_table"])}
        for number in range(documents)
    ]
    pq.write_table(pa.Table.from_pylist(questions), mirror / "questions.parquet")
    return {"seconds": time.process_time() - start, "characters": characters}


def read(folder: Path, documents: int, pages: int) -> dict[str, Any]:
    """Seconds of reading."""
    from torr_plugin.tables.documents import read_filing

    return {"seconds": sum(timed(partial(read_filing, html))[0] for html in pages_of(folder))}


def chunk(folder: Path, documents: int, pages: int) -> dict[str, Any]:
    """Seconds of cutting, reading not included, and how many chunks there are."""
    from torr_plugin.core.texts import estimate_tokens
    from torr_plugin.tables.documents import Block, TextBlock, chunks, read_filing, to_html
    from torr_plugin.tables.documents import Document as Whole

    def size(block: Block) -> int:
        text = block.text if isinstance(block, TextBlock) else to_html(Whole((block,)))
        return estimate_tokens(text)

    seconds, count = 0.0, 0
    for html in pages_of(folder):
        took, cut = timed(partial(chunks, read_filing(html), CHUNK_TOKENS, size))
        seconds, count = seconds + took, count + len(cut)
    return {"seconds": seconds, "chunks": count}


def ask(folder: Path, documents: int, pages: int) -> dict[str, Any]:
    """Seconds of a study with one question a document, and the memory after each step."""
    from torr_plugin.analysis import analyse
    from torr_plugin.recipes import Recipe, plan
    from torr_plugin.running import Run, execute
    from torr_plugin.scoring import score_run

    recipe = Recipe.model_validate(
        {
            "name": "long",
            "cards": ["cards.tablequest.extraction"],
            "configurations": "html/none/default",
            "demonstrations": {"shots": 0},
            "examples": {"count": "all"},
            "models": ["torr-lexical"],
        }
    )
    steps = {}

    def step(name: str, work: Callable[[], Any]) -> Any:
        seconds, result = timed(work)
        steps[name] = {"seconds": seconds, "MiB": peak_mib()}
        return result

    planned = step("plan", lambda: plan(recipe))
    summary = step("execute", lambda: execute(planned, recipe.models, folder / "run"))
    scores = step("score", lambda: score_run(Run.open(summary.run)))
    step("analyse", lambda: analyse(scores, resamples=100))
    if summary.failed or summary.requests != documents:
        raise SystemExit(f"{summary.requests} requests of {documents}, {summary.failed} failed")
    main_scores = scores.loc[scores["main"], "score"]
    seconds = sum(each["seconds"] for each in steps.values())
    return {"seconds": seconds, "steps": steps, "accuracy": float(main_scores.mean())}


def with_lxml(folder: Path, documents: int, pages: int) -> dict[str, Any]:
    """Seconds of parsing alone, and the text of the page."""
    import lxml.html

    texts = (page.encode() for page in pages_of(folder))
    return {"seconds": sum(timed(lambda t=text: lxml.html.fromstring(t).text_content())[0] for text in texts)}


def with_pandas(folder: Path, documents: int, pages: int) -> dict[str, Any]:
    """Seconds of reading the tables, scaled up from at most 20 documents."""
    import pandas as pd

    some = list(islice(pages_of(folder), PEER_DOCUMENTS))
    files = (io.BytesIO(html.encode()) for html in some)
    seconds = sum(timed(partial(pd.read_html, file, flavor="lxml", encoding="utf-8"))[0] for file in files)
    return {"seconds": seconds * documents / len(some)}


STAGES: dict[str, Callable[[Path, int, int], dict[str, Any]]] = {
    "make": make,
    "read": read,
    "lxml": with_lxml,
    "pandas": with_pandas,
    "chunk": chunk,
    "ask": ask,
}


def pages_of(folder: Path) -> Iterator[str]:
    """The HTML of every document, one at a time."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(folder / "made" / "tablequest" / "documents.parquet") as file:
        for batch in file.iter_batches(batch_size=1, columns=["content"]):
            yield batch["content"][0].as_py()


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def peak_mib() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
