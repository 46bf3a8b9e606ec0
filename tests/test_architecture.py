"""The flow goes one way: a stage imports those below it, and importing the package costs nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "torr_plugin"

STAGES = ["tables", "synthesis", "catalog", "prompts", "recipes", "running", "scoring"]
ALLOWED = {
    "core": set[str](),
    "analysis": {"core"},
    **{stage: {"core", *STAGES[:index]} for index, stage in enumerate(STAGES)},
    "integrations": {"core", *STAGES, "analysis", "cli", "plugins", "workflows"},
    "leaderboard": {"core", *STAGES, "analysis", "cli"},
}


def imports_of(path: Path) -> set[str]:
    """The top-level parts of torr_plugin that a file imports, anywhere in it."""
    here = path.relative_to(PACKAGE.parent).with_suffix("").parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(here[: len(here) - node.level]) if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [module] if node.module else [f"{module}.{alias.name}" for alias in node.names]
            if module == "torr_plugin":
                names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("torr_plugin.")}
    return found


@pytest.mark.parametrize("stage", sorted(ALLOWED))
def test_a_stage_imports_only_what_is_below_it(stage: str) -> None:
    files = sorted((PACKAGE / stage).rglob("*.py"))
    assert files, f"no files in {stage}"
    wrong = {
        str(path.relative_to(PACKAGE)): sorted(imports_of(path) - ALLOWED[stage] - {stage, "__version__"})
        for path in files
    }
    assert {path: names for path, names in wrong.items() if names} == {}


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
    "statsmodels",
    "typst",
    "PIL",
    "altair",
    "sqlite3",
    "rich",
]

PROBE = """
import json, os, random, sys
state, environment = random.getstate(), dict(os.environ)
{imports}
print(json.dumps({{
    "heavy": [name for name in {heavy} if name in sys.modules],
    "random": random.getstate() == state,
    "environment": dict(os.environ) == environment,
}}))
"""


@pytest.mark.parametrize(
    "imports",
    [
        "import torr_plugin",
        "import torr_plugin.cli.app",
        "from torr_plugin.tables import serializers, perturbations as p; serializers.names(), p.names()",
        "from torr_plugin.tables import images, properties, workbooks",
        "import torr_plugin.synthesis.hctqa, torr_plugin.synthesis.hctqa.questions",
        "import torr_plugin.catalog, torr_plugin.prompts, torr_plugin.recipes",
        "import torr_plugin.running, torr_plugin.scoring, torr_plugin.analysis, torr_plugin.leaderboard",
        "import torr_plugin.integrations",
    ],
)
def test_importing_loads_nothing_heavy_and_changes_nothing(imports: str) -> None:
    probe = PROBE.format(imports=imports, heavy=HEAVY)
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == {"heavy": [], "random": True, "environment": True}
