"""The flow goes one way: a stage imports those below it, and importing the package costs nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "torr_plugin"

STAGES = ["tables", "synthesis", "catalog", "prompts", "recipes", "running", "scoring"]
ALLOWED = {
    "core": set[str](),
    **{stage: {"core", *STAGES[:index]} for index, stage in enumerate(STAGES)},
    "analysis": {"core"},
    "leaderboard": {"core", *STAGES, "analysis"},
    "plugins": {"core", *STAGES, "analysis", "leaderboard"},
    "integrations": {"core", *STAGES, "analysis", "leaderboard", "plugins"},
    "testing": {"core", *STAGES, "analysis", "leaderboard", "plugins"},
    "workflows": {"core", *STAGES, "analysis", "leaderboard", "plugins", "integrations"},
    "cli": {"core", *STAGES, "analysis", "leaderboard", "plugins", "integrations", "workflows"},
}

KNOWN_ARROWS_UP: set[tuple[str, str]] = set()
"""(file, package) that still import what is above them; to be emptied, never added to."""

# fmt: off
KNOWN_DUPLICATES = {
    "Executor", "_Reader", "_Sample",
}
# fmt: on    assert KNOWN_ARROWS_UP - up == set(), "mended: take them out of the table"


def test_the_root_holds_packages_and_the_checks_for_plugins() -> None:
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "testing.py"}
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(ALLOWED) - {"testing"}


def test_a_class_name_is_used_once() -> None:
    names = Counter(
        node.name for path in FILES for node in parsed(path).body if isinstance(node, ast.ClassDef)
    )
    twice = {name for name, count in names.items() if count > 1}
    assert twice - KNOWN_DUPLICATES == set()


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
        "from torr_plugin.plugins import hookimpl, CommandGroup",
        "from torr_plugin.tables import serializers, perturbations as p; serializers.names(), p.names()",
        "from torr_plugin.tables import images, properties, workbooks",
        "import torr_plugin.synthesis.hctqa, torr_plugin.synthesis.hctqa.parameters",
        "import torr_plugin.catalog, torr_plugin.prompts, torr_plugin.recipes, torr_plugin.workflows",
        "import torr_plugin.running, torr_plugin.scoring, torr_plugin.analysis, torr_plugin.leaderboard",
        "import torr_plugin.integrations",
    ],
)
def test_importing_loads_nothing_heavy_and_changes_nothing(imports: str) -> None:
    probe = PROBE.format(imports=imports, heavy=HEAVY)
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == {"heavy": [], "random": True, "environment": True}
