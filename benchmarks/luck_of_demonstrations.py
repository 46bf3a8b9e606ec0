"""How much of unitxt's robustness figure is the luck of other demonstrations.

    TORR_DATA=DIR python benchmarks/luck_of_demonstrations.py [--cards wikitq,...] [--examples 100] [--json]

The embedded baselines are asked the recipe ``torr`` under three draws of demonstrations, everything else the
same: unitxt's examples, its pool, the design ``torr``, the 28 configurations whose perturbation unitxt seeds
(seven serializers x none, shuffle_rows, shuffle_cols, transpose). ``unitxt`` draws others under every
perturbation, ``paired`` shows an example the same in all configurations, ``shared`` shows all examples the
same. Figures, each a mean over examples with its bootstrap interval:

    robustness   1 - (best - worst score over all 28 configurations)
    formats      1 - (best - worst over the serializers of one perturbation), mean over perturbations: these
                 prompts have the same demonstrations under every draw
    perturbed    1 - (best - worst over the perturbations of one serializer), mean over serializers: here
                 unitxt's demonstrations change too

and for each the difference ``paired`` - ``unitxt`` on the same examples, the luck of the draw. See
benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent))

from torr_mirror import DATASETS, complete_mirror

if TYPE_CHECKING:
    import numpy as np

DRAWS = ("unitxt", "paired", "shared")
PERTURBATIONS = ("none", "shuffle_rows", "shuffle_cols", "transpose")
FIGURES = ("performance", "robustness", "formats", "perturbed")
RESAMPLES, LEVEL, SEED = 1000, 0.95, 0


def baselines() -> dict[str, Callable[[str], str]]:
    """How each answers a prompt: three lm-eval models of the project's, and one of this study's own."""
    from torr_plugin.running.baselines.answers import lexical_answer, majority_answer, random_cell_answer

    return {
        "torr-majority": majority_answer,
        "nearest demonstration": nearest_answer,
        "torr-lexical": lexical_answer,
        "torr-random-cell": random_cell_answer,
    }


def nearest_answer(prompt: str) -> str:
    """The answer of the demonstration that shares most words with what is asked, table and all.

    Words shared over words in either; of equally near ones the first. Its answer depends on the
    demonstrations and on how tables are written.
    """
    from torr_plugin.running.baselines.reading import read_prompt

    found = read_prompt(prompt)
    if not found.answers:
        return ""
    asked = set(found.text.split())
    near, start = [], len(found.instruction)
    for answer in found.answers:
        end = max(start, prompt.find(f"{answer}\n\n", start))
        shown = set(prompt[start:end].split())
        near.append(len(asked & shown) / len(asked | shown))
        start = end + len(answer)
    return found.answers[near.index(max(near))]


def scores(dataset: str, draw: str, examples: int) -> dict[str, np.ndarray]:
    """Main scores by baseline, (serializers x perturbations x examples)."""
    from torr_plugin.recipes import plan

    planned = plan(_recipe(dataset, draw, examples))
    card, requests = planned.cards[dataset], list(planned.requests())
    shape = (-1, len(PERTURBATIONS), len(planned.examples[dataset]))
    return {name: _rated(card, requests, ask).reshape(shape) for name, ask in baselines().items()}


def _recipe(dataset: str, draw: str, examples: int) -> Any:
    """The shipped recipe, of one card, under a draw, with the perturbations that unitxt seeds."""
    from torr_plugin.recipes import Recipe, load, with_cards

    said = with_cards(load("torr"), dataset).model_dump(mode="json")
    said["configurations"] = [{**each, "perturbations": PERTURBATIONS} for each in said["configurations"]]
    said["demonstrations"]["draw"] = draw
    said["examples"] = {"draw": "unitxt", "count": examples}
    return Recipe.model_validate({**said, "models": []})


def _rated(card: Any, requests: list[Any], ask: Callable[[str], str]) -> np.ndarray:
    """Each answer's main score, in the order of the requests; equal answers to one example are rated once."""
    import numpy as np

    from torr_plugin.scoring import score_example

    known: dict[tuple[str, str], float] = {}
    found = []
    for request in requests:
        key = (request.example, ask(request.prompt[0].content))
        if key not in known:
            rated = score_example(card, key[1], request.references, request.facts)
            known[key] = rated[card.main_metric]
        found.append(known[key])
    return np.array(found)


