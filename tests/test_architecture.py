"""The flow goes one way: a stage imports those below it, and importing the package costs nothing."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "torr_plugin"

STAGES = ["tables", "catalog", "prompts", "recipes", "running", "scoring"]
ALLOWED = {
    "core": set[str](),
    **{stage: {"core", *STAGES[:index]} for index, stage in enumerate(STAGES)},
    "analysis": {"core"},
    "leaderboard": {"core", *STAGES, "analysis"},
    "plugins": {"core", *STAGES, "analysis", "leaderboard", "papers"},  # which registers them
    "papers": {"core", *STAGES, "analysis", "leaderboard", "plugins"},
    "integrations": {"core", *STAGES, "analysis", "leaderboard", "plugins"},
    "audit": {"core", "analysis", "leaderboard", "integrations"},
    "testing": {"core", *STAGES, "analysis", "leaderboard", "plugins"},
    "question_writing": {"core", *STAGES, "leaderboard"},
    "workflows": {"core", *STAGES, "analysis", "leaderboard", "plugins", "integrations"},
    "cli": {
        *("core", *STAGES, "analysis", "leaderboard", "plugins", "integrations"),
        *("question_writing", "workflows", "audit"),
    },
}

KNOWN_ARROWS_UP: set[tuple[str, str]] = set()
"""(file, package) that still import what is above them; to be emptied, never added to."""

FILES = sorted(PACKAGE.rglob("*.py"))
MODULE = re.compile(r"torr_plugin\.(\w+)[\w.]*(:\w+)?")


def imported_modules(path: Path) -> Iterator[str]:
    """The modules of torr_plugin that a file names: in imports anywhere in it, and in texts."""
    here = path.relative_to(PACKAGE.parent).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if module == "torr_plugin")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value if MODULE.fullmatch(node.value) else ""


def packages_imported(path: Path) -> set[str]:
    """The packages of torr_plugin that a file imports; ``__main__`` is a command, and may use cli."""
    found = {match[1] for name in imported_modules(path) if (match := MODULE.fullmatch(name))}
    return found - {"__version__"} - ({"cli"} if path.stem == "__main__" else set())


def test_no_arrow_goes_up() -> None:
    up = {
        (str(path.relative_to(PACKAGE)), name)
        for path in FILES
        if (package := path.relative_to(PACKAGE).parts[0].removesuffix(".py")) in ALLOWED
        for name in packages_imported(path) - ALLOWED[package] - {package}
    }
    assert up - KNOWN_ARROWS_UP == set()
    assert KNOWN_ARROWS_UP - up == set(), "mended: take them out of the table"


def test_a_paper_is_imported_by_nobody_but_the_loader_of_plugins() -> None:
    """So that what a paper brings comes in by the hooks that a stranger's plugin has."""
    importing = {
        path.relative_to(PACKAGE).as_posix() for path in FILES if "papers" in packages_imported(path)
    }
    assert {name for name in importing if not name.startswith("papers/")} == {"plugins/loading.py"}


def test_a_room_imports_no_other() -> None:
    rooms = [path for path in FILES if path.relative_to(PACKAGE).parts[0] == "papers"]
    across = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in rooms
        for name in imported_modules(path)
        if name.startswith("torr_plugin.papers.")
        and name.split(".")[2] != path.relative_to(PACKAGE / "papers").parts[0]
    }
    assert across == set()


def test_the_root_holds_packages_and_the_checks_for_plugins() -> None:
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "testing.py"}
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(ALLOWED) - {"testing"}


def test_a_class_name_is_used_once() -> None:
    names = Counter(
        name for path in FILES for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE)
    )
    assert {name for name, count in names.items() if count > 1} == set()


HEAVY = [
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "unitxt",
    "lm_eval",
    "helm",
    "datasets",
    "transformers",
    "torch",
    "ray",
    "spacy",
    "lxml",
    "jinja2",
    "openpyxl",
    "typst",
    "PIL",
    "sqlite3",
    "rich",
]

IMPORTS = [
    "import torr_plugin",
    "import torr_plugin.cli.app",
    "from torr_plugin.plugins import hookimpl, CommandGroup",
    "from torr_plugin.tables import serializers, perturbations as p; serializers.names(), p.names()",
    "from torr_plugin.tables import pictures, measures, workbooks",
    "import torr_plugin.papers.hctqa.generator, torr_plugin.papers.hctqa.generator.parameters",
    "import torr_plugin.catalog, torr_plugin.prompts, torr_plugin.recipes, torr_plugin.workflows",
    "import torr_plugin.running, torr_plugin.scoring, torr_plugin.analysis, torr_plugin.leaderboard",
    "import torr_plugin.integrations, torr_plugin.question_writing, torr_plugin.audit",
]

