"""What each user types: tables of their own, a server with faults, a tiny model, a plugin, odd inputs."""

from __future__ import annotations

import io
import json

from faulty_server import Faults
from faulty_server import faulty_server as served
from journey_walk import Walk
from openpyxl import Workbook

RIVERS = "River,Country,Length (km)\nOtter,Norland,412\nHeron,Norland,1205\nZürn,Sudmark,733\n"
FERRIES = "Line;Year;Passengers\nNorth;2021;18200\nNorth;2022;19750\nSouth;2021;9400\n"
BUDGET: tuple[tuple[object, ...], ...] = (
    ("Office", "2021", None, "2022", None),
    (None, "Plan", "Cost", "Plan", "Cost"),
    ("Schools", 400, 398.2, 410, 412.5),
    ("Roads", 210, 205, 220, 231),
)
QUESTIONS = """table,question,answer,split
rivers,How long is the Heron?,"1,205",test
rivers,Which river is in Sudmark?,Zürn,test
budget,How much did schools cost in 2022?,412.5,test
ferries,How many passengers had the line South in 2021?,9400,train
ferries,In which year had the line North more passengers?,2022,train
"""
ODD = ("test_bad_input.py", "test_odd_inputs.py")
STUDY = """
name: {name}
cards: [{card}]
configurations:
  - serializers: [{serializers}]
    perturbations: [none, transpose]
demonstrations: {{shots: 1}}
examples: {{count: {count}}}
generation: {{max_tokens: 8}}
models: [torr-lexical]
"""


def own_tables(walk: Walk) -> None:
    """CSV files in three encodings, a workbook with merged headings, and a list of questions."""
    walk.variables["TORR_DATA"] = "data"
    walk.write("tables/rivers.csv", RIVERS.encode("latin-1"))
    walk.write("tables/ferries.csv", FERRIES.encode("utf-16"))
    walk.write("tables/budget.xlsx", _workbook())
    walk.write("questions.csv", QUESTIONS)
    make = ["data", "make", "towns", "--tables", "tables", "--questions", "questions.csv"]
    walk.torr("make the data set", *make, "--metric", "number_match", says="towns.yaml")
    walk.torr("read every example", "data", "verify", "towns.json")
    walk.torr("plan", "plan", "towns.yaml", says="towns")
    prompts = walk.torr(
        "read the prompts", "prompts", "towns.yaml", "--limit", "3", "--out", "-", says="Zürn"
    )
    walk.check("merged headings are in a prompt", "colspan" in prompts, "no colspan in any prompt")
    walk.torr("run", "run", "towns.yaml", says="torr-lexical")
    walk.torr("publish", "publish", "runs/towns", "--out", "site", "--no-charts", "--anyway", says="site")
    walk.check("the site is there", (walk.folder / "site" / "index.html").is_file(), "no site/index.html")
    walk.write("tables/rivers.csv", b"\xff\xfe\x00")
    walk.torr("a file that is cut gives one line", *make, code=2, says="rivers.csv")


def _workbook() -> bytes:
    book = Workbook()
    sheet = book.active
    for row in BUDGET:
        sheet.append(row)
    for merged in ("A1:A2", "B1:C1", "D1:E1"):
        sheet.merge_cells(merged)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def faulty_server(walk: Walk) -> None:
    """A server that refuses, fails and delays a few of its requests; and mistyped arguments."""
    walk.write("formats.yaml", _study("formats", "cards.bundled.cell_lookup", "html, markdown, csv", 100))
    model = ["--model", "local-chat-completions", "--model-args"]
    run = ["run", "formats.yaml", *model]
    with served() as server:
        server.switch(Faults(refused=0.024, failed=0.026, slow=0.01))
        given = f"model=served,base_url={server.url},num_concurrent=64"
        printed = walk.torr("run on a server with faults", *run, given, "--out", "runs/faulty", "--json")
        found = json.loads(printed)
        walk.check("nothing failed for good", found["failed"] == 0 and found["answered"] == 600, found)
        walk.torr("status", "status", "runs/faulty", says="done")
        server.switch(Faults(failed=1.0))
        given = f"model=served,base_url={server.url},max_retries=1"
        walk.torr("every request fails", *run, given, "--limit", "2", "--out", "runs/down", code=1)
        walk.torr("status says why", "status", "runs/down", says="HTTP 500")
    walk.torr("no address", *run, "model=served", "--out", "runs/none", code=2, says="base_url")
    walk.torr("a word for a number", *run, f"{given},num_concurrent=abc", code=2, says="num_concurrent")


