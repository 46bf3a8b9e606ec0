"""A run whose every text is hostile, from its name to the properties of its examples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from torr_plugin.leaderboard.sections import Section
from torr_plugin.leaderboard.text import visible
from torr_plugin.plugins import hookimpl
from torr_plugin.recipes import request_schema
from torr_plugin.running import Run

from .battling import with_battles
from .hostile import HALVES, HTML, WORDS
from .made import make_run, with_analysis, with_metrics

_NAMES = [word for word in WORDS if word]
MODELS = [*_NAMES[::20], "__proto__", "constructor", "toString"]
DATASETS = [*_NAMES[35::33], "constructor", "__proto__"]
SERIALIZERS = ("<img src=x onerror=window.pwned=1>", "datum['x']", "__proto__", "a.b[0]")
PERTURBATIONS = ("none", '" onload="window.pwned=1')
EXAMPLES = 4
MODELS = list(dict.fromkeys(MODELS))
DATASETS = list(dict.fromkeys(DATASETS))
# templates of a plugin's sections
SECTIONS = {
    "text": "<p class='{{ word }}'>{{ word }}</p>",
    "link": "<a href='#{{ word }}'>a link</a>",
}
IN_SECTIONS = "\n".join(visible(text) for text in WORDS)


class Added(Section):
    """A plugin's section, its words from data that nobody can trust, its chart of them too."""

    def __init__(self, name: str, template: str) -> None:
        self.name, self.title, self.template = name, f"{name} {HTML[0]}", template

    def data(self, analysis: Mapping[str, Any], study: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"word": IN_SECTIONS}

    def chart(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return {
            "data": {"values": [{"name": text, "value": n} for n, text in enumerate(WORDS)]},
            "mark": "bar",
            "encoding": {"y": {"field": "name"}, "x": {"field": "value", "type": "quantitative"}},
        }


def hostile_sections() -> SimpleNamespace:
    """A plugin with such sections."""
    given = [Added(name, text) for name, text in SECTIONS.items()]
    return SimpleNamespace(torr_sections=hookimpl(lambda: given))


def word(number: int) -> str:
    """A hostile text; any number has one."""
    return WORDS[number % len(WORDS)]


def hostile_run(path: Path, *, resamples: int = 20) -> Path:
    """Write it, with its analysis."""
    count = iter(range(10**9))
    run = make_run(
        path,
        models=MODELS,
        datasets=DATASETS,
        serializers=SERIALIZERS,
        perturbations=PERTURBATIONS,
        examples=EXAMPLES,
        failing={model: word(7 * place) for place, model in enumerate(MODELS)},
        predict=lambda model, example: word(next(count)),
        prompt=lambda config, example: "\n".join([*WORDS, word(next(count))]),
        example_name=lambda dataset, number: _NAMES[
            (DATASETS.index(dataset) * EXAMPLES + number) * 3 % len(_NAMES)
        ],
        references=lambda example: [word(next(count)) for _ in range(3)],
        name=WORDS[0],
    )
    _as_messages(run)
    _metrics(run)
    _examples(run)
    _describe(run)
    with_analysis(run, resamples=resamples, examples=Run.open(run).examples())
    _note(run)
    with_battles(run, judges=_NAMES[4:6], levels=_NAMES[7:9], reason=word, examples=1)
    return run


def _as_messages(run: Path) -> None:
    """Every second request has roles; one model's reader may show them as headings."""
    shard = run / "requests" / "part-000000.parquet"
    rows = pq.read_table(shard).to_pylist()
    for number, row in enumerate(rows[::2]):
        row["messages"] = json.dumps(
            [{"role": word(number), "content": row["prompt"]}, {"role": "user", "content": word(number + 1)}]
        )
    pq.write_table(pa.Table.from_pylist(rows, schema=request_schema()), shard)


def _metrics(run: Path) -> None:
    scores = pd.read_parquet(run / "scores.parquet")
    scores["metric"] = scores["dataset"].map({name: word(11 * n) or "m" for n, name in enumerate(DATASETS)})
    scores.to_parquet(run / "scores.parquet", index=False)
    for place, dataset in enumerate(DATASETS):
        names = dict.fromkeys(_NAMES[place::40])
        with_metrics(run, dataset, dict.fromkeys([*names, "__proto__"], lambda score: score / 2))


def _examples(run: Path) -> None:
    known = Run.open(run).scores()[["dataset", "example"]].drop_duplicates().reset_index(drop=True)
    known.assign(
        groups=[json.dumps({word(n): word(3 * n) for n in range(i, i + 3)}) for i in range(len(known))],
        properties=[
            json.dumps(
                {part: {word(n): n % 2 == 0 for n in range(i, i + 9)} for part in ("table", "question")}
            )
            for i in range(len(known))
        ],
        cells=[10 + i for i in range(len(known))],
    ).to_parquet(run / "examples.parquet", index=False)


def _describe(run: Path) -> None:
    """Puts hostile texts in every place of study.yaml that holds a text of someone's."""
    path = run / "study.yaml"
    study: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    words = [*WORDS, *HALVES]
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    study["recipe"].update(
        description=" ".join(words),
        demonstrations={**study["recipe"]["demonstrations"], **pairs},
        cards=[word(n) for n in range(len(DATASETS))],
    )
    study.update(
        created=WORDS[3],
        fingerprint=WORDS[1],
        notes=words,
        versions=pairs,
        generation={**study["generation"], **pairs},
        limit=WORDS[5],
    )
    for number, said in enumerate(study["datasets"].values()):
        said.update(
            card=word(number),
            description=" ".join(words[number::7]),
            licence=word(13 * number + 3),
            split=word(number + 40),
            metrics=[word(number + 60)],
            main_metric=word(number + 60),
            keeps_labels=["none", *PERTURBATIONS],
            skills={word(number): word(number + 1)},
            language=word(number + 9),
            source=word(number + 17),
            url=word(number + 23),
        )
    for number, model in enumerate(study["models"]):
        model.update(
            model=word(number + 5),
            args={
                word(number): word(number + 1),
                "pretrained": word(number + 2),
                "base_url": "https://pwned.invalid",
            },
            family=word(number // 3),
            size=float(number + 1),
            open=number % 2 == 0,
            revision=word(number + 8),
        )
    path.write_text(yaml.safe_dump(study, sort_keys=False, allow_unicode=True), encoding="utf-8")


def _note(run: Path) -> None:
    """The analysis's own notes, and figures of plugins, may hold anything as well."""
    path = run / "analysis.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    found["notes"] = [*found.get("notes", []), *WORDS, *HALVES]
    found["plugins"] = {text: {text: text} for text in WORDS}
    path.write_text(json.dumps(found), encoding="utf-8")
