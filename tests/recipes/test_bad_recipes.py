"""A wrong recipe gets one line: file, line, field, what was found, what is expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.core.errors import InputError, RecipeError
from torr_plugin.recipes import load

from .made import CARD, written

EMPTY = "the list is empty, so nothing would run; expected at least one entry"

# (what is wrong, the recipe, its message after "x.yaml:")
HEAD = f"name: x\ncards: [{CARD}]\n"
CONFIGURATIONS = "configurations: html/none/default\n"
GOOD = HEAD + CONFIGURATIONS

WRONG = {
    "typo in a key": (
        HEAD + "configurations:\n  - perturbations: [none]\n    serializer: [html]\n",
        "5: configurations[0].serializer: unknown key; did you mean 'serializers'?",
    ),
    "two faults": (
        HEAD + "configurations:\n  - perturbations: [none]\n    serializer: [html]\nsed: 3\nseed: '3'\n",
        "5: configurations[0].serializer: unknown key; did you mean 'serializers'?; "
        "line 6: sed: unknown key; did you mean 'seed'?; line 7: seed: found '3'; expected a whole number",
    ),
    "typo in a top key": (GOOD + "sed: 3\n", "4: sed: unknown key; did you mean 'seed'?"),
    "typo in a key of the one product": (
        HEAD + "configurations:\n  serializers: html\n  perturbation: none\n",
        "5: configurations.perturbation: unknown key; did you mean 'perturbations'?",
    ),
    "typo in a card's key": (
        f"name: x\ncards:\n  - card: {CARD}\n    spilt: dev\n" + CONFIGURATIONS,
        "4: cards[0].spilt: unknown key; did you mean 'split'?",
    ),
    "typo in a model's key": (
        GOOD + "models:\n  - {model: hf, arg: {}}\n",
        "5: models[0].arg: unknown key; did you mean 'args' or 'maker'?",
    ),
    "wrong type": (GOOD + "seed: '3'\n", "4: seed: found '3'; expected a whole number"),
    "true for a number": (GOOD + "seed: true\n", "4: seed: found True; expected a whole number"),
    "a date for a name": (
        f"name: 2024-01-01\ncards: [{CARD}]\n" + CONFIGURATIONS,
        "1: name: found 2024-01-01; expected text (in quotes where it looks like something else)",
    ),
    "a number for a list": (HEAD + "configurations: 3\n", "3: configurations: found 3; expected a list"),
    "a number for a product": (
        HEAD + "configurations:\n  - html/none/default\n  - 3\n",
        "5: configurations[1]: found 3; expected a mapping (name: value)",
    ),
    "a number for options": (
        GOOD + "generation: 7\n",
        "4: generation: found 7; expected a mapping (name: value)",
    ),
    "a word for a flag": (
        GOOD + "analysis:\n  two_way: true\n",
        "5: analysis.two_way: unknown key; expected one of: level, resamples",
    ),
    "nothing": (f"name: x\ncards:\n{CONFIGURATIONS}", "2: cards: found nothing; expected a list"),
    "a share of replicates above 1": (
        GOOD + "replicates: {share: 10}\n",
        "4: replicates.share: found 10; expected a number of at most 1.0",
    ),
    "more replicates than anyone can ask": (
        GOOD + "replicates: {share: 1.0, count: 1000000000}\n",
        "4: replicates.count: found 1000000000; expected a number of at most 1000",
    ),
    "more resamples than anyone can draw": (
        GOOD + "analysis: {resamples: 1000000000}\n",
        "4: analysis.resamples: found 1000000000; expected a number of at most 100000",
    ),
    "a share of replicates that is text": (
        GOOD + "replicates: {share: 10%}\n",
        "4: replicates.share: found '10%'; expected a number",
    ),
    "too small": (
        GOOD + "demonstrations: {shots: -1}\n",
        "4: demonstrations.shots: found -1; expected a number of at least 0",
    ),
    "too large": (
        GOOD + "analysis: {level: 95}\n",
        "4: analysis.level: found 95; expected a number of less than 1.0",
    ),
    "not finite": (
        GOOD + "generation: {temperature: .inf}\n",
        "4: generation.temperature: found inf; expected a finite number",
    ),
    "a word for a temperature": (
        GOOD + "generation: {temperature: hot}\n",
        "4: generation.temperature: found 'hot'; expected a number",
    ),
    "wrong choice": (
        GOOD + "demonstrations:\n  draw: pared\n",
        "5: demonstrations.draw: found 'pared'; expected 'paired', 'shared' or 'unitxt'",
    ),
    "wrong choice in short": (
        GOOD + "demonstrations: {draw: pared}\n",
        "4: demonstrations.draw: found 'pared'; expected 'paired', 'shared' or 'unitxt'",
    ),
    "wrong choice of demos": (
        GOOD + "demos: pared\n",
        "4: demos: found 'pared'; expected 'paired', 'shared' or 'unitxt'",
    ),
    "wrong choice of examples in short": (
        GOOD + "examples: all\n",
        "4: examples: found 'all'; expected 'first', 'seeded' or 'unitxt'",
    ),
    "two draws of demonstrations": (
        GOOD + "demonstrations: {shots: 1, draw: paired}\ndemos: unitxt\n",
        "5: demos: found 'unitxt', but demonstrations.draw is 'paired'; expected only one of the two",
    ),
    "a table of no tokens": (
        GOOD + "examples: {table_tokens: 0}\n",
        "4: examples.table_tokens: found 0; expected a number of at least 1",
    ),
    "another spelling of demos": (
        GOOD + "demonstrations: unitxt\n",
        "4: demonstrations: found 'unitxt'; expected a mapping (name: value)",
    ),
    "demonstrations that fit into an unknown context": (
        GOOD + "demonstrations: {shots: 1, fit: true}\n",
        "1: demonstrations.fit: found true, and nothing says how long prompts may be; expected "
        "examples.context beside it",
    ),
    "sampled tables in unitxt's prompts": (
        GOOD + "demos: unitxt\nexamples: {table_tokens: 500}\n",
        "1: examples.table_tokens: found 500, but what is drawn as unitxt does is shown whole, as there; "
        "expected another draw of examples and demonstrations",
    ),
    "wrong count": (
        GOOD + "examples: {count: many}\n",
        "4: examples.count: found 'many'; expected a whole number of at least 1, or 'all'",
    ),
    "no examples": (
        f"name: x\ncards:\n  - card: {CARD}\n    examples: 0\n" + CONFIGURATIONS,
        "4: cards[0].examples: found 0; expected a whole number of at least 1, or 'all'",
    ),
    "empty product": (
        HEAD + "configurations:\n  - serializers: []\n",
        "4: configurations[0].serializers: " + EMPTY,
    ),
    "empty product of perturbations": (
        HEAD + "configurations:\n  serializers: html\n  perturbations: []\n",
        "5: configurations.perturbations: " + EMPTY,
    ),
    "no configurations": (
        HEAD + "configurations: []\n",
        "3: configurations: " + EMPTY,
    ),
    "no cards": (
        "name: x\ncards: []\n" + CONFIGURATIONS,
        "2: cards: " + EMPTY,
    ),
    "missing key": ("name: x\n" + CONFIGURATIONS, "1: the key 'cards' is missing"),
    "missing key within": (
        HEAD + "configurations:\n  - perturbations: [none]\n",
        "4: configurations[0]: the key 'serializers' is missing",
    ),
    "a serializer without its folder": (
        HEAD + "configurations:\n  serializers: df\n",
        "4: configurations.serializers: unknown serializer 'df'; did you mean 'torr.df'?",
    ),
    "unknown serializer": (
        HEAD + "configurations:\n  - serializers:\n      - html\n      - htm1\n",
        "4: configurations[0].serializers: unknown serializer 'htm1'; did you mean 'html'",
    ),
    "unknown perturbation": (
        HEAD + "configurations: {serializers: html, perturbations: [shufle_rows]}\n",
        "3: configurations.perturbations: unknown perturbation 'shufle_rows'; did you mean 'shuffle_rows'",
    ),
    "unknown design": (
        HEAD + "configurations: {serializers: html, designs: [defalt]}\n",
        "3: configurations.designs: unknown design 'defalt'; did you mean 'default'?",
    ),
    "unknown name in an id": (
        HEAD + "configurations:\n  - html/none/default\n  - html/nne/default\n",
        "5: configurations[1]: unknown perturbation 'nne'; did you mean 'none'",
    ),
    "an id of two parts": (
        HEAD + "configurations: [html/none]\n",
        "3: configurations[0]: configuration 'html/none' has 2 part(s); expected serializer/perturbation/",
    ),
    "unknown card": (
        "name: x\ncards:\n  - cards.bundled.cell_lokup\n" + CONFIGURATIONS,
        "3: cards[0]: unknown card 'cards.bundled.cell_lokup'; did you mean 'cards.bundled.cell_lookup'",
    ),
    "a card twice": (
        f"name: x\ncards: [{CARD}, {CARD}]\n" + CONFIGURATIONS,
        f"2: cards: data set '{CARD[6:]}' is asked twice, by '{CARD}' and '{CARD}'",
    ),
    "a name that leaves the folder": (
        f"name: ../x\ncards: [{CARD}]\n" + CONFIGURATIONS,
        "1: name: found '../x'; expected letters, digits, '.', '_' and '-', a letter or digit first",
    ),
    "model arguments": (
        GOOD + "models:\n  - model: hf\n    args: pretrained\n",
        "6: models[0].args: model args: found 'pretrained'; expected name=value, joined by commas",
    ),
    "a model twice": (
        GOOD + "models: [torr-lexical, torr-lexical]\n",
        "4: models: two models are called 'torr-lexical'; give them different names, or leave one out",
    ),
    "a key twice": ("name: x\nseed: 1\nname: y\n", "3: 'name' is given twice, first on line 1"),
    "half a character": (
        GOOD + 'generation: {until: ["\\ud800"]}\n',
        "4: generation.until[0]: found '\\ud800'; expected text without lone surrogates",
    ),
    "a key that is a number": ("name: x\n1: 2\n", "2: found 1 as a key; expected a name"),
    "a key that YAML reads as true": (
        GOOD + "generation:\n  max_tokens: 5\n  on: 2\n",
        "6: found on as a key; expected a name",
    ),
    "a key that is a number, in a list": (
        "name: x\ncards:\n  - card: a\n    7: b\n",
        "4: found 7 as a key; expected a name",
    ),
    "a split that the card lacks": (
        f"name: x\ncards:\n  - card: {CARD}\n    split: tst\n" + CONFIGURATIONS,
        f"4: cards[0].split: {CARD} has no split 'tst'; did you mean 'test'?",
    ),
    "a key that is a list": ("? [a]\n: 2\n", "1: found a list or mapping as a key; expected a name"),
    "a list": ("- a\n", "1: found list; expected a mapping with 'name', 'cards' and 'configurations'"),
    "not YAML": ("name: [x\n", "2: not YAML: expected ',' or ']', but got '<stream end>'"),
    "two documents": (GOOD + "---\nname: y\n", "4: not YAML: but found another document"),
    "an object": (
        "name: !!python/object/apply:os.system [ls]\n",
        "1: not YAML: could not determine a constructor for the tag",
    ),
    "nested deep": ("[" * 5000, " lists and mappings nested more than 50 deep"),
    "an alias that holds itself": ("name: x\ncards: &a [*a]\n", "2: an alias that holds itself"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_the_message(wrong: str, tmp_path: Path) -> None:
    text, message = WRONG[wrong]
    path = written(tmp_path, text)
    with pytest.raises(RecipeError) as error:
        load(path)
    said = str(error.value)
    assert said.startswith(f"{path}:{message}")
    assert "\n" not in said
    assert isinstance(error.value, InputError)


def test_aliases_of_aliases_are_bounded(tmp_path: Path) -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(
        RecipeError, match=r"x\.yaml:6: holds more than 1,000,000 values once its aliases are written out"
    ):
        load(written(tmp_path, "\n".join(lines)))


def test_size_is_bounded(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="larger than 1,000,000 bytes"):
        load(written(tmp_path, GOOD + "#" * 1_000_001))


def test_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(
        RecipeError, match="the file is empty; expected a mapping with 'name', 'cards' and 'configurations'"
    ):
        load(written(tmp_path, "# nothing\n"))


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"name: \xff\n")
    with pytest.raises(RecipeError, match=r"not UTF-8 \(byte 6\)"):
        load(path)
    path.write_bytes(b"name: a\x00b\n")
    with pytest.raises(RecipeError, match="not YAML"):
        load(path)


def test_a_value_that_cannot_be_read_as_what_it_looks_like(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="not YAML: month must be in 1"):
        load(written(tmp_path, "name: 2024-13-45\n"))