def tiny_model(walk: Walk) -> None:
    """A Llama of random weights in this process, with a chat template and without."""
    if not (walk.has("torch") and walk.has("transformers") and walk.has("tokenizers")):
        walk.leave_out("a tiny model of transformers", "torch is not installed (--extras api,hf installs it)")
        return
    walk.write("formats.yaml", _study("formats", "cards.bundled.cell_lookup", "html, markdown", 3))
    for chat in (True, False):
        name = "chat" if chat else "plain"
        making = (
            "import sys, pathlib; sys.path.insert(0, sys.argv[1])\n"
            "from tests import tiny_llama\n"
            f"tiny_llama.make(pathlib.Path('{name}'), chat={chat}, context=8192)"
        )
        walk.step(f"make a model, {name}", walk.python("-c", making, str(walk.environment.checkout)))
        model = ["--model", "hf", "--model-args", f"pretrained={walk.folder / name},device=cpu"]
        walk.torr(f"run, {name}", "run", "formats.yaml", *model, "--out", f"runs/{name}", says=name)
        walk.torr(f"status, {name}", "status", f"runs/{name}", says="done")
    walk.torr(
        "ask for a template that is not there",
        *["run", "formats.yaml", *model, "--chat", "--out", "runs/forced"],
        code=2,
        says="chat template",
    )


TOON = '''"""Tables as TOON."""

import toon_format

from torr_plugin.plugins import hookimpl
from torr_plugin.tables import Table
from torr_plugin.tables.serializers import Serializer


class Toon(Serializer):
    """Token-Oriented Object Notation: the columns once, then a line a row; numbers are bare."""

    name = "toon"
    explanation = "The table is TOON: the names of the columns stand in braces, and each line below is a row."

    def serialize(self, table: Table) -> str:
        names = [" / ".join(path) or f"column {n}" for n, path in enumerate(table.column_paths, start=1)]
        names = [name if name not in names[:n] else f"{name} ({n + 1})" for n, name in enumerate(names)]
        rows = [dict(zip(names, (cell.raw for cell in row))) for row in table.body]
        return toon_format.dumps({"table": rows})

    def parse(self, text: str) -> Table:
        rows = toon_format.loads(text)["table"]
        texts = [["" if value is None else str(value) for value in row.values()] for row in rows]
        return Table.flat(list(rows[0]), texts)


@hookimpl
def torr_serializers():
    return [Toon()]
'''
PROJECT = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "torr-toon"
version = "0.1.0"
dependencies = ["torr-plugin>=0.1,<0.2", "toon-format"]

[project.entry-points.torr_plugin]
toon = "torr_toon"

[tool.hatch.build.targets.wheel]
only-include = ["torr_toon.py"]
"""
CHECK = """
from torr_plugin.tables import Table
from torr_plugin.testing import check_serializer
from torr_toon import Toon

check_serializer(Toon())
print(Toon().serialize(Table.flat(["River", "Length"], [["Otter", 412], ["Heron", 1205]])))
"""


def toon_plugin(walk: Walk) -> None:
    """A plugin with one format, from its file to a study that compares it with JSON."""
    walk.write("plugin/torr_toon.py", TOON)
    walk.write("plugin/pyproject.toml", PROJECT)
    walk.write("check.py", CHECK)
    walk.write("formats.yaml", _study("formats", "cards.bundled.cell_lookup", "toon, json", 20))
    walk.variables["PYTHONPATH"] = str(walk.folder / "installed")
    pip = walk.python("-m", "pip", "install", "-q", "--no-deps", "--target", "installed")
    walk.step("install the plugin", [*pip, "./plugin", "toon-format"])
    walk.torr("list plugins", "list", "plugins", says="torr-toon")
    walk.step("check what a serializer promises", walk.python("check.py"), says="Heron,1205")
    walk.torr("plan", "plan", "formats.yaml", says="cell_lookup")
    walk.torr("run", "run", "formats.yaml", says="torr-lexical")
    walk.torr("analyse", "analyse", "runs/formats", "--out", "analysis", "--no-charts", says="torr-lexical")


def odd_inputs(walk: Walk) -> None:
    """Files, arguments and folders that are wrong: each ends in one line and never in a traceback."""
    if not walk.has("pytest"):
        walk.leave_out("the tests of odd inputs", "pytest is not installed")
        return
    checkout = walk.environment.checkout
    odd = [str(path) for name in ODD for path in checkout.glob(f"tests/**/{name}")]
    run = walk.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *odd)
    walk.step("the tests of odd inputs", run, says="passed", cwd=checkout)


def _study(name: str, card: str, serializers: str, count: int) -> str:
    return STUDY.format(name=name, card=card, serializers=serializers, count=count)