PROBE = f"""
import json, os, random, sys
state, environment = random.getstate(), dict(os.environ)
for line in {IMPORTS}:
    exec(line)
    found = [name for name in {HEAVY} if name in sys.modules]
    found += ["random"] if random.getstate() != state else []
    found += ["environment"] if dict(os.environ) != environment else []
    if found:
        break
print(json.dumps([line, found]))
"""


def test_importing_loads_nothing_heavy_and_changes_nothing() -> None:
    out = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == [IMPORTS[-1], []]


def test_a_lazy_name_is_no_submodule() -> None:
    """Once a submodule is imported it stands in its package under its name, and would hide the lazy one."""
    hidden = []
    for init in PACKAGE.rglob("__init__.py"):
        modules = {path.stem for path in init.parent.glob("*.py")}
        for block in ast.parse(init.read_text(encoding="utf-8")).body:
            imports = [node for node in ast.walk(block) if isinstance(node, ast.ImportFrom) and node.module]
            names = {alias.name for node in imports for alias in node.names}
            hidden += [f"{init.parent.name}.{name}" for name in names & modules if isinstance(block, ast.If)]
    assert hidden == []


PASSED = """\
import json, sys, tempfile, threading
from pathlib import Path
import torr_plugin
from torr_plugin import recipes, running, scoring
root, seen = Path(torr_plugin.__file__).parent, set()
def note(frame, event, argument):
    if event == "call" and frame.f_code.co_flags & 1:  # a function, no body of a module or class
        seen.add(frame.f_code.co_filename)
out = Path(tempfile.mkdtemp())
(out / "one.yaml").write_text(
    "name: one\\ncards: [cards.bundled.cell_lookup]\\nconfigurations: markdown/none/default\\n"
    "examples: {count: 3}\\nmodels: [torr-constant]\\n"
)
sys.setprofile(note), threading.setprofile(note)
recipe = recipes.load(out / "one.yaml")
summary = running.execute(recipes.plan(recipe), recipe.models, out / "run")
scoring.score_run(running.Run.open(summary.run))
sys.setprofile(None), threading.setprofile(None)
ours = {Path(name).relative_to(root).as_posix() for name in seen if name.startswith(f"{root}/")}
print(json.dumps(sorted(ours)))
"""


def test_a_request_passes_no_more_modules_than_documented(tmp_path: Path) -> None:
    """Those of which a function runs from a recipe to its scores, without rooms, generator and baseline."""
    done = subprocess.run(
        [sys.executable, "-c", PASSED], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    apart = ("__init__.py", "papers/", "plugins/", "catalog/generated", "running/baselines/")
    passed = [name for name in json.loads(done.stdout) if not name.startswith(apart)]
    text = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    stated = int(text.partition("A request passes ")[2].split()[0])
    assert len(passed) <= stated, passed


COMPUTED = """\
import json, sys
from pathlib import Path
import pandas as pd
import torr_plugin
from torr_plugin.analysis.figures.model_scores import MODEL_SCORES
from torr_plugin.analysis.figures.pairs import PAIRS
from torr_plugin.analysis.frame import main_scores
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.study import study_scores
root, found = Path(torr_plugin.__file__).parent, {}
rows = [("m" + str(m), "d", "c" + str(c), "e" + str(e), "em", float(m * e % 3 == c))
        for m in range(3) for c in range(2) for e in range(9)]
frame = pd.DataFrame(rows, columns="model dataset config example metric score".split())
for figure in (MODEL_SCORES, PAIRS):
    seen = found[figure.key] = []
    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_flags & 1:
            seen.append(frame.f_code.co_filename)
    sys.setprofile(note)
    figure.to_json(figure.compute(study_scores(main_scores(frame), Options())))
    sys.setprofile(None)
ours = {key: {Path(name).relative_to(root).as_posix() for name in seen if name.startswith(f"{root}/")}
        for key, seen in found.items()}
print(json.dumps({key: sorted(names) for key, names in ours.items()}))
"""


def test_a_mean_and_a_verdict_pass_the_modules_that_are_documented(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMPUTED], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    passed = json.loads(done.stdout)
    text = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    mean, verdict = map(int, re.findall(r"A mean passes (\d+) modules, a verdict (\d+)", text)[0])
    assert (len(passed["model_scores"]), len(passed["pairs"])) == (mean, verdict), passed
    walk = text.partition("A mean passes ")[2].partition("\n\n")[0]
    assert all(f"`{name.removeprefix('analysis/')}`" in walk for names in passed.values() for name in names)