def example_figures(cube: np.ndarray) -> np.ndarray:
    """Each example's part in the FIGURES, (figures x examples).

    Args:
        cube: scores in [0, 1], (serializers x perturbations x examples).
    """
    import numpy as np

    return np.stack(
        [
            cube.mean(axis=(0, 1)),
            1 - np.ptp(cube.reshape(-1, cube.shape[-1]), axis=0),
            1 - np.ptp(cube, axis=0).mean(axis=0),
            1 - np.ptp(cube, axis=1).mean(axis=0),
        ]
    )


def study(datasets: list[str], examples: int) -> dict[str, Any]:
    """Figures by baseline, data set (and ``overall``, their unweighted mean) and draw or ``luck``."""
    per_example: dict[str, dict[str, dict[str, np.ndarray]]] = {}
    for dataset in datasets:
        for draw in DRAWS:
            print(f"{dataset}, demonstrations: {draw}", file=sys.stderr)
            for model, cube in scores(dataset, draw, examples).items():
                per_example.setdefault(model, {}).setdefault(dataset, {})[draw] = example_figures(cube)
    return {
        "settings": {
            "examples": examples,
            "resamples": RESAMPLES,
            "level": LEVEL,
            "draws": DRAWS,
            "perturbations": PERTURBATIONS,
        },
        "models": {model: _with_overall(found) for model, found in per_example.items()},
    }


def _with_overall(found: dict[str, dict[str, np.ndarray]]) -> dict[str, Any]:
    """Every figure with its interval; examples resampled within each data set, the same for all draws."""
    import numpy as np

    from torr_plugin.analysis.bootstrap import resampled_means
    from torr_plugin.core.seeds import generator

    values, resampled = {}, {}
    for dataset, draws in found.items():
        each = {**draws, "luck": draws["paired"] - draws["unitxt"]}
        stacked = np.concatenate(list(each.values()))
        rng = generator(SEED, "examples", dataset)
        values[dataset] = stacked.mean(axis=1)
        resampled[dataset] = resampled_means(stacked, np.arange(stacked.shape[1]), rng, RESAMPLES)
    values["overall"] = np.mean(list(values.values()), axis=0)
    resampled["overall"] = np.mean(list(resampled.values()), axis=0)
    return {dataset: _named(values[dataset], resampled[dataset]) for dataset in values}


def _named(values: np.ndarray, resampled: np.ndarray) -> dict[str, Any]:
    from torr_plugin.analysis.bootstrap import percentile_bounds

    low, high = percentile_bounds(resampled, LEVEL)
    rows = [
        {"value": float(value), "low": float(bottom), "high": float(top)}
        for value, bottom, top in zip(values, low, high, strict=True)
    ]
    return {
        draw: dict(zip(FIGURES, rows[at : at + len(FIGURES)], strict=True))
        for at, draw in zip(range(0, len(rows), len(FIGURES)), (*DRAWS, "luck"), strict=True)
    }


def _show(results: dict[str, Any]) -> None:
    """The table of benchmarks/RESULTS.md."""
    head = ["baseline", "data set", "figure", *DRAWS, "paired - unitxt"]
    print("| " + " | ".join(head) + " |")
    print("| --- | --- | --- |" + " ---: |" * (len(DRAWS) + 1))
    for model, datasets in results["models"].items():
        for dataset, parts in datasets.items():
            for figure in FIGURES:
                cells = [_written(parts[draw][figure]) for draw in (*DRAWS, "luck")]
                print(f"| {model} | {dataset} | {figure} | " + " | ".join(cells) + " |")


def _written(figure: dict[str, float]) -> str:
    return f"{figure['value']:.3f} ({figure['low']:.3f}, {figure['high']:.3f})"


def main() -> None:
    """Ask, score and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cards", default=",".join(DATASETS), help="data sets, by comma")
    parser.add_argument("--examples", type=int, default=100, help="examples a data set")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()
    datasets = args.cards.split(",")
    with tempfile.TemporaryDirectory() as folder:
        known = tuple(each for each in datasets if each in DATASETS)
        if known and len(known) == len(datasets):  # of other data sets the mirror is taken as it is
            complete_mirror(Path(os.environ["TORR_DATA"]), Path(folder), known)
            os.environ["TORR_DATA"] = folder
        results = study(datasets, args.examples)
    if args.json:
        print(json.dumps(results))
    else:
        _show(results)


if __name__ == "__main__":
    main()
